import { holdsKey } from "../accounts/key.ts"
import type { Caller } from "./caller.ts"
import { Fault } from "./fault.ts"
import { hashInput } from "./input-hash.ts"
import type { OnceCall } from "./once.ts"
import type { Pipeline } from "./pipeline.ts"

/** What a call with an Idempotency-Key asks for. */
interface OnceRequest {
  /** The key as it was sent. */
  readonly key: string
  readonly path: string
  /** A JSON value. */
  readonly input: unknown
}

/**
 * Works for a call with an Idempotency-Key.
 * @param work charges with what it gets, which then says whether it was charged before
 * @throws Fault when the key is malformed or may not be used now, and what `work` throws
 */
export async function workOnce<T>(
  { key, path, input }: OnceRequest,
  caller: Caller,
  pipeline: Pipeline,
  work: (once: OnceCall) => Promise<T>,
): Promise<T> {
  const mistake = mistakeOfIdempotencyKey(key)
  if (mistake !== null) {
    const parameter = "Idempotency-Key"
    throw new Fault("inputRejected", `The request header '${parameter}' ${mistake}.`, { parameter })
  }
  const giveWay = () => pipeline.scheduler.giveWay(caller.account.id)
  const inputHash = await hashInput(`${key}\n${path}`, input, giveWay)
  const keyHash = Bun.SHA256.hash(key, "hex")
  const { once, end } = await pipeline.charges.once.begin(caller, { keyHash, inputHash })
  try {
    return await work(once)
  } finally {
    end()
  }
}

/** Printable ASCII, which every HTTP library can send. */
const idempotencyKeyForm = /^[\x20-\x7e]{1,255}$/

/** What is wrong with an Idempotency-Key (draft-ietf-httpapi-idempotency-key-header), as "must …"; null if it is right. */
export function mistakeOfIdempotencyKey(key: string): string | null {
  if (!idempotencyKeyForm.test(key)) return "must be 1 to 255 printable ASCII characters"
  return holdsKey(key) ? "must not hold a key; send a random text such as a UUID" : null
}
