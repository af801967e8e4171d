/**
 * SQL that fills an empty store: 100,000 accounts with ten keys each. Half of them used two APIs with one key on each of 31 days;
 * all used them on the last day, which is still open.
 */
const accounts = 100_000
const keys = 1_000_000
const changes = 200_000
const nowMs = 1_800_000_000_000

const sqliteNumbers = (name: string, count: number) =>
  `WITH RECURSIVE ${name} (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM ${name} WHERE n < ${count - 1})`
const sqliteId = (kind: string, number: string) => `printf('${kind}_%016d', ${number})`
const sqliteDay = "printf('2027-01-%02d', 1 + d)"

export const sqliteFill: readonly string[] = [
  "PRAGMA synchronous = OFF",
  "PRAGMA cache_size = -500000",
  "BEGIN",
  `${sqliteNumbers("a", accounts)} INSERT INTO accounts (id, name, plan, created_ms, external_id)
   SELECT ${sqliteId("acc", "n")}, 'Account ' || n, iif(n % 100 = 0, 'mega', 'free'), n, 'customer ' || n FROM a`,
  `${sqliteNumbers("a", accounts)} INSERT INTO ledger (account_id, closed_ms, period_start_ms, used, bonus, day, booked)
   SELECT ${sqliteId("acc", "n")}, iif(n % 50 = 0, 5, NULL), 0, n % 1000, 0, '2027-01-31',
     json_object('hmac ' || ${sqliteId("key", "n * 10")}, json_array(5, 5), 'spfvalidator ' || ${sqliteId("key", "n * 10")}, json_array(2, 10)) FROM a`,
  `${sqliteNumbers("k", keys)} INSERT INTO keys (id, account_id, name, prefix, created_ms, block_apis)
   SELECT ${sqliteId("key", "n")}, ${sqliteId("acc", "n / 10")}, 'ci', 'pk-abcdef', n, '[]' FROM k`,
  `${sqliteNumbers("k", keys)} INSERT INTO secrets (hash, key_id, created_ms) SELECT 'hash ' || n, ${sqliteId("key", "n")}, n FROM k`,
  `${sqliteNumbers("a", accounts / 2)}, b (d) AS (SELECT 0 UNION ALL SELECT d + 1 FROM b WHERE d < 29)
   INSERT INTO usage (account_id, period_start_ms, day, api, calls, credits, key_calls, key_credits)
   SELECT ${sqliteId("acc", "n * 2")}, 0, ${sqliteDay}, api, 5, 5, 5, 5 FROM a, b, (SELECT 'hmac' AS api UNION SELECT 'spfvalidator')`,
  `INSERT INTO key_usage (account_id, day, key_id, api, calls, credits)
   SELECT account_id, day, printf('key_%016d', 10 * CAST(substr(account_id, 5) AS INTEGER)), api, calls, credits FROM usage`,
  `INSERT INTO usage_totals
   SELECT day, json_group_object(api, json_array(calls, credits)) FROM (
     SELECT day, api, sum(calls) AS calls, sum(credits) AS credits FROM all_usage GROUP BY day, api) GROUP BY day`,
  `${sqliteNumbers("n", changes)} INSERT INTO notices (id, account_id, period_start_ms, threshold, plan, used, allowance, raised_ms, state)
   SELECT 'msg_' || n, ${sqliteId("acc", `n % ${accounts}`)}, n, 80, 'free', 80, 100, n, iif(n % 1000 = 0, 'failed', 'delivered') FROM n`,
  `${sqliteNumbers("n", changes)} INSERT INTO audit (id, at_ms, actor, actor_name, operation, target_kind, target_id, account_id, source, request_id)
   SELECT 'aud_' || n, ${nowMs} + n, 'cli:ann', 'ann', 'keys.create', 'key', ${sqliteId("key", "n")}, ${sqliteId("acc", "n / 10")}, 'host', 'r' FROM n`,
  "COMMIT",
]

const series = (count: number) => `generate_series(0, ${count - 1})`
const postgresId = (kind: string, number: string) => `'${kind}_' || lpad((${number})::text, 16, '0')`

export const postgresFill: readonly string[] = [
  "SET session_replication_role = replica",
  `INSERT INTO accounts (id, name, plan, created_ms, external_id)
   SELECT ${postgresId("acc", "n")}, 'Account ' || n, CASE WHEN n % 100 = 0 THEN 'mega' ELSE 'free' END, n, 'customer ' || n FROM ${series(accounts)} AS n`,
  `INSERT INTO ledger (account_id, closed_ms, period_start_ms, used, bonus, day, booked)
   SELECT ${postgresId("acc", "n")}, CASE WHEN n % 50 = 0 THEN 5 END, 0, n % 1000, 0, '2027-01-31',
     jsonb_build_object('hmac ' || ${postgresId("key", "n * 10")}, jsonb_build_array(5, 5),
       'spfvalidator ' || ${postgresId("key", "n * 10")}, jsonb_build_array(2, 10)) FROM ${series(accounts)} AS n`,
  `INSERT INTO keys (id, account_id, name, prefix, created_ms, block_apis)
   SELECT ${postgresId("key", "n")}, ${postgresId("acc", "n / 10")}, 'ci', 'pk-abcdef', n, '[]' FROM ${series(keys)} AS n`,
  `INSERT INTO secrets (hash, key_id, created_ms) SELECT 'hash ' || n, ${postgresId("key", "n")}, n FROM ${series(keys)} AS n`,
  `INSERT INTO usage (account_id, period_start_ms, day, api, calls, credits, key_calls, key_credits)
   SELECT ${postgresId("acc", "n * 2")}, 0, '2027-01-' || lpad((d + 1)::text, 2, '0'), api, 5, 5, 5, 5
   FROM ${series(accounts / 2)} AS n, ${series(30)} AS d, unnest(ARRAY['hmac', 'spfvalidator']) AS api`,
  // Triggers do not run here.
  "INSERT INTO usage_totals SELECT day, api, 0, sum(calls), sum(credits) FROM usage GROUP BY day, api",
  `INSERT INTO key_usage (account_id, day, key_id, api, calls, credits)
   SELECT account_id, day, ${postgresId("key", "10 * substr(account_id, 5)::integer")}, api, calls, credits FROM usage`,
  `INSERT INTO notices (id, account_id, period_start_ms, threshold, plan, used, allowance, raised_ms, state)
   SELECT 'msg_' || n, ${postgresId("acc", `n % ${accounts}`)}, n, 80, 'free', 80, 100, n,
     CASE WHEN n % 1000 = 0 THEN 'failed' ELSE 'delivered' END FROM ${series(changes)} AS n`,
  `INSERT INTO audit (id, at_ms, actor, actor_name, operation, target_kind, target_id, account_id, source, request_id)
   SELECT 'aud_' || n, ${nowMs} + n, 'cli:ann', 'ann', 'keys.create', 'key', ${postgresId("key", "n")}, ${postgresId("acc", "n / 10")}, 'host', 'r'
   FROM ${series(changes)} AS n`,
  "VACUUM ANALYZE",
]
