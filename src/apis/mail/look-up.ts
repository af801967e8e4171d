import { toALabels } from "../../values/idna.ts"
import {
  type Dns,
  type DnsAnswer,
  type DnsData,
  type DnsFailed,
  type DnsType,
  reject as rejectParameter,
  type Timer,
  unavailable,
} from "../contract.ts"

/** Runs `work` with a signal that fires after `limitMs`. */
export async function withTimeLimit<T>(
  timer: Pick<Timer, "after">,
  limitMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController()
  const cancel = timer.after(limitMs, () => limit.abort())
  return Promise.try(work, limit.signal).finally(cancel)
}

/** The records of an answer; none without any. A failure refuses the call: nothing can be said about the name. */
export function requireRecords<T extends DnsType>(answer: DnsAnswer<T>, name: string): readonly DnsData[T][] {
  if (answer.kind === "failure") return refuseFailure(answer, name)
  return answer.kind === "records" ? answer.records : []
}

/** Refuses a call because the DNS gave no answer for a name. */
export function refuseFailure({ reason }: DnsFailed, name: string): never {
  unavailable(`The DNS gave no answer for ${name} (${reason}). Try again later.`, reason)
}

/** The questions of one call, each asked once. */
export type Lookups = ReturnType<typeof createLookups>

/**
 * Asks each question once. Questions over the limit are not sent and fail with `aborted`, and so do those without an answer when
 * the signal fires: in a thread, they would not end with it.
 */
export function createLookups(dns: Dns, signal: AbortSignal, most: number) {
  const answers = new Map<string, Promise<DnsAnswer>>()
  const abortedAnswer: DnsFailed = { kind: "failure", reason: "aborted" }
  const aborted = new Promise<DnsFailed>((resolve) => {
    signal.addEventListener("abort", () => resolve(abortedAnswer), { once: true })
  })
  return {
    /** Asks for a name without a trailing dot; one that cannot be asked for is answered `nxdomain`. Never throws. */
    async ask<T extends DnsType>(name: string, type: T): Promise<DnsAnswer<T>> {
      if (!isAskable(name)) return { kind: "nxdomain" }
      const key = `${type} ${name.toLowerCase()}`
      const known = answers.get(key)
      // The key contains the type, so the stored answer is of that type.
      if (known !== undefined) return known as Promise<DnsAnswer<T>>
      if (signal.aborted || answers.size >= most) return abortedAnswer
      const answer = Promise.race([dns.resolve(name, type, signal), aborted])
      answers.set(key, answer)
      return answer
    },
    /** Whether the signal has fired. */
    isOver: () => signal.aborted,
  }
}

/** The longest name and label of the DNS (RFC 1035 §2.3.4), the name as text without a trailing dot. */
export const maxNameBytes = 253
export const maxLabelBytes = 63

/**
 * Reads a domain as people write it: case and one trailing dot do not matter, and an internationalized name becomes
 * A-labels (RFC 5890 §2.3.2.1). Returns the name in lower case.
 * @throws InputRejected for the parameter; for SPF, RFC 7208 §4.3 has the result none
 */
export async function requireDomain(
  text: string,
  { parameter = "domain", leastLabels = 2 }: { parameter?: string; leastLabels?: 1 | 2 } = {},
): Promise<string> {
  const reject = (requirement: string) => rejectParameter(parameter, requirement)
  const rejectCharacters = () => reject("must be a domain name of letters, digits and hyphens")
  if (text === "") reject("must not be empty")
  // Keeps the slow conversion from long texts, none of which could become short enough.
  if (text.length > 1000) reject("must be at most 253 bytes long")
  if (/\s/u.test(text)) reject("must be a domain name without spaces")
  if (text.includes("/")) reject("must be a domain name such as example.com, not a URL")
  if (text.includes("@")) reject("must be a domain name such as example.com, not an e-mail address")

  const name = withoutTrailingDot((await toALabels(text)) ?? rejectCharacters()).toLowerCase()
  const labels = name.split(".")
  if (/^\[.*\]$|:/.test(name) || (labels.length > 1 && /^\d+$/.test(labels.at(-1) ?? "")))
    reject("must be a domain name, not an IP address")
  if (name.length > maxNameBytes) reject("must be at most 253 bytes long")
  if (labels.includes("")) reject("must not have empty labels")
  if (labels.some((label) => label.length > maxLabelBytes))
    reject("must not have a label of more than 63 bytes")
  if (labels.length < leastLabels) reject("must be a full domain name such as example.com")
  return /^[a-z\d._-]+$/.test(name) ? name : rejectCharacters()
}

/**
 * Reads the name of a question to the DNS as `requireDomain` does: one label is enough, and the first one may be the star of a
 * wildcard (RFC 4592), as in *.example.com.
 * @throws InputRejected for `name`
 */
export async function requireName(text: string): Promise<string> {
  const star = text.startsWith("*.") ? "*." : ""
  const name = star + (await requireDomain(text.slice(star.length), { parameter: "name", leastLabels: 1 }))
  return name.length > maxNameBytes ? rejectParameter("name", "must be at most 253 bytes long") : name
}

/** The name without the dot of the root at its end. */
function withoutTrailingDot(name: string): string {
  return name.endsWith(".") ? name.slice(0, -1) : name
}

/** Turns an expanded domain-spec into a lower-case name, without the left labels that exceed 253 bytes (RFC 7208 §7.3). */
export function toTargetName(expanded: string): string {
  const name = withoutTrailingDot(expanded).toLowerCase()
  if (name.length <= maxNameBytes) return name
  const dotAt = name.indexOf(".", name.length - maxNameBytes - 1)
  return dotAt < 0 ? name : name.slice(dotAt + 1)
}

/** Whether the DNS can be asked for a name. Any other name counts as one that does not exist (RFC 7208 §4.3). */
export function isAskable(name: string): boolean {
  return (
    name.length <= maxNameBytes &&
    /^[\x20-\x7e]+$/.test(name) &&
    name.split(".").every((label) => label !== "" && label.length <= maxLabelBytes)
  )
}

/** Whether `name`, in any case, is the lower-case `domain` or a name below it. Both without a trailing dot. */
export function isSameOrBelow(name: string, domain: string): boolean {
  const lower = name.toLowerCase()
  return lower === domain || lower.endsWith(`.${domain}`)
}
