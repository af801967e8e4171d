-- Usage of all accounts together, of days that have been moved to `usage`. Each connection has its own rows (`writer`): charges of
-- two instances would otherwise wait for each other, or lock the same rows in different orders.
CREATE TABLE usage_totals (
  day     text COLLATE "C" NOT NULL,
  api     text COLLATE "C" NOT NULL,
  writer  integer NOT NULL,
  calls   bigint NOT NULL,
  credits bigint NOT NULL,
  PRIMARY KEY (day, api, writer)
);

-- Triggers keep the sums, since older instances change `usage` too. They act as their owner, so that a role needs no new right
-- before it is updated.
CREATE FUNCTION add_totals() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO usage_totals (day, api, writer, calls, credits)
    SELECT day, api, pg_backend_pid(), sum(calls), sum(credits) FROM added GROUP BY day, api ORDER BY day, api
  ON CONFLICT (day, api, writer)
    DO UPDATE SET calls = usage_totals.calls + excluded.calls, credits = usage_totals.credits + excluded.credits;
  RETURN NULL;
END $$;
CREATE FUNCTION subtract_totals() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO usage_totals (day, api, writer, calls, credits)
    SELECT day, api, pg_backend_pid(), -sum(calls), -sum(credits) FROM removed GROUP BY day, api ORDER BY day, api
  ON CONFLICT (day, api, writer)
    DO UPDATE SET calls = usage_totals.calls + excluded.calls, credits = usage_totals.credits + excluded.credits;
  RETURN NULL;
END $$;
-- These wait until nobody writes to `usage`, and let nobody write until the sums below are made.
CREATE TRIGGER add_inserted AFTER INSERT ON usage REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION add_totals();
CREATE TRIGGER add_updated AFTER UPDATE ON usage REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION add_totals();
CREATE TRIGGER subtract_updated AFTER UPDATE ON usage REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION subtract_totals();
CREATE TRIGGER subtract_deleted AFTER DELETE ON usage REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION subtract_totals();

INSERT INTO usage_totals SELECT day, api, 0, sum(calls), sum(credits) FROM usage GROUP BY day, api;
