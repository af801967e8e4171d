import { toALabels } from "../../values/idna.ts"
import { type Address, isIpv6, toDotted } from "../../values/ip.ts"
import type { Clock } from "../contract.ts"
import type { MacroValues } from "./macro.ts"
import type { MacroLetter } from "./record.ts"
import type { SpfInput } from "./schema.ts"

/** The sender of a mail, from whom macros take their values (RFC 7208 §7.2). */
export type Identity = Awaited<ReturnType<typeof toIdentity>>

/** Defaults are those of an empty MAIL FROM: postmaster at the domain, which also is the HELO name (RFC 7208 §2.4, §4.3). */
export async function toIdentity(
  domain: string,
  ip: Address | null,
  { sender, helo }: Pick<SpfInput, "sender" | "helo">,
  clock: Clock,
) {
  const given = sender || `postmaster@${domain}`
  const at = given.lastIndexOf("@")
  const senderDomain = given.slice(at + 1)
  return {
    ip,
    localPart: at > 0 ? given.slice(0, at) : "postmaster",
    senderDomain: (await toALabels(senderDomain)) ?? senderDomain,
    helo: helo === undefined ? domain : ((await toALabels(helo)) ?? helo),
    /** The macro letters whose value comes from the caller and is not a default. */
    known: new Set<MacroLetter>([
      "d",
      ...(ip === null ? [] : (["i", "v", "p"] as const)),
      ...(sender ? (["s", "l", "o"] as const) : []),
      ...(helo === undefined ? [] : (["h"] as const)),
    ]),
    /** Unix time in whole seconds, for `t`. */
    timestamp: Math.floor(clock.now() / 1000),
  }
}

/** The macro values while `domain` is evaluated; `validatedName` is the value of `p`. */
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
    // RFC 7208 §7.3 has this word for a receiving host that does not give its name away.
    r: () => "unknown",
    t: () => String(timestamp),
  }
  return (letter) => values[letter]()
}
