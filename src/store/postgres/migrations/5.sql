-- Who is signed in with a browser, and the links that sign in once. Cookies and tokens are stored as SHA-256, hexadecimal.
CREATE TABLE sign_in_links (
  hash         text COLLATE "C" PRIMARY KEY,
  id           text COLLATE "C" NOT NULL,
  kind         text COLLATE "C" NOT NULL CHECK (kind IN ('console', 'portal')),
  owner        text COLLATE "C" NOT NULL, -- an account's id, or an administrator
  name         text NOT NULL,
  permissions  text NOT NULL,             -- JSON array
  admin_key_id text COLLATE "C",          -- null: needs no admin key
  account_id   text COLLATE "C" CHECK ((account_id IS NULL) = (kind = 'console')),
  created_ms   bigint NOT NULL,
  expires_ms   bigint NOT NULL
);
CREATE INDEX sign_in_links_by_expiry ON sign_in_links (expires_ms);

CREATE TABLE sessions (
  hash         text COLLATE "C" PRIMARY KEY,
  id           text COLLATE "C" NOT NULL UNIQUE,
  kind         text COLLATE "C" NOT NULL CHECK (kind IN ('console', 'portal')),
  owner        text COLLATE "C" NOT NULL,
  name         text NOT NULL,
  permissions  text NOT NULL,
  admin_key_id text COLLATE "C",
  account_id   text COLLATE "C" CHECK ((account_id IS NULL) = (kind = 'console')),
  key_hash     text COLLATE "C", -- of the API key that signed in; null: a link did
  created_ms   bigint NOT NULL,
  expires_ms   bigint NOT NULL
);
CREATE INDEX sessions_by_expiry ON sessions (expires_ms);
CREATE INDEX sessions_by_owner ON sessions (kind, owner, created_ms, id);

-- Changes of links and sessions, as admin-store.ts describes them. Rows that another instance deletes at this moment are left to
-- it, so that no two wait for each other.
CREATE FUNCTION apply_sign_in_mutation(mutation jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  link CONSTANT jsonb := mutation -> 'link';
  session CONSTANT jsonb := mutation -> 'session';
BEGIN
  CASE mutation ->> 'kind'
  WHEN 'link.insert' THEN
    DELETE FROM sign_in_links WHERE hash IN (
      SELECT hash FROM sign_in_links WHERE expires_ms <= (link ->> 'createdMs')::bigint FOR UPDATE SKIP LOCKED);
    INSERT INTO sign_in_links (hash, id, kind, owner, name, permissions, admin_key_id, account_id, created_ms, expires_ms)
      VALUES (mutation ->> 'hash', link ->> 'id', link ->> 'kind', link ->> 'owner', link ->> 'name', link ->> 'permissions',
        link ->> 'adminKeyId', link ->> 'accountId', (link ->> 'createdMs')::bigint, (link ->> 'expiresMs')::bigint);
  WHEN 'link.use' THEN
    DELETE FROM sign_in_links WHERE hash = mutation ->> 'hash' AND expires_ms > (mutation ->> 'nowMs')::bigint;
    IF NOT FOUND THEN RETURN 'missing'; END IF;
  WHEN 'session.insert' THEN
    DELETE FROM sessions WHERE hash IN (
      SELECT hash FROM sessions WHERE expires_ms <= (session ->> 'createdMs')::bigint FOR UPDATE SKIP LOCKED);
    DELETE FROM sessions WHERE hash IN (
      SELECT hash FROM sessions WHERE kind = session ->> 'kind' AND owner = session ->> 'owner'
      ORDER BY created_ms DESC, id DESC OFFSET (mutation ->> 'most')::bigint - 1 FOR UPDATE SKIP LOCKED);
    INSERT INTO sessions (hash, id, kind, owner, name, permissions, admin_key_id, account_id, key_hash, created_ms, expires_ms)
      VALUES (mutation ->> 'hash', session ->> 'id', session ->> 'kind', session ->> 'owner', session ->> 'name',
        session ->> 'permissions', session ->> 'adminKeyId', session ->> 'accountId', session ->> 'keyHash',
        (session ->> 'createdMs')::bigint, (session ->> 'expiresMs')::bigint);
  WHEN 'session.end' THEN
    DELETE FROM sessions WHERE id = mutation ->> 'id';
  WHEN 'session.endAll' THEN
    DELETE FROM sessions WHERE hash IN (
      SELECT hash FROM sessions WHERE kind = mutation ->> 'sessionKind' AND owner = mutation ->> 'owner'
      ORDER BY hash FOR UPDATE);
    DELETE FROM sign_in_links WHERE hash IN (
      SELECT hash FROM sign_in_links WHERE kind = mutation ->> 'sessionKind' AND owner = mutation ->> 'owner'
      ORDER BY hash FOR UPDATE);
  WHEN 'session.bind' THEN
    UPDATE sessions SET key_hash = mutation ->> 'keyHash' WHERE id = mutation ->> 'id';
  WHEN 'keys.limit' THEN
    IF (SELECT count(*) FROM keys WHERE account_id = mutation ->> 'accountId' AND revoked_ms IS NULL
        AND (expires_ms IS NULL OR expires_ms > (mutation ->> 'nowMs')::bigint)) >= (mutation ->> 'most')::bigint THEN
      RETURN 'tooMany';
    END IF;
  END CASE;
  RETURN 'applied';
END $$;

-- apply_change() calls this for all that is not about one account or one key.
ALTER FUNCTION apply_other_mutation(jsonb) RENAME TO apply_notice_mutation;
CREATE FUNCTION apply_other_mutation(mutation jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT CASE WHEN split_part(mutation ->> 'kind', '.', 1) IN ('link', 'session', 'keys') THEN apply_sign_in_mutation(mutation)
    ELSE apply_notice_mutation(mutation) END
$$;
