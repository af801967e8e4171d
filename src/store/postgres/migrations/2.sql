-- What the administration keeps. Everything is added beside what is there, so that older instances work on.
ALTER TABLE accounts
  ADD COLUMN version bigint NOT NULL DEFAULT 1, -- rises with each change by an operator
  ADD COLUMN external_id text COLLATE "C",      -- the operator's own id
  ADD COLUMN metadata text NOT NULL DEFAULT '{}', -- JSON object
  ADD COLUMN events text NOT NULL DEFAULT '[]'; -- JSON array: types of events for the webhook
CREATE INDEX accounts_by_creation ON accounts (created_ms, id);
CREATE UNIQUE INDEX accounts_by_external_id ON accounts (external_id) WHERE external_id IS NOT NULL;
CREATE INDEX ledger_closed ON ledger (account_id) WHERE closed_ms IS NOT NULL;

ALTER TABLE keys
  ADD COLUMN version bigint NOT NULL DEFAULT 1,
  ADD COLUMN disabled_ms bigint, -- null: the key may be used
  ADD COLUMN external_id text COLLATE "C",
  ADD COLUMN metadata text NOT NULL DEFAULT '{}';
DROP INDEX keys_by_account;
CREATE INDEX keys_by_account ON keys (account_id, created_ms, id);
CREATE INDEX keys_by_creation ON keys (created_ms, id);
CREATE INDEX keys_by_external_id ON keys (external_id, created_ms, id) WHERE external_id IS NOT NULL;

-- An older instance does not raise versions itself.
CREATE FUNCTION raise_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.version := OLD.version + 1;
  RETURN NEW;
END $$;
CREATE TRIGGER raise_version BEFORE UPDATE OF plan ON accounts FOR EACH ROW
  WHEN (NEW.version = OLD.version) EXECUTE FUNCTION raise_version();
CREATE TRIGGER raise_version BEFORE UPDATE ON keys FOR EACH ROW
  WHEN (NEW.version = OLD.version) EXECUTE FUNCTION raise_version();

CREATE TABLE admin_keys (
  id          text COLLATE "C" PRIMARY KEY,
  hash        text COLLATE "C" NOT NULL UNIQUE, -- SHA-256 of the key, hexadecimal
  name        text NOT NULL,
  prefix      text NOT NULL,
  permissions text NOT NULL, -- JSON array
  created_ms  bigint NOT NULL,
  expires_ms  bigint,
  revoked_ms  bigint
);
CREATE INDEX admin_keys_by_creation ON admin_keys (created_ms, id);

-- Who changed what. Rows are never changed or deleted.
CREATE TABLE audit (
  id          text COLLATE "C" PRIMARY KEY,
  at_ms       bigint NOT NULL,
  actor       text COLLATE "C" NOT NULL,
  actor_name  text NOT NULL,
  operation   text COLLATE "C" NOT NULL,
  target_kind text NOT NULL,
  target_id   text COLLATE "C" NOT NULL,
  account_id  text COLLATE "C",
  before_json text,
  after_json  text,
  source      text NOT NULL,
  request_id  text NOT NULL
);
CREATE INDEX audit_by_time ON audit (at_ms, id);
CREATE INDEX audit_by_actor ON audit (actor, at_ms, id);
CREATE INDEX audit_by_operation ON audit (operation, at_ms, id);
CREATE INDEX audit_by_target ON audit (target_id, at_ms, id);
CREATE INDEX audit_by_account ON audit (account_id, at_ms, id);
CREATE FUNCTION keep_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit records cannot be changed or deleted';
END $$;
CREATE TRIGGER keep_audit BEFORE UPDATE OR DELETE OR TRUNCATE ON audit EXECUTE FUNCTION keep_audit();

-- Changes that a client may ask for again with the same Idempotency-Key.
CREATE TABLE replays (
  actor        text COLLATE "C" NOT NULL,
  key          text COLLATE "C" NOT NULL,
  payload_hash text NOT NULL,
  operation    text NOT NULL,
  target_id    text NOT NULL,
  created_ms   bigint NOT NULL,
  answer       text, -- JSON; null until it is known
  PRIMARY KEY (actor, key)
);
CREATE INDEX replays_by_creation ON replays (created_ms);

-- Notices of other kinds than thresholds have their data as JSON, and no threshold.
ALTER TABLE notices
  ADD COLUMN type text NOT NULL DEFAULT 'credits.threshold_reached',
  ADD COLUMN data text, -- JSON; null for a threshold
  ALTER COLUMN threshold DROP NOT NULL,
  ALTER COLUMN allowance DROP NOT NULL,
  ADD CHECK ((data IS NULL) = (threshold IS NOT NULL AND allowance IS NOT NULL));
