-- For events that come with time: keys that expire soon, and months that begin, which they do at the account's time of day.
CREATE INDEX keys_by_expiry ON keys (expires_ms, id) WHERE expires_ms IS NOT NULL AND revoked_ms IS NULL;
CREATE INDEX accounts_by_time_of_day ON accounts (created_ms % 86400000, id) WHERE events <> '[]';
