CREATE INDEX audit_by_actor_and_operation ON audit (actor, operation, at_ms, id);

-- Accounts that may be near the limit of their month. `notified` is the highest threshold raised in the month, and 1 when only the
-- plan was changed in it: the new one may have less credits. A charge changes `notified` once or twice a month.
CREATE INDEX ledger_near_limit ON ledger (account_id) WHERE notified > 0 AND closed_ms IS NULL;
