import { columnsOf, historyTables } from "./history-sql.ts"
import { requestColumns } from "./request-table.ts"

/** A table whose rows a move takes along, with the columns that every kind of store has. */
export interface MoveTable {
  readonly name: string
  readonly columns: readonly string[]
  /** A condition of SQL for the rows that are taken along. Such rows replace those that an empty store has. */
  readonly only?: string
  /** The column by which rows are read, where the order in which they are written counts. */
  readonly order?: string
}

/** A row by its columns. Truth values are 0 and 1, and JSON is text. */
export type MoveRow = Readonly<Record<string, string | number | null>>

/** Sums that are compared on both sides of a move, as exact decimal text. */
export type MoveSums = Readonly<Record<keyof typeof sums, string>>

/** A store that rows are read from. Nobody else changes it until it is closed. */
export interface MoveSource {
  /** All rows of a table, in pages. All tables are read as they were at one instant. */
  read(table: MoveTable): AsyncIterable<readonly MoveRow[]>
  sums(): Promise<MoveSums>
  /** @throws StoreUnusable when a service works on the store */
  requireUnused(): Promise<void>
  close(): Promise<void>
}

/** An empty store that rows are written to. It stays empty until `commit`, for everyone else and after a crash. */
export interface MoveTarget {
  write(table: MoveTable, rows: readonly MoveRow[]): Promise<void>
  /** The sums of the written rows. */
  sums(): Promise<MoveSums>
  commit(): Promise<void>
  /** Without a commit before, forgets what was written. */
  close(): Promise<void>
}

/** Rows that are in memory at once. */
export const rowsPerPage = 200

/**
 * In an order in which a row exists before another one names it. Rate buckets are left out: they are full again within a minute.
 * So are sessions, links that sign in and challenges of passkeys, which end within a day: a copy must not sign anyone in.
 * PostgreSQL's triggers on keys change the ledger, which has no rows by then.
 */
export const moveTables: readonly MoveTable[] = [
  table(
    "accounts",
    `id name plan created_ms webhook_url webhook_secret webhook_allow_private webhook_gone_ms version
     external_id metadata events email notify`,
  ),
  table(
    "keys",
    `id account_id name prefix created_ms expires_ms revoked_ms disabled_ms allow_apis block_apis
     allow_ips rate_limit version external_id metadata`,
  ),
  table("secrets", "hash key_id created_ms until_ms"),
  table("ledger", "account_id closed_ms period_start_ms used bonus notified day booked debt"),
  table("usage", "account_id period_start_ms day api calls credits key_calls key_credits"),
  table("key_usage", "account_id day key_id api calls credits"),
  // Notices that are due at one time are sent by their numbers, which the new store counts itself.
  {
    ...table(
      "notices",
      `id account_id type data period_start_ms threshold plan used allowance raised_ms state attempts
       waited_ms next_attempt_ms last_status last_error delivered_ms traceparent mailed`,
    ),
    order: "number",
  },
  table("notice_attempts", "notice_id attempt at_ms duration_ms status error"),
  table("admin_keys", "id hash name prefix permissions created_ms expires_ms revoked_ms"),
  table("people", "id name permissions held created_ms removed_ms"),
  table(
    "passkeys",
    `id credential_id person_id name public_key counter transports site permissions created_ms used_ms`,
  ),
  table(
    "audit",
    `id at_ms actor actor_name operation target_kind target_id account_id before_json after_json source
     request_id`,
  ),
  // Otherwise the first look at the new store would raise no event of the time since the last look at the old one. Sums of whole
  // months must not be taken for usage of days.
  {
    ...table("meta", "name value"),
    only: "name IN ('looked_ms', 'usage_months_until_ms', 'usage_folded_until_ms', 'audit_from_ms')",
  },
  table("replays", "actor key payload_hash operation target_id created_ms answer"),
  table("adjustments", "id account_id at_ms kind credits reason reference undoes made_by"),
  table("service_settings", "name value"),
  table("plan_terms", "plan from_ms price monthly_credits"),
  {
    ...table(
      "mails",
      `id account_id recipient template data raised_ms expires_ms state attempts waited_ms
       next_attempt_ms last_status last_error delivered_ms`,
    ),
    order: "number",
  },
  table("call_replays", "account_id key_hash input_hash created_ms credits replays"),
  table("kept_names", "n name"),
  table("kept_marks", "process last id"),
  { name: "kept_requests", columns: requestColumns },
  ...historyTables.map((table) => ({ name: table.name, columns: columnsOf(table) })),
]

/** In the order in which `penknife move` shows them. */
const sums = {
  accounts: ["count(*)", "accounts"],
  keys: ["count(*)", "keys"],
  secrets: ["count(*)", "secrets"],
  balances: ["count(*)", "ledger"],
  usage_rows: ["count(*)", "usage"],
  key_usage_rows: ["count(*)", "key_usage"],
  notices: ["count(*)", "notices"],
  attempts: ["count(*)", "notice_attempts"],
  admin_keys: ["count(*)", "admin_keys"],
  people: ["count(*)", "people"],
  passkeys: ["count(*)", "passkeys"],
  audit_records: ["count(*)", "audit"],
  replays: ["count(*)", "replays"],
  used: ["sum(used)", "ledger"],
  bonus: ["sum(bonus)", "ledger"],
  debt: ["sum(debt)", "ledger"],
  adjustments: ["count(*)", "adjustments"],
  adjusted: ["sum(credits)", "adjustments"],
  plan_terms: ["count(*)", "plan_terms"],
  mails: ["count(*)", "mails"],
  call_replays: ["count(*)", "call_replays"],
  kept_requests: ["count(*)", "kept_requests"],
  kept_names: ["count(*)", "kept_names"],
  kept_marks: ["count(*)", "kept_marks"],
  calls: ["sum(calls)", "all_usage"],
  credits: ["sum(credits)", "all_usage"],
  history_calls: ["sum(calls)", "history_calls"],
  history_errors: ["sum(calls)", "history_faults"],
  history_credits: ["sum(credits)", "history_credits"],
} as const

/** Selects {@link MoveSums} in one row, in any kind of store. */
export const selectSums = `SELECT ${Object.entries(sums)
  .map(([name, [sum, table]]) => `(SELECT coalesce(CAST(${sum} AS text), '0') FROM ${table}) AS "${name}"`)
  .join(", ")}`

function table(name: string, columns: string): MoveTable {
  return { name, columns: columns.split(/\s+/) }
}
