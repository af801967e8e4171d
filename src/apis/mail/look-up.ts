import {
  type Dns,
  type DnsAnswer,
  type DnsData,
  type DnsFailed,
  type DnsType,
  type Timer,
  unavailable,
} from "../contract.ts"
import { isAskable } from "./domain-name.ts"

/** Runs `work` with a signal that fires after `limitMs`. */
export async function withTimeLimit<T>(
  timer: Pick<Timer, "after">,
  limitMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController()
  const cancel = timer.after(limitMs, () => limit.abort())
  try {
    return await work(limit.signal)
  } finally {
    cancel()
  }
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