CREATE INDEX notice_attempts_by_time ON notice_attempts (at_ms, notice_id, attempt);
CREATE INDEX notices_by_time ON notices (raised_ms, id);
CREATE INDEX notices_by_account ON notices (account_id, raised_ms, id);
CREATE INDEX notices_by_state ON notices (state, raised_ms, id);

-- One change of one row, as admin-store.ts describes it. A version of null changes any version. Unless the answer is 'applied',
-- the caller must undo what came before.
CREATE FUNCTION apply_account_mutation(mutation jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  account CONSTANT jsonb := mutation -> 'account';
  given CONSTANT jsonb := mutation -> 'set';
  stored_version bigint;
BEGIN
  CASE mutation ->> 'kind'
  WHEN 'account.insert' THEN
    INSERT INTO accounts (id, name, plan, created_ms, version, external_id, metadata, events)
      VALUES (account ->> 'id', account ->> 'name', account ->> 'plan', (account ->> 'createdMs')::bigint,
        (account ->> 'version')::bigint, account ->> 'externalId', account ->> 'metadata', account ->> 'events');
    INSERT INTO ledger (account_id, closed_ms, period_start_ms, used, bonus)
      VALUES (account ->> 'id', (account ->> 'closedMs')::bigint, (account ->> 'periodStartMs')::bigint,
        (account ->> 'used')::bigint, (account ->> 'bonus')::bigint);
  WHEN 'account.update' THEN
    SELECT version INTO stored_version FROM accounts WHERE id = mutation ->> 'id';
    IF NOT FOUND THEN RETURN 'missing'; END IF;
    IF (mutation ->> 'version')::bigint <> stored_version THEN RETURN 'conflict'; END IF;
    UPDATE accounts SET version = version + 1,
        name = CASE WHEN given ? 'name' THEN given ->> 'name' ELSE name END,
        plan = CASE WHEN given ? 'plan' THEN given ->> 'plan' ELSE plan END,
        external_id = CASE WHEN given ? 'externalId' THEN given ->> 'externalId' ELSE external_id END,
        metadata = CASE WHEN given ? 'metadata' THEN given ->> 'metadata' ELSE metadata END,
        events = CASE WHEN given ? 'events' THEN given ->> 'events' ELSE events END
      WHERE id = mutation ->> 'id';
    IF given ? 'closedMs' THEN
      UPDATE ledger SET closed_ms = (given ->> 'closedMs')::bigint WHERE account_id = mutation ->> 'id';
    END IF;
  WHEN 'account.grant' THEN
    UPDATE ledger SET bonus = bonus + (mutation ->> 'credits')::bigint
      WHERE account_id = mutation ->> 'id' AND bonus <= (mutation ->> 'maxBonus')::bigint - (mutation ->> 'credits')::bigint;
    IF NOT FOUND THEN
      PERFORM 1 FROM ledger WHERE account_id = mutation ->> 'id';
      RETURN CASE WHEN FOUND THEN 'tooMuch' ELSE 'missing' END;
    END IF;
  WHEN 'account.renew' THEN
    IF NOT renew_month(mutation ->> 'id', (mutation ->> 'createdMs')::bigint, (mutation ->> 'periodStartMs')::bigint) THEN
      RETURN 'missing';
    END IF;
  END CASE;
  RETURN 'applied';
END $$;

CREATE FUNCTION apply_key_mutation(mutation jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  key CONSTANT jsonb := mutation -> 'key';
  given CONSTANT jsonb := mutation -> 'set';
  changed_id CONSTANT text := coalesce(key ->> 'id', mutation ->> 'id');
  until CONSTANT bigint := (mutation ->> 'othersUntilMs')::bigint;
  stored_version bigint;
BEGIN
  IF mutation ->> 'kind' = 'key.insert' THEN
    PERFORM 1 FROM accounts WHERE id = key ->> 'accountId';
    IF NOT FOUND THEN RETURN 'missing'; END IF;
    INSERT INTO keys (id, account_id, name, prefix, created_ms, expires_ms, revoked_ms, disabled_ms, allow_apis, block_apis,
        allow_ips, rate_limit, version, external_id, metadata)
      VALUES (changed_id, key ->> 'accountId', key ->> 'name', key ->> 'prefix', (key ->> 'createdMs')::bigint,
        (key ->> 'expiresMs')::bigint, (key ->> 'revokedMs')::bigint, (key ->> 'disabledMs')::bigint, key ->> 'allowApis',
        key ->> 'blockApis', key ->> 'allowIps', (key ->> 'rateLimit')::integer, (key ->> 'version')::bigint,
        key ->> 'externalId', key ->> 'metadata');
  ELSE
    SELECT version INTO stored_version FROM keys WHERE id = changed_id;
    IF NOT FOUND THEN RETURN 'missing'; END IF;
    IF (mutation ->> 'version')::bigint <> stored_version THEN RETURN 'conflict'; END IF;
  END IF;
  IF mutation ->> 'kind' = 'key.update' THEN
    UPDATE keys SET version = version + 1,
        name = CASE WHEN given ? 'name' THEN given ->> 'name' ELSE name END,
        expires_ms = CASE WHEN given ? 'expiresMs' THEN (given ->> 'expiresMs')::bigint ELSE expires_ms END,
        revoked_ms = CASE WHEN given ? 'revokedMs' THEN (given ->> 'revokedMs')::bigint ELSE revoked_ms END,
        disabled_ms = CASE WHEN given ? 'disabledMs' THEN (given ->> 'disabledMs')::bigint ELSE disabled_ms END,
        allow_apis = CASE WHEN given ? 'allowApis' THEN given ->> 'allowApis' ELSE allow_apis END,
        block_apis = CASE WHEN given ? 'blockApis' THEN given ->> 'blockApis' ELSE block_apis END,
        allow_ips = CASE WHEN given ? 'allowIps' THEN given ->> 'allowIps' ELSE allow_ips END,
        rate_limit = CASE WHEN given ? 'rateLimit' THEN (given ->> 'rateLimit')::integer ELSE rate_limit END,
        external_id = CASE WHEN given ? 'externalId' THEN given ->> 'externalId' ELSE external_id END,
        metadata = CASE WHEN given ? 'metadata' THEN given ->> 'metadata' ELSE metadata END
      WHERE id = changed_id;
    RETURN 'applied';
  END IF;
  IF mutation ->> 'kind' = 'key.rotate' THEN
    UPDATE keys SET version = version + 1, prefix = mutation -> 'secret' ->> 'prefix' WHERE id = changed_id;
    UPDATE secrets SET until_ms = least(coalesce(until_ms, until), until) WHERE key_id = changed_id;
  END IF;
  INSERT INTO secrets (hash, key_id, created_ms)
    VALUES (mutation -> 'secret' ->> 'hash', changed_id, (mutation -> 'secret' ->> 'createdMs')::bigint);
  RETURN 'applied';
END $$;

CREATE FUNCTION apply_other_mutation(mutation jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  admin_key CONSTANT jsonb := mutation -> 'adminKey';
  webhook CONSTANT jsonb := mutation -> 'webhook';
  now_ms CONSTANT bigint := (mutation ->> 'nowMs')::bigint;
  has_webhook boolean;
BEGIN
  CASE mutation ->> 'kind'
  WHEN 'webhook.set' THEN
    UPDATE accounts SET webhook_url = webhook ->> 'url', webhook_secret = webhook ->> 'secret',
        webhook_allow_private = coalesce((webhook ->> 'allowPrivate')::boolean, false), webhook_gone_ms = NULL
      WHERE id = mutation ->> 'accountId';
    IF NOT FOUND THEN RETURN 'missing'; END IF;
    IF webhook ->> 'url' IS NULL THEN
      UPDATE notices SET state = 'unsent', next_attempt_ms = NULL
        WHERE account_id = mutation ->> 'accountId' AND state = 'pending';
    END IF;
  WHEN 'adminKey.insert' THEN
    INSERT INTO admin_keys (id, hash, name, prefix, permissions, created_ms, expires_ms, revoked_ms)
      VALUES (admin_key ->> 'id', mutation ->> 'hash', admin_key ->> 'name', admin_key ->> 'prefix', admin_key ->> 'permissions',
        (admin_key ->> 'createdMs')::bigint, (admin_key ->> 'expiresMs')::bigint, (admin_key ->> 'revokedMs')::bigint);
  WHEN 'adminKey.revoke' THEN
    UPDATE admin_keys SET revoked_ms = least(coalesce(revoked_ms, (mutation ->> 'revokedMs')::bigint),
      (mutation ->> 'revokedMs')::bigint) WHERE id = mutation ->> 'id';
    IF NOT FOUND THEN RETURN 'missing'; END IF;
  WHEN 'notice.insert' THEN
    SELECT webhook_url IS NOT NULL AND webhook_gone_ms IS NULL INTO has_webhook
      FROM accounts WHERE id = mutation ->> 'accountId';
    IF NOT FOUND THEN RETURN 'missing'; END IF;
    INSERT INTO notices (id, account_id, type, data, period_start_ms, plan, used, raised_ms, state, next_attempt_ms)
      SELECT mutation ->> 'id', accounts.id, mutation ->> 'type', mutation ->> 'data', period_start_ms, plan, used, now_ms,
        CASE WHEN has_webhook THEN 'pending' ELSE 'unsent' END, CASE WHEN has_webhook THEN now_ms END
      FROM accounts JOIN ledger ON ledger.account_id = accounts.id WHERE accounts.id = mutation ->> 'accountId'
    ON CONFLICT (id) DO NOTHING;
    PERFORM pg_notify('penknife_raised', mutation ->> 'id');
  WHEN 'notice.resend' THEN
    PERFORM 1 FROM notices JOIN accounts ON accounts.id = account_id
      WHERE notices.id = mutation ->> 'id' AND webhook_url IS NOT NULL AND webhook_gone_ms IS NULL;
    IF NOT FOUND THEN RETURN 'missing'; END IF;
    UPDATE notices SET state = 'pending', next_attempt_ms = now_ms, waited_ms = 0, delivered_ms = NULL
      WHERE id = mutation ->> 'id' AND state <> 'pending';
    PERFORM pg_notify('penknife_raised', mutation ->> 'id');
  END CASE;
  RETURN 'applied';
END $$;

-- Applies a change of the administration: all its mutations, its audit record and its replay, or nothing of them. Of two changes
-- with one Idempotency-Key the second waits for the first. Rows are locked in the order of their ids, so that no two instances
-- wait for each other; an account is locked before its keys, and these before its balance, as charges need only the last.
CREATE FUNCTION apply_change(change jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  mutation jsonb;
  audit_record CONSTANT jsonb := change -> 'audit';
  replay CONSTANT jsonb := change -> 'replay';
  key_ids CONSTANT text[] := ARRAY(
    SELECT m ->> 'id' FROM jsonb_array_elements(change -> 'mutations') AS m WHERE m ->> 'kind' IN ('key.update', 'key.rotate'));
  balance_ids CONSTANT text[] := ARRAY(
    SELECT coalesce(m -> 'account' ->> 'id', m ->> 'id') FROM jsonb_array_elements(change -> 'mutations') AS m
      WHERE m ->> 'kind' LIKE 'account.%'
    UNION SELECT m -> 'key' ->> 'accountId' FROM jsonb_array_elements(change -> 'mutations') AS m WHERE m ->> 'kind' = 'key.insert'
    UNION SELECT account_id FROM keys WHERE id = ANY (key_ids));
  outcome text;
  violated text;
BEGIN
  IF replay ->> 'key' IS NOT NULL THEN
    INSERT INTO replays (actor, key, payload_hash, operation, target_id, created_ms)
      VALUES (replay ->> 'actor', replay ->> 'key', replay ->> 'payloadHash', audit_record ->> 'operation',
        audit_record ->> 'targetId', (replay ->> 'createdMs')::bigint)
    ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN RETURN 'replayed'; END IF;
  END IF;
  PERFORM 1 FROM accounts WHERE id = ANY (balance_ids)
    OR id IN (SELECT m ->> 'accountId' FROM jsonb_array_elements(change -> 'mutations') AS m)
    ORDER BY id FOR NO KEY UPDATE;
  PERFORM 1 FROM keys WHERE id = ANY (key_ids) ORDER BY id FOR NO KEY UPDATE;
  PERFORM 1 FROM ledger WHERE account_id = ANY (balance_ids) ORDER BY account_id FOR NO KEY UPDATE;
  FOR mutation IN SELECT * FROM jsonb_array_elements(change -> 'mutations') LOOP
    outcome := CASE split_part(mutation ->> 'kind', '.', 1)
      WHEN 'account' THEN apply_account_mutation(mutation)
      WHEN 'key' THEN apply_key_mutation(mutation)
      ELSE apply_other_mutation(mutation) END;
    -- Undoes what came before.
    IF outcome <> 'applied' THEN RAISE EXCEPTION USING ERRCODE = 'PK001', MESSAGE = outcome; END IF;
  END LOOP;
  UPDATE ledger SET revision = revision + 1 WHERE account_id = ANY (balance_ids);
  IF audit_record ->> 'id' IS NOT NULL THEN
    INSERT INTO audit (id, at_ms, actor, actor_name, operation, target_kind, target_id, account_id, before_json, after_json,
        source, request_id)
      VALUES (audit_record ->> 'id', (audit_record ->> 'atMs')::bigint, audit_record ->> 'actor', audit_record ->> 'actorName',
        audit_record ->> 'operation', audit_record ->> 'targetKind', audit_record ->> 'targetId', audit_record ->> 'accountId',
        audit_record ->> 'before', audit_record ->> 'after', audit_record ->> 'source', audit_record ->> 'requestId');
  END IF;
  RETURN 'applied';
EXCEPTION
  WHEN SQLSTATE 'PK001' THEN RETURN SQLERRM;
  WHEN unique_violation THEN
    GET STACKED DIAGNOSTICS violated = CONSTRAINT_NAME;
    IF violated = 'accounts_by_external_id' THEN RETURN 'taken'; END IF;
    RAISE;
END $$;
