import type { SQL } from "bun"
import { StoreUnusable } from "../store.ts"

/** The rights that the role of a service needs, as docs/postgres-roles.sql grants them. */
export const neededRights: Readonly<Record<string, readonly string[]>> = {
  meta: ["SELECT", "INSERT", "UPDATE"],
  accounts: ["SELECT", "INSERT", "UPDATE"],
  keys: ["SELECT", "INSERT", "UPDATE"],
  secrets: ["SELECT", "INSERT", "UPDATE"],
  ledger: ["SELECT", "INSERT", "UPDATE"],
  usage: ["SELECT", "INSERT", "UPDATE", "DELETE"],
  key_usage: ["SELECT", "INSERT", "UPDATE", "DELETE"],
  all_usage: ["SELECT"],
  usage_sums: ["SELECT", "INSERT", "UPDATE"],
  usage_changes: ["SELECT", "INSERT", "DELETE"],
  usage_set_aside: ["INSERT"],
  rates: ["SELECT", "INSERT", "UPDATE"],
  notices: ["SELECT", "INSERT", "UPDATE", "DELETE"],
  notice_attempts: ["SELECT", "INSERT", "DELETE"],
  admin_keys: ["SELECT", "INSERT", "UPDATE"],
  audit: ["SELECT", "INSERT"],
  replays: ["SELECT", "INSERT", "UPDATE", "DELETE"],
  sign_in_links: ["SELECT", "INSERT", "UPDATE", "DELETE"],
  email_links: ["SELECT", "INSERT", "UPDATE", "DELETE"],
  email_link_tokens: ["SELECT", "INSERT"],
  sessions: ["SELECT", "INSERT", "UPDATE", "DELETE"],
  people: ["SELECT", "INSERT", "UPDATE"],
  passkeys: ["SELECT", "INSERT", "UPDATE", "DELETE"],
  passkey_challenges: ["SELECT", "INSERT", "DELETE"],
  history_calls: ["SELECT", "INSERT", "UPDATE", "DELETE"],
  history_faults: ["SELECT", "INSERT", "UPDATE", "DELETE"],
  history_credits: ["SELECT", "INSERT", "UPDATE", "DELETE"],
  history_writers: ["SELECT", "INSERT", "UPDATE", "DELETE"],
  adjustments: ["SELECT", "INSERT"],
  plan_terms: ["SELECT", "INSERT"],
  service_settings: ["SELECT", "INSERT", "UPDATE"],
  mails: ["SELECT", "INSERT", "UPDATE", "DELETE"],
  call_replays: ["SELECT", "INSERT", "UPDATE", "DELETE"],
  kept_requests: ["SELECT", "INSERT", "DELETE"],
  kept_names: ["SELECT", "INSERT"],
  kept_marks: ["SELECT", "INSERT", "DELETE"],
}

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
