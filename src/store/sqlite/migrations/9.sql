-- Who is signed in with a browser, and the links that sign in once. Cookies and tokens are stored as SHA-256, hexadecimal.
CREATE TABLE sign_in_links (
  hash         TEXT PRIMARY KEY,
  id           TEXT NOT NULL,
  kind         TEXT NOT NULL CHECK (kind IN ('console', 'portal')),
  owner        TEXT NOT NULL, -- an account's id, or an administrator
  name         TEXT NOT NULL,
  permissions  TEXT NOT NULL, -- JSON array
  admin_key_id TEXT,          -- null: needs no admin key
  account_id   TEXT CHECK ((account_id IS NULL) = (kind = 'console')),
  created_ms   INTEGER NOT NULL,
  expires_ms   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_links_by_expiry ON sign_in_links (expires_ms);

CREATE TABLE sessions (
  hash         TEXT PRIMARY KEY,
  id           TEXT NOT NULL UNIQUE,
  kind         TEXT NOT NULL CHECK (kind IN ('console', 'portal')),
  owner        TEXT NOT NULL,
  name         TEXT NOT NULL,
  permissions  TEXT NOT NULL,
  admin_key_id TEXT,
  account_id   TEXT CHECK ((account_id IS NULL) = (kind = 'console')),
  key_hash     TEXT, -- of the API key that signed in; null: a link did
  created_ms   INTEGER NOT NULL,
  expires_ms   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_expiry ON sessions (expires_ms);
CREATE INDEX sessions_by_owner ON sessions (kind, owner, created_ms, id);
