CREATE INDEX accounts_by_plan ON accounts (plan, created_ms, id, name);
