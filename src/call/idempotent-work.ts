import { holdsKey } from "../accounts/key.ts"
import type { Caller } from "./caller.ts"
import { Fault } from "./fault.ts"
import type { IdempotentCall } from "./idempotency.ts"
import { hashInput } from "./input-hash.ts"
import type { Pipeline } from "./pipeline.ts"
import type { PreparedApi } from "./prepared-api.ts"
import { asksOutside } from "./run.ts"

/** The contents of a call with an Idempotency-Key. */
interface IdempotentRequest {
  /** The key as it was sent. */
  readonly key: string
  readonly path: string
  /** A JSON value. */
  readonly input: unknown
  /** The APIs that it calls. */
  readonly apis: readonly PreparedApi[]
}

/**
 * Works for a call with an Idempotency-Key.
 * @param work charges with what it gets, which then says whether it was charged before; with null as a call without a key
 * @throws Fault when the key is malformed or may not be used now, and what `work` throws
 */
export async function workIdempotently<T>(
  { key, path, input, apis }: IdempotentRequest,
  caller: Caller,
  pipeline: Pipeline,
  work: (idempotent: IdempotentCall | null) => Promise<T>,
): Promise<T> {
  const mistake = mistakeOfIdempotencyKey(key)
  if (mistake !== null) {
    const parameter = "Idempotency-Key"
    throw new Fault("inputRejected", `The request header '${parameter}' ${mistake}.`, { parameter })
  }
  const giveWay = () => pipeline.scheduler.giveWay(caller.account.id)
  const inputHash = await hashInput(`${key}\n${path}`, input, giveWay)
  const hashes = { keyHash: Bun.SHA256.hash(key, "hex"), inputHash }
  const { idempotent, end } = await pipeline.charges.idempotent.begin(caller, hashes, apis.some(asksOutside))
  try {
    return await work(idempotent)
  } finally {
    await end()
  }
}

/** Printable ASCII, which every HTTP library can send. A comma may be that between two headers (RFC 9110 §5.3). */
const idempotencyKeyForm = /^[\x20-\x2b\x2d-\x7e]{1,255}$/

/** The fault of an Idempotency-Key (draft-ietf-httpapi-idempotency-key-header), as "must …"; null if it is right. */
export function mistakeOfIdempotencyKey(key: string): string | null {
  if (!idempotencyKeyForm.test(key))
    return "must be sent once: 1 to 255 printable ASCII characters without a comma"
  return holdsKey(key) ? "must not hold a key; send a random text such as a UUID" : null
}
