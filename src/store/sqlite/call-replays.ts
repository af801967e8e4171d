import type { Database } from "bun:sqlite"
import { selectFirstCharge } from "../rows.ts"
import {
  type ChargeItem,
  type FirstCharge,
  type IdempotencyKey,
  keepReplaysMs,
  sumCredits,
} from "../store.ts"
import { toSqlite } from "./statement.ts"

const select = toSqlite(selectFirstCharge)

/** A key that was kept for long enough is taken over by the next charge under it. */
const insert = `INSERT INTO call_replays (account_id, key_hash, input_hash, created_ms, credits) VALUES (?1, ?2, ?3, ?4, ?5)
  ON CONFLICT DO UPDATE SET input_hash = excluded.input_hash, created_ms = excluded.created_ms, credits = excluded.credits, replays = 0`

/** Prepares the charges under Idempotency-Keys on one connection. To be called in the transaction that charges. */
export function prepareCallReplays(database: Database) {
  return {
    find: (accountId: string, { keyHash, nowMs }: IdempotencyKey): FirstCharge | null =>
      database
        .query<FirstCharge, [string, string, number]>(select)
        .get(accountId, keyHash, nowMs - keepReplaysMs),
    keep(
      accountId: string,
      { keyHash, inputHash, nowMs }: IdempotencyKey,
      items: readonly ChargeItem[],
    ): void {
      const credits = sumCredits(items)
      database.query(insert).run(accountId, keyHash, inputHash, nowMs, credits)
    },
  }
}
