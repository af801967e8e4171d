import type { Random } from "../../apis/contract.ts"

const wellFormed = /^[A-Za-z0-9._-]{1,128}$/

/** Takes a well-formed incoming `X-Request-ID`, and makes an id otherwise: a random prefix of the process and a count. */
export function createRequestIds(random: Random): (incoming: string | null) => string {
  const prefix = Buffer.from(random.bytes(9)).toString("base64url")
  let count = 0
  return (incoming) => {
    if (incoming !== null && wellFormed.test(incoming)) return incoming
    count++
    return `${prefix}.${count.toString(36)}`
  }
}
