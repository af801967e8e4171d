import { type DnsAnswer, type DnsData, type DnsFailed, type DnsType, unavailable } from "../contract.ts"

/** The records of an answer; none without any. A failure refuses the call: nothing can be said about the name. */
export function requireRecords<T extends DnsType>(answer: DnsAnswer<T>, name: string): readonly DnsData[T][] {
  if (answer.kind === "failure") return refuseFailure(answer, name)
  return answer.kind === "records" ? answer.records : []
}

/** Refuses a call because the DNS gave no answer for a name. */
export function refuseFailure({ reason }: DnsFailed, name: string): never {
  unavailable(`The DNS gave no answer for ${name} (${reason}). Try again later.`, reason)
}
