import type { Dns, DnsAnswer, DnsType } from "../apis/contract.ts"

/** The DNS as an operator's API sees it: the service asks. */
export interface ThreadDns {
  /** Gives the DNS of a new run. Those of earlier runs answer nothing any more. */
  begin(): Dns
  /** Takes the service's answer to a question. */
  take(question: number, answer: DnsAnswer): void
}

/**
 * The service answers 240 questions of one call, and must hear of one more to know that the limit was exceeded. Others would only
 * cost it time: with 1,000 of each call, other calls waited up to 86 ms, with 250 up to 38.
 */
const maxQuestions = 250
const maxNameLength = 1_000
const types: readonly string[] = ["A", "AAAA", "TXT", "MX", "PTR"] satisfies DnsType[]

/** @param ask sends a question to the service */
export function createThreadDns(ask: (question: number, name: string, type: DnsType) => void): ThreadDns {
  const waiting = new Map<number, (answer: DnsAnswer) => void>()
  let lastQuestion = 0
  let lastRun = 0

  function begin(): Dns {
    waiting.clear()
    const run = ++lastRun
    const lastOfRun = lastQuestion + maxQuestions
    return {
      async resolve<T extends DnsType>(name: string, type: T): Promise<DnsAnswer<T>> {
        requireQuestion(name, type)
        if (run !== lastRun || lastQuestion === lastOfRun) return { kind: "failure", reason: "aborted" }
        const question = ++lastQuestion
        ask(question, name, type)
        return new Promise((resolve) => {
          // The service answers a question with records of its type.
          waiting.set(question, (answer) => resolve(answer as DnsAnswer<T>))
        })
      },
    }
  }

  return {
    begin,
    take(question, answer) {
      waiting.get(question)?.(answer)
      waiting.delete(question)
    },
  }
}

/** An API in JavaScript may ask for anything. */
function requireQuestion(name: unknown, type: unknown): void {
  if (typeof name !== "string" || name.length > maxNameLength) {
    throw new TypeError(`ports.dns.resolve needs a name, a text of at most ${maxNameLength} characters`)
  }
  if (typeof type !== "string" || !types.includes(type)) {
    throw new TypeError(`ports.dns.resolve answers for the types ${types.join(", ")} only`)
  }
}
