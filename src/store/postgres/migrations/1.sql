-- The same tables as in a data file of SQLite. Times are milliseconds since the Unix epoch. Identifiers are compared octet by
-- octet (COLLATE "C"), so that every process locks rows in the same order.
CREATE TABLE meta (
  name  text COLLATE "C" PRIMARY KEY,
  value bigint NOT NULL
);

CREATE TABLE accounts (
  id                    text COLLATE "C" PRIMARY KEY,
  name                  text NOT NULL,
  plan                  text NOT NULL,
  created_ms            bigint NOT NULL,
  webhook_url           text,
  webhook_secret        text, -- not hashed: signing needs it
  webhook_allow_private boolean NOT NULL DEFAULT false,
  webhook_gone_ms       bigint -- when its receiver answered 410
);

CREATE TABLE keys (
  id         text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
  name       text NOT NULL,
  prefix     text NOT NULL,
  created_ms bigint NOT NULL,
  expires_ms bigint,
  revoked_ms bigint,
  allow_apis text,          -- JSON array; null is all
  block_apis text NOT NULL, -- JSON array
  allow_ips  text,          -- JSON array of CIDR; null is any
  rate_limit integer        -- per minute; null is the plan's
);
CREATE INDEX keys_by_account ON keys (account_id);

-- A key has one current secret and, after rotations, older ones that still work until until_ms.
CREATE TABLE secrets (
  hash       text COLLATE "C" PRIMARY KEY, -- SHA-256 of the key, hexadecimal
  key_id     text COLLATE "C" NOT NULL REFERENCES keys (id),
  created_ms bigint NOT NULL,
  until_ms   bigint -- null: current
);
CREATE INDEX secrets_by_key ON secrets (key_id);

-- The fields of an account that a charge reads and writes. Half of each page stays free, so that a new version of a row finds
-- a place beside the old one and no index changes.
CREATE TABLE ledger (
  account_id      text COLLATE "C" PRIMARY KEY REFERENCES accounts (id),
  revision        bigint NOT NULL DEFAULT 1,     -- rises with every administrative change of the account or its keys
  closed_ms       bigint,
  period_start_ms bigint NOT NULL,               -- start of the month that used counts
  used            bigint NOT NULL CHECK (used >= 0),
  bonus           bigint NOT NULL CHECK (bonus >= 0),
  notified        integer NOT NULL DEFAULT 0,    -- the highest threshold raised in that month, in percent
  allowance       bigint,                        -- of the last charge; null is unlimited
  day             text COLLATE "C" NOT NULL DEFAULT '', -- YYYY-MM-DD, UTC
  booked          jsonb NOT NULL DEFAULT '{}'    -- that day's usage in that month, {api: [calls, credits]}
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

CREATE TABLE usage (
  account_id      text COLLATE "C" NOT NULL REFERENCES accounts (id),
  period_start_ms bigint NOT NULL, -- 0: counts in no month any more
  day             text COLLATE "C" NOT NULL,
  api             text COLLATE "C" NOT NULL,
  calls           bigint NOT NULL,
  credits         bigint NOT NULL,
  PRIMARY KEY (account_id, period_start_ms, day, api)
);

-- All usage, the current day included. A day may be in both parts.
CREATE VIEW all_usage AS
  SELECT account_id, period_start_ms, day, api, calls, credits FROM usage
  UNION ALL
  SELECT account_id, period_start_ms, day, key, (value ->> 0)::bigint, (value ->> 1)::bigint
  FROM ledger, jsonb_each(booked);

-- Rate-limit buckets. Not logged: after a crash of the database every bucket is full, which gives away a minute at most.
CREATE UNLOGGED TABLE rates (
  id         text COLLATE "C" PRIMARY KEY, -- of an account or a key
  full_at_us bigint NOT NULL,              -- when it is full again: microseconds since the Unix epoch
  ticks      bigint NOT NULL,              -- and so many parts of the microsecond, which has per_minute parts
  per_minute bigint NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- The outbox. A notice is inserted with the charge that raises it.
CREATE TABLE notices (
  id              text COLLATE "C" PRIMARY KEY,
  account_id      text COLLATE "C" NOT NULL REFERENCES accounts (id),
  period_start_ms bigint NOT NULL,
  threshold       integer NOT NULL, -- percent
  plan            text NOT NULL,
  used            bigint NOT NULL,
  allowance       bigint NOT NULL,
  raised_ms       bigint NOT NULL,
  state           text NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'unsent')),
  attempts        integer NOT NULL DEFAULT 0,
  waited_ms       bigint NOT NULL DEFAULT 0, -- between attempts, in all
  next_attempt_ms bigint CHECK ((next_attempt_ms IS NOT NULL) = (state = 'pending')), -- or the end of a lease
  last_status     integer,
  last_error      text,
  delivered_ms    bigint,
  UNIQUE (account_id, period_start_ms, threshold)
);
CREATE INDEX notices_waiting ON notices (next_attempt_ms) WHERE state = 'pending';

