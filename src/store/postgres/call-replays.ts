import { type Charge, type FirstCharge, keepReplaysMs } from "../store.ts"
import { type Connection, toArray } from "./connection.ts"
import { sqlStateOf } from "./errors.ts"

/**
 * The part of a charging statement that keeps what was charged under Idempotency-Keys. It follows `charged`, which has the
 * numbers of the groups that were charged. The statement fails when one of the keys was charged before: then nothing of it is
 * done. It has the last parameters: the number of the group and the columns of each key.
 */
export const keepReplays = `kept AS (INSERT INTO call_replays (account_id, key_hash, input_hash, created_ms, credits)
  SELECT k.account_id, k.key_hash, k.input_hash, k.created_ms, k.credits
  FROM unnest($15::float8[], $16::text[], $17::text[], $18::text[], $19::bigint[],
    $20::bigint[]) AS k (number, account_id, key_hash, input_hash, created_ms, credits)
  WHERE k.number IN (SELECT number FROM charged))`

/** Whether a charging statement failed because one of its keys was charged before. */
export function isRepeated(cause: unknown): boolean {
  return sqlStateOf(cause) === "23505"
}

interface FoundCharge extends FirstCharge {
  readonly accountId: string
  readonly keyHash: string
}

/** Deletes keys that were kept for long enough, which would fail the next attempt, and returns the others. */
const findStatement = `
  WITH given AS (SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[]) AS given (account_id, key_hash, since_ms)),
  deleted AS (DELETE FROM call_replays r USING given
    WHERE r.account_id = given.account_id AND r.key_hash = given.key_hash AND r.created_ms <= given.since_ms)
  SELECT r.account_id AS "accountId", r.key_hash AS "keyHash", r.input_hash AS "inputHash", r.credits::float8 AS credits,
    r.created_ms::float8 AS "createdMs"
  FROM call_replays r JOIN given USING (account_id, key_hash) WHERE r.created_ms > given.since_ms`

/** Finds what was charged before under the Idempotency-Keys of some charges. */
export async function findFirstCharges(
  connection: Connection,
  pending: readonly { readonly charge: Charge }[],
  limitMs: number,
): Promise<(charge: Charge) => FirstCharge | undefined> {
  const keys = pending.flatMap(({ charge: { accountId, idempotent } }) =>
    idempotent ? [{ accountId, ...idempotent }] : [],
  )
  if (keys.length === 0) return () => undefined
  const columns = [
    toArray(keys.map(({ accountId }) => accountId)),
    toArray(keys.map(({ keyHash }) => keyHash)),
    toArray(keys.map(({ nowMs }) => nowMs - keepReplaysMs)),
  ]
  const found = await connection.run<FoundCharge>(findStatement, columns, limitMs)
  const byKey = new Map(found.map(({ accountId, keyHash, ...first }) => [`${accountId} ${keyHash}`, first]))
  return ({ accountId, idempotent }) => byKey.get(`${accountId} ${idempotent?.keyHash ?? ""}`)
}
