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

UPDATE meta SET name = 'version', value = 1 WHERE name = 'schema';
