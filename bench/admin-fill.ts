/**
 * SQL that fills an empty store: 100,000 accounts with ten keys each. Half of them used two APIs with one key on each of 30 days
 * that are over; all used them on the last day, which is still open.
 */
import { hashKey } from "../src/accounts/key.ts"

const accounts = 100_000
const keys = 1_000_000
const changes = 200_000
const notices = 1_000_000
/** Accounts with a history of credits: one row for each of some hours. */
const plotted = 5_000
const plottedHours = 100

/** Noon of the last day. */
export const fillNowMs = Date.parse("2027-01-31T12:00:00Z")
/** The text of one of the keys. */
export const fillKey = "pk-of-the-bench"
const monthStartMs = Date.parse("2027-01-20T00:00:00Z")
const hourMs = 3_600_000
const apis = ["hmac", "spfvalidator", "linesorter", "danevalidator"] as const
const apiList = apis.map((api) => `('${api}')`).join(", ")
const callsColumns = `at_ms, api, calls, errors, charged, credits, ms_0_5, ms_1, ms_2_5, ms_5, ms_10, ms_25, ms_50, ms_100, ms_250,
  ms_500, ms_1000, ms_2500, ms_5000, ms_10000, ms_more`
const callsValues = "100, 800, 1600, 500, 200, 100, 50, 50, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0"

/** A statement of the fill, or several. */
export interface FillStep {
  readonly what: string
  readonly sql: string
}

/** The differences between the kinds of stores. */
interface Dialect {
  /** A table `name (n)` of the numbers from 0 on, to put behind FROM. */
  readonly numbers: (count: number, name: string) => string
  /** The id of a kind with a number, such as `acc_0000000000000042`. */
  readonly id: (kind: string, number: string) => string
  /** The day of January 2027 with a number from 0 on. */
  readonly day: (number: string) => string
  /** The open day's usage: two APIs by one key. */
  readonly openDay: (keyId: string) => string
  readonly apis: string
  readonly accountNumber: string
}

/** A number of an id, in another order. */
function mixed(kind: string, number: string): string {
  if (kind === "acc") return `(${number}) * 37337 % ${accounts}`
  return kind === "key" ? `(${number}) * 373337 % ${keys}` : number
}

/** The number that an account's id was made of. */
function unmixed(number: string): string {
  return `(${number} * 11273 % ${accounts})`
}

