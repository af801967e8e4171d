import { isAscii } from "../../values/idna.ts"
import { toTargetName } from "../mail/domain-name.ts"
import type { Lookups } from "../mail/look-up.ts"
import { type Identity, macroValues } from "./identity.ts"
import { expandDomainSpec, lettersOf, type MacroValues } from "./macro.ts"
import type { Policies } from "./policy.ts"
import type { DomainSpec, MacroString } from "./record.ts"
import { chooseName, findHostNames } from "./validated-names.ts"

/** The parts that the report and the check of an address share in one validation. */
export type Session = { readonly identity: Identity; readonly lookups: Lookups; readonly policies: Policies }

/**
 * The name that a term asks for while `domain` is evaluated: `domain` itself without a domain-spec (RFC 7208 §4.8). Null
 * when the term cannot match, because a local-part with characters outside ASCII is never put into a name (RFC 8616 §4).
 */
export async function toTarget(spec: DomainSpec | null, domain: string, session: Session) {
  if (spec === null) return domain
  const [literal = "", ...more] = spec.macro
  // Nearly every term has a name and no macro.
  if (typeof literal === "string" && more.length === 0) return toAskedName(literal)
  if (usesNonAsciiLocalPart(spec.macro, session)) return null
  const values = await valuesFor(spec.macro, domain, session)
  return toAskedName(expandDomainSpec(spec.macro, values))
}

/** A backslash of a domain-spec stands for itself; in a name that is asked for it begins an escape. */
function toAskedName(expanded: string): string {
  return toTargetName(expanded).replaceAll("\\", "\\\\")
}

/** The macro values for one macro-string; host names are looked up only if it uses `p`. */
export async function valuesFor(macro: MacroString, domain: string, session: Session): Promise<MacroValues> {
  const { identity, lookups } = session
  const name =
    identity.ip !== null && lettersOf(macro).has("p")
      ? chooseName(await findHostNames(identity.ip, lookups), domain)
      : "unknown"
  return macroValues(identity, domain, name)
}

export function usesNonAsciiLocalPart(macro: MacroString, { identity }: Session): boolean {
  const letters = lettersOf(macro)
  return (letters.has("s") || letters.has("l")) && !isAscii(identity.localPart)
}

/** The parameters, in quotes, that a domain-spec needs and that were not given. */
export function missingParameters(spec: DomainSpec | null, { identity }: Session): string[] {
  if (spec === null || spec.macro.every((part) => typeof part === "string")) return []
  const unknown = [...lettersOf(spec.macro)].filter((letter) => !identity.known.has(letter))
  return [...new Set(unknown.map((letter) => parameterOf[letter] ?? "ip"))].map((name) => `'${name}'`)
}

/** The other letters of a domain-spec come from `ip`, except `d`, which is always known. */
const parameterOf: Readonly<Record<string, string>> = { s: "sender", l: "sender", o: "sender", h: "helo" }
