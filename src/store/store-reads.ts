import { type Run, selectAccounts, selectFirstCharge } from "./rows.ts"
import type { AccountRecord, FirstCharge, Store } from "./store.ts"

/** The reads of a store besides those of keys, and its count of replays, in any kind of store. */
export function prepareStoreReads({
  read,
  write,
}: Readonly<Record<"read" | "write", Run>>): Pick<
  Store,
  "findFirstCharge" | "countReplay" | "giveBackReplay" | "findAccount" | "monthUsage"
> {
  return {
    async findFirstCharge(accountId, keyHash, sinceMs) {
      const [row] = await read<FirstCharge>(selectFirstCharge, [accountId, keyHash, sinceMs])
      return row ?? null
    },
    async countReplay(accountId, keyHash, most) {
      const count = `UPDATE call_replays SET replays = replays + 1
        WHERE account_id = $1::text AND key_hash = $2::text AND replays < $3::bigint RETURNING 1`
      return (await write(count, [accountId, keyHash, most])).length > 0
    },
    async giveBackReplay(accountId, keyHash) {
      const giveBack = `UPDATE call_replays SET replays = replays - 1
        WHERE account_id = $1::text AND key_hash = $2::text AND replays > 0 RETURNING 1`
      await write(giveBack, [accountId, keyHash])
    },
    async findAccount(id) {
      const [row] = await read<AccountRecord>(`${selectAccounts} WHERE id = $1::text`, [id])
      return row ?? null
    },
    monthUsage: (accountId, periodStartMs) =>
      read(
        `SELECT day, api, sum(calls)::float8 AS calls, sum(credits)::float8 AS credits FROM all_usage
         WHERE account_id = $1::text AND period_start_ms = $2::bigint GROUP BY day, api ORDER BY day DESC, api`,
        [accountId, periodStartMs],
      ),
  }
}
