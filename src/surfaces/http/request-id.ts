import type { Random } from "../../apis/contract.ts"

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
