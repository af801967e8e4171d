-- Charges lock balances before accounts, so this does too.
LOCK TABLE ledger IN ACCESS EXCLUSIVE MODE;

-- Accounts are searched without regard to case. To make small letters of 100,000 names takes longer than to search them.
ALTER TABLE accounts
  ADD COLUMN lower_name text COLLATE "C" GENERATED ALWAYS AS (lower(name COLLATE "C")) STORED,
  ADD COLUMN lower_id text COLLATE "C" GENERATED ALWAYS AS (lower(id)) STORED;

CREATE INDEX audit_by_actor_and_operation ON audit (actor, operation, at_ms, id);

-- Accounts that may be near the limit of their month. `notified` is the highest threshold raised in the month, and 1 when only the
-- plan was changed in it: the new one may have less credits. A charge changes `notified` once or twice a month.
CREATE INDEX ledger_near_limit ON ledger (account_id) WHERE notified > 0 AND closed_ms IS NULL;

CREATE OR REPLACE FUNCTION raise_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ledger SET revision = revision + 1,
      notified = CASE WHEN TG_TABLE_NAME = 'accounts' AND to_jsonb(OLD) ->> 'plan' <> to_jsonb(NEW) ->> 'plan'
        THEN greatest(notified, 1) ELSE notified END
    WHERE account_id = CASE TG_TABLE_NAME
      WHEN 'accounts' THEN (to_jsonb(NEW) ->> 'id')
      WHEN 'keys' THEN (to_jsonb(NEW) ->> 'account_id')
      ELSE (SELECT keys.account_id FROM keys WHERE keys.id = to_jsonb(NEW) ->> 'key_id') END;
  RETURN NULL;
END $$;

-- Usage of all accounts together, also of the days that run. Instances write the usage of each statement that charges to
-- usage_changes, which has no index and no row that two of them would wait for. Now and then these rows are added to usage_sums.
-- Only older instances read usage_totals.
CREATE TABLE usage_sums (
  day     text COLLATE "C" NOT NULL,
  api     text COLLATE "C" NOT NULL,
  writer  integer NOT NULL, -- 0, or the connection of an older instance
  calls   bigint NOT NULL,
  credits bigint NOT NULL,
  PRIMARY KEY (day, api, writer)
);
CREATE TABLE usage_changes (
  entries text NOT NULL -- JSON: [[day, api, calls, credits], …]
) WITH (autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);

INSERT INTO usage_sums
  SELECT day, api, 0, sum(calls), sum(credits) FROM (
    SELECT day, api, calls, credits FROM usage_totals
    UNION ALL SELECT day, api_of(key) COLLATE "C", (value ->> 0)::bigint, (value ->> 1)::bigint FROM ledger, jsonb_each(booked)
  ) AS u GROUP BY day, api;

-- The usage of some groups of charges as entries: the group with the number n has the n-th element of each array. It has either one
-- API or items, which are JSON: {"api key": [calls, credits]}.
CREATE FUNCTION entries_of(numbers bigint[], days text[], apis text[], calls bigint[], credits bigint[], items text[]) RETURNS text
  LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN (SELECT coalesce(jsonb_agg(jsonb_build_array(days[n], api_of(key), value -> 0, value -> 1)), '[]')::text
    FROM unnest(numbers) AS n,
      jsonb_each(coalesce(items[n]::jsonb, jsonb_build_object(apis[n], jsonb_build_array(calls[n], credits[n])))));
END $$;

-- Adds what an older instance has charged. It acts as its owner, since the role of an older service has no right on the table.
CREATE FUNCTION add_older_usage(of_day text, before jsonb, after jsonb) RETURNS void LANGUAGE sql SECURITY DEFINER
  SET search_path FROM CURRENT AS $$
  INSERT INTO usage_sums (day, api, writer, calls, credits)
    SELECT of_day, api_of(key), pg_backend_pid(), sum(calls), sum(credits) FROM (
      SELECT key, (value ->> 0)::bigint AS calls, (value ->> 1)::bigint AS credits FROM jsonb_each(after)
      UNION ALL SELECT key, -(value ->> 0)::bigint, -(value ->> 1)::bigint FROM jsonb_each(before)) AS changes
    GROUP BY api_of(key) HAVING sum(calls) <> 0 OR sum(credits) <> 0 ORDER BY api_of(key)
  ON CONFLICT (day, api, writer)
    DO UPDATE SET calls = usage_sums.calls + excluded.calls, credits = usage_sums.credits + excluded.credits
