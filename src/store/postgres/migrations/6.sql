-- What happened in each minute, for plots. A row at a full hour holds the whole hour once its minutes were folded into it.
CREATE TABLE history_calls (
  at_ms    bigint NOT NULL,
  api      text COLLATE "C" NOT NULL,
  calls    bigint NOT NULL, -- requests
  errors   bigint NOT NULL, -- requests that failed
  charged  bigint NOT NULL, -- successful calls that were charged
  credits  bigint NOT NULL,
  ms_0_5   bigint NOT NULL, -- requests that took up to 0.5 ms, and so on
  ms_1     bigint NOT NULL,
  ms_2_5   bigint NOT NULL,
  ms_5     bigint NOT NULL,
  ms_10    bigint NOT NULL,
  ms_25    bigint NOT NULL,
  ms_50    bigint NOT NULL,
  ms_100   bigint NOT NULL,
  ms_250   bigint NOT NULL,
  ms_500   bigint NOT NULL,
  ms_1000  bigint NOT NULL,
  ms_2500  bigint NOT NULL,
  ms_5000  bigint NOT NULL,
  ms_10000 bigint NOT NULL,
  ms_more  bigint NOT NULL,
  PRIMARY KEY (at_ms, api)
);

CREATE TABLE history_faults (
  at_ms    bigint NOT NULL,
  api      text COLLATE "C" NOT NULL,
  fault    text COLLATE "C" NOT NULL,
  calls    bigint NOT NULL,
  first_ms bigint NOT NULL,
  last_ms  bigint NOT NULL,
  PRIMARY KEY (at_ms, api, fault)
);

CREATE TABLE history_credits (
  at_ms      bigint NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  calls      bigint NOT NULL,
  credits    bigint NOT NULL,
  PRIMARY KEY (account_id, at_ms)
);
-- For folding, and for deleting what is too old.
CREATE INDEX history_credits_minutes ON history_credits (at_ms, account_id) WHERE at_ms % 3600000 <> 0;
CREATE INDEX history_credits_hours ON history_credits (at_ms) WHERE at_ms % 3600000 = 0;

-- The last batch of each process that is in the tables. One whose answer was lost is sent again, and must not count twice.
CREATE TABLE history_writers (
  process text COLLATE "C" PRIMARY KEY,
  batch   bigint NOT NULL,
  at_ms   bigint NOT NULL -- of the newest row in it
);
