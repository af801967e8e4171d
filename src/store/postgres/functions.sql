-- The functions of the database, each in its newest form: a new database runs this file before schema.sql, and an update runs it
-- again after its steps. Instances of the version before call them too, so a signature is never changed.

-- Time and usage --------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql STABLE
  AS $$ SELECT (extract(epoch FROM statement_timestamp()) * 1000)::bigint $$;

-- The parts of the name of an entry in the usage of a day, "api key".
CREATE OR REPLACE FUNCTION api_of(entry text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT split_part(entry, ' ', 1) $$;
CREATE OR REPLACE FUNCTION key_of(entry text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT substr(entry, strpos(entry || ' ', ' ') + 1) $$;

-- Adds the usage of some calls to the usage of a day; both are {"api key": [calls, credits]}.
CREATE OR REPLACE FUNCTION add_usage(day_usage jsonb, more jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_object_agg(key, jsonb_build_array(calls, credits)) FROM (
    SELECT key, sum((value ->> 0)::bigint) AS calls, sum((value ->> 1)::bigint) AS credits
    FROM (SELECT * FROM jsonb_each(day_usage) UNION ALL SELECT * FROM jsonb_each(more)) AS both_usages GROUP BY key) AS sums
$$;

-- Adds the usage of a day to the tables by API and by key.
CREATE OR REPLACE FUNCTION move_usage(account text, period_ms bigint, of_day text, entries jsonb) RETURNS void
  LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO usage (account_id, period_start_ms, day, api, calls, credits, key_calls, key_credits)
    SELECT account, period_ms, of_day, api_of(key), sum((value ->> 0)::bigint), sum((value ->> 1)::bigint),
      coalesce(sum((value ->> 0)::bigint) FILTER (WHERE key_of(key) <> ''), 0),
      coalesce(sum((value ->> 1)::bigint) FILTER (WHERE key_of(key) <> ''), 0)
    FROM jsonb_each(entries) GROUP BY api_of(key)
  ON CONFLICT (account_id, period_start_ms, day, api)
    DO UPDATE SET calls = usage.calls + excluded.calls, credits = usage.credits + excluded.credits,
      key_calls = usage.key_calls + excluded.key_calls, key_credits = usage.key_credits + excluded.key_credits;
  INSERT INTO key_usage (account_id, day, key_id, api, calls, credits)
    SELECT account, of_day, key_of(key), api_of(key), (value ->> 0)::bigint, (value ->> 1)::bigint
    FROM jsonb_each(entries) WHERE key_of(key) <> ''
  ON CONFLICT (account_id, day, key_id, api)
    DO UPDATE SET calls = key_usage.calls + excluded.calls, credits = key_usage.credits + excluded.credits;
END $$;

-- The usage of some groups of charges as JSON, [[day, api, calls, credits], …]. The group with the number n has the n-th element
-- of each array: one API, or items as JSON, {"api key": [calls, credits]}.
CREATE OR REPLACE FUNCTION entries_of(numbers bigint[], days text[], apis text[], calls bigint[], credits bigint[], items text[])
  RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN (SELECT coalesce(jsonb_agg(jsonb_build_array(days[n], api_of(key), value -> 0, value -> 1)), '[]')::text
    FROM unnest(numbers) AS n,
      jsonb_each(coalesce(items[n]::jsonb, jsonb_build_object(apis[n], jsonb_build_array(calls[n], credits[n])))));
END $$;

-- Whether usage is of the form [[day, api, calls, credits], …].
CREATE OR REPLACE FUNCTION is_noted_usage(entries jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN jsonb_typeof(entries) = 'array' THEN jsonb_array_length(entries) = jsonb_array_length(jsonb_path_query_array(
    entries, 'strict $[*] ? (@.size() == 4 && @[0].type() == "string" && @[1].type() == "string"
      && @[2] >= 0 && @[2] <= 9007199254740991 && @[2].floor() == @[2]
      && @[3] >= 0 && @[3] <= 9007199254740991 && @[3].floor() == @[3])')) ELSE false END
$$;

-- Charges ---------------------------------------------------------------------------------------------------

-- Raises a notice of an account: of a threshold in percent, or credits.exhausted without one. The session names its instance, so
-- that only this one logs the notice.
CREATE OR REPLACE FUNCTION raise_notice(account text, period_ms bigint, now_used bigint, now_allowance bigint, reached integer)
  RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  raised text;
BEGIN
  INSERT INTO notices (id, account_id, type, data, period_start_ms, threshold, plan, used, allowance, raised_ms, state,
      next_attempt_ms)
    SELECT 'msg_' || substr(encode(sha256(convert_to(
        concat_ws(' ', id, period_ms, coalesce(reached::text, 'credits.exhausted')), 'UTF8')), 'hex'), 1, 32),
      id, CASE WHEN reached IS NULL THEN 'credits.exhausted' ELSE 'credits.threshold_reached' END,
      CASE WHEN reached IS NULL THEN '{}' END, period_ms, reached, plan, now_used, now_allowance, now_ms(),
      CASE WHEN webhook_url IS NULL OR webhook_gone_ms IS NOT NULL THEN 'unsent' ELSE 'pending' END,
      CASE WHEN webhook_url IS NULL OR webhook_gone_ms IS NOT NULL THEN NULL ELSE now_ms() END
    FROM accounts WHERE id = account AND (reached IS NOT NULL OR events LIKE '%"credits.exhausted"%')
  ON CONFLICT DO NOTHING
  RETURNING id INTO raised;
  IF FOUND THEN
    PERFORM pg_notify('penknife_raised', concat_ws(' ', raised, current_setting('penknife.instance', true)));
  END IF;
END $$;

-- A charge also ends the day or the month, raises notices, and keeps the row short. The session names the
-- thresholds, penknife.thresholds = '80,95', with the lowest and the highest of them.
CREATE OR REPLACE FUNCTION before_charge() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  reached integer[] := '{}';
  threshold integer;
BEGIN
  IF OLD.booked <> '{}' AND (OLD.day <> NEW.day OR OLD.period_start_ms <> NEW.period_start_ms OR NEW.booked = '{}') THEN
    PERFORM move_usage(OLD.account_id, OLD.period_start_ms, OLD.day, OLD.booked);
  END IF;

  IF NEW.allowance > 0 AND NEW.used * 100 >= NEW.allowance * current_setting('penknife.lowest_threshold', true)::bigint
      AND NEW.notified < current_setting('penknife.highest_threshold', true)::bigint THEN
    SELECT coalesce(array_agg(t ORDER BY t), '{}'), coalesce(max(t), NEW.notified) INTO reached, NEW.notified
      FROM unnest(string_to_array(current_setting('penknife.thresholds', true), ',')::integer[]) AS t
      WHERE t > NEW.notified AND NEW.used * 100 >= NEW.allowance * t;
  END IF;

  -- credits.exhausted, once a month, before the thresholds. Only a session that charges has thresholds.
  IF NEW.bonus = 0 AND NEW.used >= NEW.allowance AND NEW.notified < 100
      AND current_setting('penknife.lowest_threshold', true) IS NOT NULL THEN
    NEW.notified := 100;
    PERFORM raise_notice(NEW.account_id, NEW.period_start_ms, NEW.used, NEW.allowance, NULL);
  END IF;
  FOREACH threshold IN ARRAY reached LOOP
    PERFORM raise_notice(NEW.account_id, NEW.period_start_ms, NEW.used, NEW.allowance, threshold);
  END LOOP;

  -- The day's usage of many keys would make the row large, and each charge writes the row anew.
  IF pg_column_size(NEW.booked) > 1600 THEN
    PERFORM move_usage(NEW.account_id, NEW.period_start_ms, NEW.day, NEW.booked);
    NEW.booked := '{}';
  END IF;
  RETURN NEW;
END $$;

-- Counts calls against buckets, in one statement. Each element of `takes` is {"buckets": [{"id", "limit"}, …], "count"}: so many
-- calls that all take from the same buckets. A call is granted if all its buckets grant it. The rows are locked in the order of
-- their ids, and the clock is read after that, so that two instances never disagree. Returns, for each element, the ticks until
-- each bucket was full before its first call, and how many calls were granted. The algorithm is that of sqlite/rates.ts.
CREATE OR REPLACE FUNCTION take_rates(takes jsonb) RETURNS TABLE (calls_granted integer, ticks_before float8[])
  LANGUAGE plpgsql AS $$
DECLARE
  minute_us CONSTANT bigint := 60000000;
  one jsonb;
  bucket jsonb;
  stored rates;
  now_us bigint;
  calls_per_minute bigint;
  fill bigint;
  fills bigint[];
BEGIN
  INSERT INTO rates (id, full_at_us, ticks, per_minute)
    SELECT DISTINCT b ->> 'id', 0, 0, 1 FROM jsonb_array_elements(takes) t, jsonb_array_elements(t -> 'buckets') b ORDER BY 1
  ON CONFLICT DO NOTHING;
  PERFORM 1 FROM rates WHERE id IN (
    SELECT b ->> 'id' FROM jsonb_array_elements(takes) t, jsonb_array_elements(t -> 'buckets') b) ORDER BY id FOR UPDATE;
  now_us := (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
  FOR one IN SELECT * FROM jsonb_array_elements(takes) LOOP
    calls_granted := (one ->> 'count')::integer;
    fills := '{}';
    FOR bucket IN SELECT * FROM jsonb_array_elements(one -> 'buckets') LOOP
      calls_per_minute := (bucket ->> 'limit')::bigint;
      SELECT * INTO stored FROM rates WHERE id = bucket ->> 'id';
      -- At most a minute away: a later time was written before the clock was set back.
      fill := least(greatest(stored.full_at_us - now_us, -1), minute_us) * calls_per_minute + CASE
        WHEN stored.per_minute = calls_per_minute THEN stored.ticks
        ELSE (stored.ticks * calls_per_minute + stored.per_minute - 1) / stored.per_minute END;
      fill := least(greatest(fill, 0), minute_us * calls_per_minute);
      fills := fills || fill;
      calls_granted := least(calls_granted, (minute_us * calls_per_minute - fill) / minute_us);
    END LOOP;
    ticks_before := fills;
    FOR i IN 1 .. cardinality(fills) LOOP
      bucket := one -> 'buckets' -> (i - 1);
      calls_per_minute := (bucket ->> 'limit')::bigint;
      fill := fills[i] + calls_granted * minute_us;
      UPDATE rates SET full_at_us = now_us + fill / calls_per_minute, ticks = fill % calls_per_minute, per_minute = calls_per_minute
        WHERE id = bucket ->> 'id';
    END LOOP;
    RETURN NEXT;
  END LOOP;
END $$;

-- Administration --------------------------------------------------------------------------------------------

-- An administrative change raises the account's revision, which ends charges under older data, and tells all instances.
CREATE OR REPLACE FUNCTION announce() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('penknife_changed', NEW.account_id);
  RETURN NULL;
END $$;

-- Raises the revision of an account whose row, keys or secrets were changed, also by hand.
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

CREATE OR REPLACE FUNCTION keep_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.at_ms < (SELECT value FROM meta WHERE name = 'audit_from_ms')
      AND OLD.operation NOT IN ('accounts.close', 'accounts.reopen', 'accounts.update', 'credits.renew') THEN RETURN OLD; END IF;
  END IF;
  RAISE EXCEPTION 'audit records cannot be changed or deleted';
END $$;

-- The trigger of tables whose rows are only added.
CREATE OR REPLACE FUNCTION keep_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % cannot be changed or deleted', TG_TABLE_NAME;
END $$;

-- The parts of a name for searches, of one, two and three characters.
CREATE OR REPLACE FUNCTION name_parts(name text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  parts text[] := '{}';
BEGIN
  FOR place IN 1 .. char_length(name) LOOP
    parts := parts || ARRAY[substr(name, place, 1), substr(name, place, 2), substr(name, place, 3)];
  END LOOP;
  RETURN parts;
END $$;

-- Mail ------------------------------------------------------------------------------------------------------

-- Mails a notice, if its account has chosen so. Rows that a move brings were sent before.
CREATE OR REPLACE FUNCTION mail_notice() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  chosen text;
  address text;
BEGIN
  SELECT notify, email INTO chosen, address FROM accounts WHERE id = NEW.account_id;
  IF chosen = 'webhook' OR EXISTS (SELECT FROM meta WHERE name = 'moving') THEN RETURN NULL; END IF;
  IF chosen <> 'both' THEN
    UPDATE notices SET state = 'unsent', next_attempt_ms = NULL WHERE id = NEW.id AND state = 'pending';
  END IF;
  IF chosen <> 'none' AND address IS NOT NULL THEN
    INSERT INTO mails (id, account_id, recipient, template, data, raised_ms, state, next_attempt_ms)
      VALUES ('mail_' || replace(NEW.id, 'msg_', ''), NEW.account_id, address, 'notice',
        json_build_object('notice', NEW.id, 'type', NEW.type, 'account', NEW.account_id, 'plan', NEW.plan,
          'threshold', NEW.threshold, 'used', NEW.used, 'allowance', NEW.allowance, 'data', NEW.data)::text,
        NEW.raised_ms, 'pending', NEW.raised_ms)
    ON CONFLICT (id) DO NOTHING;
    UPDATE notices SET mailed = FOUND WHERE id = NEW.id;
  END IF;
  RETURN NULL;
END $$;

-- Applies a change of the administration, all its steps or none: a list of {"sql", "args", "else"} as change-steps.ts makes them.
-- The statement's only parameter is "args". A step that meets no row ends the change with "else", if it has that. It runs with the
-- rights of the caller, who could run each statement alone.
CREATE OR REPLACE FUNCTION apply_change(steps jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  step jsonb;
  met bigint;
  violated text;
BEGIN
  FOR step IN SELECT * FROM jsonb_array_elements(steps) LOOP
    EXECUTE step ->> 'sql' USING step -> 'args';
    GET DIAGNOSTICS met = ROW_COUNT;
    -- Undoes what came before.
    IF met = 0 AND step ? 'else' THEN RAISE EXCEPTION USING ERRCODE = 'PK001', MESSAGE = step ->> 'else'; END IF;
  END LOOP;
  RETURN 'applied';
EXCEPTION
  WHEN SQLSTATE 'PK001' THEN RETURN SQLERRM;
  WHEN unique_violation THEN
    GET STACKED DIAGNOSTICS violated = CONSTRAINT_NAME;
    IF violated IN ('accounts_by_external_id', 'accounts_by_email') THEN RETURN 'taken'; END IF;
    RAISE;
END $$;
