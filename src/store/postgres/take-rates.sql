-- Takes from one bucket each, in one statement on the database's clock. The rows are locked in the order of their ids, and the
-- clock is read after that. So does `take_rates`, whose statements for each bucket cost up to three times as much. Buckets
-- without a row are left out. A minute has 60000000 microseconds, and a call takes as many ticks: see sqlite/rates.ts.
WITH locked AS MATERIALIZED (
  SELECT r.*, x.calls, x.calls_per_minute, x.number FROM unnest($1::text[], $2::bigint[], $3::bigint[])
    WITH ORDINALITY AS x (id, calls_per_minute, calls, number) JOIN rates r ON r.id = x.id ORDER BY r.id FOR UPDATE OF r),
clock AS MATERIALIZED (
  SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now_us FROM (SELECT count(*) FROM locked) AS all_locked),
filled AS MATERIALIZED (
  SELECT id, number, calls, calls_per_minute, now_us,
    -- At most a minute away: a later time was written before the clock was set back.
    least(greatest(least(greatest(full_at_us - now_us, -1), 60000000) * calls_per_minute + CASE
      WHEN per_minute = calls_per_minute THEN ticks
      ELSE (ticks * calls_per_minute + per_minute - 1) / per_minute END, 0), 60000000 * calls_per_minute) AS fill
  FROM locked, clock),
taken AS MATERIALIZED (
  SELECT *, least(calls, (60000000 * calls_per_minute - fill) / 60000000) AS granted FROM filled)
UPDATE rates r SET full_at_us = now_us + (fill + granted * 60000000) / calls_per_minute,
  ticks = (fill + granted * 60000000) % calls_per_minute, per_minute = calls_per_minute
FROM taken t WHERE r.id = t.id
RETURNING t.number::float8 AS number, t.granted::float8 AS granted, ARRAY[t.fill::float8] AS "ticksBefore"