-- The delivery log.
CREATE TABLE notice_attempts (
  notice_id   text COLLATE "C" NOT NULL REFERENCES notices (id),
  attempt     integer NOT NULL, -- 1, 2, …
  at_ms       bigint NOT NULL,
  duration_ms bigint NOT NULL,
  status      integer,
  error       text,
  PRIMARY KEY (notice_id, attempt)
);

CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql STABLE
  AS $$ SELECT (extract(epoch FROM statement_timestamp()) * 1000)::bigint $$;

-- When the day or the month of a row ends, its usage moves to the usage table.
CREATE FUNCTION close_day() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO usage (account_id, period_start_ms, day, api, calls, credits)
    SELECT OLD.account_id, OLD.period_start_ms, OLD.day, key, (value ->> 0)::bigint, (value ->> 1)::bigint
    FROM jsonb_each(OLD.booked)
  ON CONFLICT (account_id, period_start_ms, day, api)
    DO UPDATE SET calls = usage.calls + excluded.calls, credits = usage.credits + excluded.credits;
  RETURN NEW;
END $$;
CREATE TRIGGER close_day BEFORE UPDATE ON ledger FOR EACH ROW
  WHEN (OLD.booked <> '{}' AND (OLD.day <> NEW.day OR OLD.period_start_ms <> NEW.period_start_ms))
  EXECUTE FUNCTION close_day();

-- Raises a notice for each threshold that a charge reaches. The session says the thresholds, penknife.thresholds = '80,95', the
-- lowest and the highest of them, and its instance, so that only one instance logs the notice. The function is called only when
-- the lowest is reached and the highest was not: a call costs more than the rest of a charge.
CREATE FUNCTION raise_notices() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  reached integer[];
  raised text[];
BEGIN
  reached := ARRAY(
    SELECT threshold FROM unnest(string_to_array(current_setting('penknife.thresholds', true), ',')::integer[]) AS threshold
    WHERE threshold > NEW.notified AND NEW.used * 100 >= NEW.allowance * threshold ORDER BY threshold);
  IF cardinality(reached) = 0 THEN RETURN NEW; END IF;
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
  RETURN NEW;
END $$;
CREATE TRIGGER raise_notices BEFORE UPDATE ON ledger FOR EACH ROW
  WHEN (NEW.allowance > 0
    AND NEW.used * 100 >= NEW.allowance * current_setting('penknife.lowest_threshold', true)::bigint
    AND NEW.notified < current_setting('penknife.highest_threshold', true)::bigint)
  EXECUTE FUNCTION raise_notices();

-- An administrative change raises the account's revision, which ends charges under what was known before, and tells all
-- instances.
CREATE FUNCTION announce() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('penknife_changed', NEW.account_id);
  RETURN NULL;
END $$;
CREATE TRIGGER announce AFTER UPDATE OF revision ON ledger FOR EACH ROW
  WHEN (OLD.revision <> NEW.revision) EXECUTE FUNCTION announce();

CREATE FUNCTION raise_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ledger SET revision = revision + 1 WHERE account_id = CASE TG_TABLE_NAME
    WHEN 'accounts' THEN (to_jsonb(NEW) ->> 'id')
    WHEN 'keys' THEN (to_jsonb(NEW) ->> 'account_id')
    ELSE (SELECT keys.account_id FROM keys WHERE keys.id = to_jsonb(NEW) ->> 'key_id') END;
  RETURN NULL;
END $$;
CREATE TRIGGER raise_revision AFTER UPDATE OF plan, created_ms ON accounts FOR EACH ROW EXECUTE FUNCTION raise_revision();
CREATE TRIGGER raise_revision AFTER INSERT OR UPDATE ON keys FOR EACH ROW EXECUTE FUNCTION raise_revision();
CREATE TRIGGER raise_revision AFTER INSERT OR UPDATE ON secrets FOR EACH ROW EXECUTE FUNCTION raise_revision();

