import {
  type DnsAnswer,
  type DnsData,
  type DnsFailed,
  type DnsType,
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
