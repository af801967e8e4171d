import { type Address, isIpv6, toDotted } from "../../values/ip.ts"
import type { Clock } from "../contract.ts"
import { toALabels } from "./domain-name.ts"
import type { MacroValues } from "./macro.ts"
import type { MacroLetter } from "./record.ts"

/** Who sends: what the macros are filled from (RFC 7208 §7.2). */
export interface Identity {
  readonly ip: Address | null
  readonly localPart: string
  readonly senderDomain: string
  readonly helo: string
  /** The letters whose value the caller has given, and those that need none. */
  readonly known: ReadonlySet<MacroLetter>
  /** Unix time in whole seconds, for `t`. */
  readonly timestamp: number
}

export interface IdentityInput {
  readonly domain: string
  readonly ip: Address | null
  readonly sender: string | undefined
  readonly helo: string | undefined
}

/**
 * Fills in what is not given as for a null reverse-path: postmaster at the domain, which also said HELO
 * (RFC 7208 §2.4, §4.3).
 */
export async function toIdentity(input: IdentityInput, clock: Clock): Promise<Identity> {
  const { domain, ip, sender, helo } = input
  const given = sender ? sender : `postmaster@${domain}`
  const at = given.lastIndexOf("@")
  const senderDomain = given.slice(at + 1)
  const known = new Set<MacroLetter>(["d"])
  if (ip !== null) for (const letter of ["i", "v", "p"] as const) known.add(letter)
  if (sender) for (const letter of ["s", "l", "o"] as const) known.add(letter)
  if (helo !== undefined) known.add("h")
  return {
    ip,
    localPart: at > 0 ? given.slice(0, at) : "postmaster",
    senderDomain: (await toALabels(senderDomain)) ?? senderDomain,
    helo: helo === undefined ? domain : ((await toALabels(helo)) ?? helo),
    known,
    timestamp: Math.floor(clock.now() / 1000),
  }
}

/** Macro values while `domain` is evaluated. `validatedName` is the value of `p`. */
export function macroValues(identity: Identity, domain: string, validatedName: string): MacroValues {
  const { ip, localPart, senderDomain, helo, timestamp } = identity
  const values: Record<MacroLetter, () => string> = {
    s: () => `${localPart}@${senderDomain}`,
    l: () => localPart,
    o: () => senderDomain,
    d: () => domain,
    i: () => (ip === null ? "" : toDotted(ip).toUpperCase()),
    p: () => validatedName,
    v: () => (ip !== null && isIpv6(ip) ? "ip6" : "in-addr"),
    h: () => helo,
    c: () => (ip === null ? "" : ip.toString()),
    // The receiving host is not told to strangers; RFC 7208 §7.3 has this word for it.
    r: () => "unknown",
    t: () => String(timestamp),
  }
  return (letter) => values[letter]()
}