$$;

-- One trigger in place of four, whose conditions took a statement 80 to 130 µs: PostgreSQL reads them anew for each statement. The
-- statement of a charge has these conditions itself, which are read once for each connection. It adds 2 to `charges` where one of
-- them is true, otherwise 1. Older instances add nothing.
ALTER TABLE ledger ADD COLUMN charges bigint NOT NULL DEFAULT 0;
CREATE FUNCTION before_charge() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_new_day CONSTANT boolean := OLD.day <> NEW.day OR OLD.period_start_ms <> NEW.period_start_ms;
  reached integer[];
  raised text[];
BEGIN
  IF is_new_day AND OLD.booked <> '{}' THEN
    PERFORM move_usage(OLD.account_id, OLD.period_start_ms, OLD.day, OLD.booked);
  END IF;
  IF NEW.charges = OLD.charges AND OLD.booked <> NEW.booked THEN
    PERFORM add_older_usage(NEW.day, CASE WHEN is_new_day THEN '{}' ELSE OLD.booked END, NEW.booked);
  END IF;

  -- A notice for each threshold that the charge reaches.
  IF NEW.allowance > 0 AND NEW.used * 100 >= NEW.allowance * current_setting('penknife.lowest_threshold', true)::bigint
      AND NEW.notified < current_setting('penknife.highest_threshold', true)::bigint THEN
    reached := ARRAY(
      SELECT threshold FROM unnest(string_to_array(current_setting('penknife.thresholds', true), ',')::integer[]) AS threshold
      WHERE threshold > NEW.notified AND NEW.used * 100 >= NEW.allowance * threshold ORDER BY threshold);
    IF cardinality(reached) > 0 THEN
      NEW.notified := reached[cardinality(reached)];
      WITH inserted AS (
        INSERT INTO notices (id, account_id, period_start_ms, threshold, plan, used, allowance, raised_ms, state, next_attempt_ms)
        SELECT 'msg_' || substr(encode(sha256(convert_to(concat_ws(' ', id, NEW.period_start_ms, threshold), 'UTF8')), 'hex'), 1, 32),
          id, NEW.period_start_ms, threshold, plan, NEW.used, NEW.allowance, now_ms(),
          CASE WHEN webhook_url IS NULL OR webhook_gone_ms IS NOT NULL THEN 'unsent' ELSE 'pending' END,
          CASE WHEN webhook_url IS NULL OR webhook_gone_ms IS NOT NULL THEN NULL ELSE now_ms() END
        FROM accounts, unnest(reached) AS threshold WHERE id = NEW.account_id
        ON CONFLICT (account_id, period_start_ms, threshold) DO NOTHING
        RETURNING id)
      SELECT array_agg(pg_notify('penknife_raised', concat_ws(' ', id, current_setting('penknife.instance', true)))::text)
        FROM inserted INTO raised;
    END IF;
  END IF;

  -- credits.exhausted, once a month. Only a session that charges has thresholds.
  IF NEW.bonus = 0 AND NEW.used >= NEW.allowance AND NEW.notified < 100
      AND current_setting('penknife.lowest_threshold', true) IS NOT NULL THEN
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
  END IF;

  -- The day's usage of many keys would make the row large, and each charge writes the row anew.
  IF pg_column_size(NEW.booked) > 1600 THEN
    PERFORM move_usage(NEW.account_id, NEW.period_start_ms, NEW.day, NEW.booked);
    NEW.booked := '{}';
  END IF;
  RETURN NEW;
END $$;
DROP TRIGGER close_day ON ledger;
DROP TRIGGER raise_notices ON ledger;
DROP TRIGGER raise_used_up ON ledger;
DROP TRIGGER shorten_day ON ledger;
DROP FUNCTION close_day, raise_notices, raise_used_up, shorten_day;
CREATE TRIGGER before_charge BEFORE UPDATE ON ledger FOR EACH ROW
  WHEN (NEW.charges <> OLD.charges + 1)
  EXECUTE FUNCTION before_charge();