-- Adds the usage of some calls to the usage of a day; both are {api: [calls, credits]}.
CREATE FUNCTION add_usage(day_usage jsonb, more jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_object_agg(key, jsonb_build_array(calls, credits)) FROM (
    SELECT key, sum((value ->> 0)::bigint) AS calls, sum((value ->> 1)::bigint) AS credits
    FROM (SELECT * FROM jsonb_each(day_usage) UNION ALL SELECT * FROM jsonb_each(more)) AS both_usages GROUP BY key) AS sums
$$;

-- Counts calls against buckets, in one statement. Each element of `takes` is {"buckets": [{"id", "limit"}, …], "count"}: so many
-- calls that all take from the same buckets. A call is granted if all its buckets grant it. The rows are locked in the order of
-- their ids, and the clock is read after that, so that two instances never disagree. Gives, per element, the ticks until each
-- bucket was full before its first call, and how many calls were granted. The algorithm is that of rate-bucket.ts.
CREATE FUNCTION take_rates(takes jsonb) RETURNS TABLE (calls_granted integer, ticks_before float8[]) LANGUAGE plpgsql AS $$
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

-- Records an attempt to deliver a notice; a delivered notice stays delivered, whatever a slower worker reports.
CREATE FUNCTION record_attempt(notice text, webhook text, started_ms bigint, took_ms bigint, http_status integer, problem text,
  result text, delay_ms bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  ended_ms CONSTANT bigint := started_ms + took_ms;
  account text;
  new_state text := CASE result WHEN 'delivered' THEN 'delivered' WHEN 'failed' THEN 'failed' ELSE 'pending' END;
BEGIN
  UPDATE notices SET attempts = attempts + 1 WHERE id = notice RETURNING account_id INTO account;
  IF NOT FOUND THEN RETURN; END IF;
  INSERT INTO notice_attempts (notice_id, attempt, at_ms, duration_ms, status, error)
    SELECT id, attempts, started_ms, took_ms, http_status, problem FROM notices WHERE id = notice;
  IF result = 'gone' THEN
    -- The 410 of a webhook that was replaced meanwhile does not end the notice: the new webhook gets its attempt.
    UPDATE accounts SET webhook_gone_ms = coalesce(webhook_gone_ms, ended_ms) WHERE id = account AND webhook_secret = webhook;
    IF FOUND THEN
      new_state := 'failed';
      UPDATE notices SET state = 'failed', next_attempt_ms = NULL, last_error = 'the receiver is gone'
        WHERE account_id = account AND id <> notice AND state = 'pending';
    END IF;
  END IF;
  UPDATE notices SET state = new_state, waited_ms = waited_ms + delay_ms,
      next_attempt_ms = CASE new_state WHEN 'pending' THEN ended_ms + delay_ms END,
      last_status = http_status, last_error = problem, delivered_ms = CASE new_state WHEN 'delivered' THEN ended_ms END
    WHERE id = notice AND (state = 'pending' OR (new_state = 'delivered' AND state <> 'delivered'));
END $$;

-- Starts a new credit month. Usage that was recorded in a month with the same start then counts in no month.
CREATE FUNCTION renew_month(account text, new_created_ms bigint, new_period_ms bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  -- Moves the day's usage to the usage table.
  UPDATE ledger SET day = '', booked = '{}' WHERE account_id = account;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE ledger SET period_start_ms = new_period_ms, used = 0, notified = 0, revision = revision + 1
    WHERE account_id = account;
  INSERT INTO usage (account_id, period_start_ms, day, api, calls, credits)
    SELECT account_id, 0, day, api, calls, credits FROM usage WHERE account_id = account AND period_start_ms = new_period_ms
  ON CONFLICT (account_id, period_start_ms, day, api)
    DO UPDATE SET calls = usage.calls + excluded.calls, credits = usage.credits + excluded.credits;
  DELETE FROM usage WHERE account_id = account AND period_start_ms = new_period_ms;
  UPDATE accounts SET created_ms = new_created_ms WHERE id = account;
  RETURN true;
END $$;

INSERT INTO meta VALUES ('schema', 1), ('oldest', 1), ('probes', 0);
