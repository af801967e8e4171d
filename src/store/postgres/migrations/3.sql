-- For events that come with time: keys that expire soon, and months that begin, which they do at the account's time of day.
CREATE INDEX keys_by_expiry ON keys (expires_ms, id) WHERE expires_ms IS NOT NULL AND revoked_ms IS NULL;
CREATE INDEX accounts_by_time_of_day ON accounts ((created_ms % 86400000), id) WHERE events <> '[]';

-- Raises credits.exhausted once a month, in the transaction of the charge that finds all credits used up. Its name is the last of
-- the triggers on this table, which run in the order of their names: the thresholds come first. Only a session that charges
-- has thresholds.
CREATE FUNCTION raise_used_up() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  raised text[];
BEGIN
  NEW.notified := 100;
  WITH inserted AS (
    INSERT INTO notices (id, account_id, type, data, period_start_ms, plan, used, allowance, raised_ms, state, next_attempt_ms)
    SELECT 'msg_' || substr(encode(sha256(convert_to(concat_ws(' ', id, NEW.period_start_ms, 'credits.exhausted'), 'UTF8')), 'hex'),
        1, 32),
      id, 'credits.exhausted', '{}', NEW.period_start_ms, plan, NEW.used, NEW.allowance, now_ms(),
      CASE WHEN webhook_url IS NULL OR webhook_gone_ms IS NOT NULL THEN 'unsent' ELSE 'pending' END,
      CASE WHEN webhook_url IS NULL OR webhook_gone_ms IS NOT NULL THEN NULL ELSE now_ms() END
    FROM accounts WHERE id = NEW.account_id AND events LIKE '%"credits.exhausted"%'
    ON CONFLICT (id) DO NOTHING
    RETURNING id)
  SELECT array_agg(pg_notify('penknife_raised', concat_ws(' ', id, current_setting('penknife.instance', true)))::text)
    FROM inserted INTO raised;
  RETURN NEW;
END $$;
CREATE TRIGGER raise_used_up BEFORE UPDATE ON ledger FOR EACH ROW
  WHEN (NEW.bonus = 0 AND NEW.used >= NEW.allowance AND NEW.notified < 100
    AND current_setting('penknife.lowest_threshold', true) IS NOT NULL)
  EXECUTE FUNCTION raise_used_up();
