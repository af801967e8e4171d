import type { SQL } from "bun"
import { StoreUnusable } from "../store.ts"

const tablesByRights = {
  "SELECT INSERT UPDATE":
    "meta accounts keys secrets ledger usage_sums rates admin_keys people service_settings",
  SELECT: "all_usage",
  INSERT: "usage_set_aside",
  "SELECT INSERT": "audit email_link_tokens adjustments plan_terms kept_names",
  "SELECT INSERT DELETE": "usage_changes notice_attempts passkey_challenges kept_requests kept_marks",
  "SELECT INSERT UPDATE DELETE": `usage key_usage notices replays sign_in_links email_links sessions passkeys mails
    history_calls history_faults history_credits history_writers call_replays`,
}

/** The rights that the role of a service needs, as docs/postgres-roles.sql grants them. */
export const neededRights: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(tablesByRights).flatMap(([rights, tables]) =>
    tables.split(/\s+/).map((table) => [table, rights.split(" ")] as const),
  ),
)

/**
 * Checks at the start of a service that its first charge will not fail.
 * @throws StoreUnusable when the role lacks a right, or the database is set to read only
 */
export async function requireRights(sql: SQL, address: string): Promise<void> {
  const pairs = Object.entries(neededRights).flatMap(([table, rights]) =>
    rights.map((right) => [table, right]),
  )
  const list = pairs.map(([table, right]) => `('${table}', '${right}')`).join(", ")
  const [row] = await sql.unsafe<{ missing: string | null; readOnly: string }[]>(
    `SELECT current_setting('transaction_read_only') AS "readOnly",
       (SELECT string_agg(privilege || ' on ' || name, ', ') FROM (VALUES ${list}) AS needed (name, privilege)
        WHERE NOT has_table_privilege(name, privilege)) AS missing`,
  )
  if (row?.missing)
    throw new StoreUnusable(
      `The user of ${address} lacks rights: ${row.missing}. Grant the rights of docs/postgres-roles.sql.`,
    )
  if (row?.readOnly === "on")
    throw new StoreUnusable(
      `${address} is set to read only (default_transaction_read_only). Set it to off for this user and database.`,
    )
}
