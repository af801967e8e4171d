-- Brings the tables of the last builds before version 0.1.0 to those of schema.sql. functions.sql comes before this file. The
-- transaction commits only if the result is the same as that of schema.sql.

DROP TRIGGER raise_version ON accounts;
DROP TRIGGER raise_version ON keys;
DROP TRIGGER add_inserted ON usage;
DROP TRIGGER add_updated ON usage;
DROP TRIGGER subtract_updated ON usage;
DROP TRIGGER subtract_deleted ON usage;
DROP TABLE usage_totals;
DROP FUNCTION raise_version, add_totals, subtract_totals, add_older_usage, apply_other_mutation;

-- Connections of still older builds had rows of their own.
WITH of_writers AS (DELETE FROM usage_sums RETURNING day, api, calls, credits)
INSERT INTO usage_sums (day, api, writer, calls, credits)
  SELECT day, api, -1, sum(calls), sum(credits) FROM of_writers GROUP BY day, api;
-- This drops the primary key too.
ALTER TABLE usage_sums DROP COLUMN writer;
ALTER TABLE usage_sums ADD PRIMARY KEY (day, api);

-- The rows were texts. One that is no JSON becomes a JSON string, and is set aside as others that cannot be read.
CREATE FUNCTION to_json_value(given text) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  RETURN given::jsonb;
EXCEPTION WHEN OTHERS THEN
  RETURN to_jsonb(given);
END $$;
ALTER TABLE usage_changes ALTER COLUMN entries TYPE jsonb USING to_json_value(entries);
DROP FUNCTION to_json_value;
CREATE TABLE usage_set_aside (entries jsonb NOT NULL, at_ms bigint NOT NULL DEFAULT now_ms());
WITH unread AS (DELETE FROM usage_changes WHERE NOT is_noted_usage(entries) RETURNING entries)
INSERT INTO usage_set_aside (entries) SELECT entries FROM unread;
ALTER TABLE usage_changes ADD CHECK (is_noted_usage(entries));

ALTER TABLE notices DROP CONSTRAINT notices_account_id_period_start_ms_threshold_key;

DROP INDEX notices_by_state;
CREATE INDEX notices_failed ON notices (raised_ms, id) WHERE state = 'failed';
DROP INDEX audit_by_actor_and_operation;
DROP INDEX history_credits_hours;
DROP TRIGGER keep_audit ON audit;
CREATE TRIGGER keep_audit BEFORE UPDATE OR TRUNCATE ON audit EXECUTE FUNCTION keep_audit();
CREATE TRIGGER keep_new_audit BEFORE DELETE ON audit FOR EACH ROW EXECUTE FUNCTION keep_audit();

UPDATE meta SET name = 'version', value = 1 WHERE name = 'schema';
