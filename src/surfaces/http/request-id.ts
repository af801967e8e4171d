import type { Random } from "../../apis/contract.ts"
import { Fault } from "../../call/fault.ts"

const wellFormed = /^[A-Za-z0-9._-]{1,128}$/

/**
 * Takes a well-formed incoming `X-Request-ID`, and makes an id otherwise: a random prefix of the process and a count. An id that
 * holds a key, or is the one that the request sends, is not taken, since ids are logged and sent back.
 */
export function createRequestIds(
  random: Random,
  holdsKey: (text: string) => boolean,
): (incoming: string | null, sentKey: string | null) => string {
  const prefix = Buffer.from(random.bytes(9)).toString("base64url")
  let count = 0
  return (incoming, sentKey) => {
    if (incoming !== null && wellFormed.test(incoming) && incoming !== sentKey && !holdsKey(incoming)) {
      return incoming
    }
    count++
    return `${prefix}.${count.toString(36)}`
  }
}

/** @throws Fault for a request with two ids, which come as `a, b`: a log must not choose one (RFC 9110 §5.3) */
export function requireOneId({ headers }: Request): void {
  if (!headers.get("x-request-id")?.includes(",")) return
  throw new Fault("inputRejected", "The request header 'X-Request-ID' must be sent once, without a comma.")
}
