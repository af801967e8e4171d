/** Tokens of tests, and what jwtdecoder says of them. */
import { createHmac } from "node:crypto"
import { jwtdecoder } from "../../src/apis/jwtdecoder/index.ts"
import { createManualClock } from "./clock.ts"
import { portsFor } from "./zone-ports.ts"

export const now = 1_800_000_000
const ports = { ...portsFor({}), clock: createManualClock(new Date(now * 1000).toISOString()) }

export interface Options {
  readonly premium?: boolean
  readonly clock_tolerance?: number
  readonly key_encoding?: "text" | "hex" | "base64"
  readonly payload?: string
  readonly audience?: string
  readonly issuer?: string
}

export async function decode(token: string, key?: string, { premium = true, ...more }: Options = {}) {
  const input = { token, ...more, ...(key !== undefined && { key }) }
  const answer = await jwtdecoder.run(input, { ports, giveWay: () => undefined, premium })
  return { ...answer, codes: answer.problems.map(({ code }): string => code) }
}

export const encode = (text: string) => Buffer.from(text).toString("base64url")
export const secret = "a shared secret of more than 32 bytes"

export function token(header: object | string, claims: unknown = { exp: now + 60 }, key = secret): string {
  const text = [header, claims].map((part) => encode(typeof part === "string" ? part : JSON.stringify(part)))
  return `${text.join(".")}.${createHmac("sha256", key).update(text.join(".")).digest("base64url")}`
}
export const hs256 = { alg: "HS256" }
