-- Buckets with fractions of a microsecond. The old ones are dropped: a bucket is worth a minute at most.
DROP TABLE rates;
CREATE TABLE rates (
  id         TEXT PRIMARY KEY,  -- of an account or a key
  full_at_us INTEGER NOT NULL,  -- when it is full again: microseconds since the Unix epoch
  ticks      INTEGER NOT NULL,  -- and so many parts of the microsecond, which has per_minute parts
  per_minute INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