function fillSteps({ numbers, id, day, openDay, apis: apiRows, accountNumber }: Dialect): FillStep[] {
  return [
    {
      what: "accounts",
      sql: `INSERT INTO accounts (id, name, plan, created_ms, external_id)
        SELECT ${id("acc", "n")}, 'Account ' || n,
          CASE WHEN n % 1000 = 0 THEN 'mega' WHEN n % 20 = 0 THEN 'starter' ELSE 'free' END,
          ${monthStartMs - 365 * 24 * hourMs} + n * 1000, 'customer ' || n FROM ${numbers(accounts, "n")}`,
    },
    {
      what: "balances with the running day",
      sql: `INSERT INTO ledger (account_id, closed_ms, period_start_ms, used, bonus, notified, day, booked)
        SELECT ${id("acc", "n")}, CASE WHEN n % 50 = 0 THEN 5 END, ${monthStartMs} + n * 1000, n % 900,
          0, CASE WHEN n % 900 >= 800 AND n % 20 <> 0 THEN 80 ELSE 0 END, '2027-01-31', ${openDay(id("key", "n * 10"))}
        FROM ${numbers(accounts, "n")}`,
    },
    {
      what: "keys",
      sql: `INSERT INTO keys (id, account_id, name, prefix, created_ms, block_apis, external_id)
        SELECT ${id("key", "n")}, ${id("acc", "n / 10")}, 'ci', 'pk-abcdef', n, '[]', CASE WHEN n % 10 = 0 THEN 'machine ' || n END
        FROM ${numbers(keys, "n")}`,
    },
    {
      what: "texts of keys",
      sql: `INSERT INTO secrets (hash, key_id, created_ms)
        SELECT CASE WHEN n = 500000 THEN '${hashKey(fillKey)}' ELSE 'hash ' || n END, ${id("key", "n")}, n FROM ${numbers(keys, "n")} ORDER BY 1`,
    },
    {
      what: "usage",
      sql: `INSERT INTO usage (account_id, period_start_ms, day, api, calls, credits, key_calls, key_credits)
        SELECT ${id("acc", "n * 2")}, ${monthStartMs}, ${day("d")}, api, 5, 5, 5, 5
        FROM ${numbers(accounts / 2, "n")} CROSS JOIN ${numbers(30, "d")} CROSS JOIN (SELECT 'hmac' AS api UNION ALL SELECT 'spfvalidator') AS used`,
    },
    {
      what: "usage by key",
      sql: `INSERT INTO key_usage (account_id, day, key_id, api, calls, credits)
        SELECT account_id, day, ${id("key", `10 * ${accountNumber}`)}, api, calls, credits FROM usage`,
    },
    {
      what: "notices",
      sql: `INSERT INTO notices (id, account_id, period_start_ms, threshold, plan, used, allowance, raised_ms, state)
        SELECT 'msg_' || n, ${id("acc", `n % ${accounts}`)}, n, 80, 'free', 80, 100, n,
          CASE WHEN n % 1000 = 0 THEN 'failed' ELSE 'delivered' END FROM ${numbers(notices, "n")}`,
    },
    {
      what: "attempts to deliver them",
      sql: `INSERT INTO notice_attempts (notice_id, attempt, at_ms, duration_ms, status)
        SELECT 'msg_' || n, 1, n, 5, 200 FROM ${numbers(changes, "n")}`,
    },
    {
      // One administrator makes keys, another changes accounts.
      what: "audit records",
      sql: `INSERT INTO audit (id, at_ms, actor, actor_name, operation, target_kind, target_id, account_id, source, request_id)
        SELECT 'aud_' || n, ${fillNowMs - changes * 1000} + n * 1000, CASE WHEN n % 2 = 0 THEN 'cli:ann' ELSE 'cli:bob' END, 'ann',
          CASE WHEN n % 2 = 0 THEN 'keys.create' ELSE 'accounts.update' END, 'key', ${id("key", "n")}, ${id("acc", "n / 10")}, 'host', 'r'
        FROM ${numbers(changes, "n")}`,
    },
    {
      what: "admin keys",
      sql: `INSERT INTO admin_keys (id, hash, name, prefix, permissions, created_ms)
        SELECT ${id("adm", "n")}, 'admin ' || n, 'ci', 'pka-abcdef', '["*"]', n FROM ${numbers(1_000, "n")}`,
    },
    {
      // Hours of 31 days, and minutes of the last day.
      what: "history of calls",
      sql: `INSERT INTO history_calls (${callsColumns})
        SELECT at_ms, api, 1000, ${callsValues} FROM (
          SELECT ${fillNowMs - 31 * 24 * hourMs} + n * ${hourMs} AS at_ms FROM ${numbers(30 * 24, "n")}
          UNION ALL SELECT ${fillNowMs - 24 * hourMs} + n * 60000 FROM ${numbers(24 * 60, "n")}) AS times CROSS JOIN ${apiRows}`,
    },
    {
      what: "history of faults",
      sql: `INSERT INTO history_faults (at_ms, api, fault, calls, first_ms, last_ms)
        SELECT at_ms, api, fault, 5, at_ms, at_ms + 1 FROM history_calls
          CROSS JOIN (SELECT 'rate-limited' AS fault UNION ALL SELECT 'bad-input' UNION ALL SELECT 'no-credits') AS faults`,
    },
    {
      what: "history of credits",
      sql: `INSERT INTO history_credits (at_ms, account_id, calls, credits)
        SELECT ${fillNowMs - 24 * hourMs - plottedHours * hourMs} + h * ${hourMs}, ${id("acc", "n")}, 5, 5
        FROM ${numbers(plotted, "n")} CROSS JOIN ${numbers(plottedHours, "h")}`,
    },
  ]
}

const sqliteSteps = fillSteps({
  numbers: (count, name) =>
    `(WITH RECURSIVE numbers (${name}) AS (SELECT 0 UNION ALL SELECT ${name} + 1 FROM numbers WHERE ${name} < ${count - 1}) SELECT ${name} FROM numbers)`,
  id: (kind, number) => `printf('${kind}_%016d', ${mixed(kind, number)})`,
  day: (number) => `printf('2027-01-%02d', 1 + ${number})`,
  openDay: (keyId) =>
    `json_object('hmac ' || ${keyId}, json_array(5, 5), 'spfvalidator ' || ${keyId}, json_array(2, 10))`,
  apis: `(SELECT column1 AS api FROM (VALUES ${apiList})) AS apis`,
  accountNumber: unmixed("CAST(substr(account_id, 5) AS INTEGER)"),
})

export const sqliteFill: readonly FillStep[] = [
  {
    what: "settings",
    sql: "PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; PRAGMA foreign_keys = OFF; BEGIN",
  },
  ...sqliteSteps,
  {
    what: "totals",
    sql: `INSERT INTO usage_totals
      SELECT day, json_group_object(api, json_array(calls, credits)) FROM (
        SELECT day, api, sum(calls) AS calls, sum(credits) AS credits FROM all_usage GROUP BY day, api) GROUP BY day`,
  },
  { what: "commit", sql: "COMMIT" },
]

const postgresSteps = fillSteps({
  numbers: (count, name) => `generate_series(0::bigint, ${count - 1}) AS ${name}`,
  id: (kind, number) => `'${kind}_' || lpad((${mixed(kind, number)})::text, 16, '0')`,
  day: (number) => `'2027-01-' || lpad((${number} + 1)::text, 2, '0')`,
  openDay: (keyId) =>
    `jsonb_build_object('hmac ' || ${keyId}, jsonb_build_array(5, 5), 'spfvalidator ' || ${keyId}, jsonb_build_array(2, 10))`,
  apis: `(VALUES ${apiList}) AS apis (api)`,
  accountNumber: unmixed("substr(account_id, 5)::bigint"),
})

/** An index is made of a full table in a fifth of the time. Those that foreign keys need stay. */
const dropIndexes = `
  CREATE TEMP TABLE later AS
    SELECT indrelid::regclass AS of_table, indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS index_sql,
      own.conname AS con_name, pg_get_constraintdef(own.oid) AS con_sql
    FROM pg_index LEFT JOIN pg_constraint AS own ON own.conindid = indexrelid AND own.contype IN ('p', 'u')
    WHERE indrelid::regclass::text IN ('accounts', 'keys', 'secrets', 'usage', 'key_usage', 'notices', 'audit', 'history_credits')
      AND NOT EXISTS (SELECT FROM pg_constraint AS other WHERE other.conindid = indexrelid AND other.contype = 'f');
  DO $$ DECLARE one record; BEGIN
    FOR one IN SELECT * FROM later LOOP
      EXECUTE CASE WHEN one.con_name IS NULL THEN format('DROP INDEX %s', one.name)
        ELSE format('ALTER TABLE %s DROP CONSTRAINT %I', one.of_table, one.con_name) END;
    END LOOP;
  END $$`

const makeIndexes = `
  DO $$ DECLARE one record; BEGIN
    FOR one IN SELECT * FROM later LOOP
      EXECUTE CASE WHEN one.con_name IS NULL THEN one.index_sql
        ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s', one.of_table, one.con_name, one.con_sql) END;
    END LOOP;
  END $$`

export const postgresFill: readonly FillStep[] = [
  // Neither triggers nor foreign keys are looked at.
  { what: "settings", sql: "SET session_replication_role = replica; SET maintenance_work_mem = '512MB'" },
  { what: "drops indexes", sql: dropIndexes },
  ...postgresSteps,
  { what: "makes indexes", sql: makeIndexes },
  {
    what: "totals",
    sql: "INSERT INTO usage_sums SELECT day, api, sum(calls), sum(credits) FROM all_usage GROUP BY day, api",
  },
  { what: "statistics", sql: "VACUUM ANALYZE" },
]
