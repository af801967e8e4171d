import type { Dns, DnsAnswer, DnsType } from "../apis/contract.ts"

/** The DNS as an operator's API sees it: the service asks. */
export interface ThreadDns {
  /** Gives the DNS of a new run. Those of earlier runs answer nothing any more. */
  begin(): Dns
  /** Takes the service's answer to a question. */
  take(question: number, answer: DnsAnswer): void
}

/** The service answers 240 questions of one call, and must hear of one more to know that the limit was exceeded. */
const maxQuestions = 241
/**
 * So many questions of a call wait for their answers at a time, as of a built-in API. The others wait here: each costs the service
 * about 0.15 ms, and other calls wait while it handles many in one turn.
 */
const maxUnderWay = 16
const maxNameLength = 1_000
const types: readonly string[] = ["A", "AAAA", "TXT", "MX", "PTR"] satisfies DnsType[]

/** @param ask sends a question to the service */
export function createThreadDns(ask: (question: number, name: string, type: DnsType) => void): ThreadDns {
  const waiting = new Map<number, WaitingQuestion>()
  /** The questions in `waiting` that are not sent yet. */
  const unsent: number[] = []
  let lastQuestion = 0
  let lastRun = 0

  function sendNext(): void {
    if (waiting.size - unsent.length >= maxUnderWay) return
    const question = unsent.shift()
    const next = question === undefined ? undefined : waiting.get(question)
    if (question !== undefined && next) ask(question, next.name, next.type)
  }

  function begin(): Dns {
    waiting.clear()
    unsent.length = 0
    const run = ++lastRun
    const lastOfRun = lastQuestion + maxQuestions
    return {
      async resolve<T extends DnsType>(name: string, type: T): Promise<DnsAnswer<T>> {
        requireQuestion(name, type)
        if (run !== lastRun || lastQuestion === lastOfRun) return { kind: "failure", reason: "aborted" }
        const question = ++lastQuestion
        const { promise, resolve } = Promise.withResolvers<DnsAnswer<T>>()
        // The service answers a question with records of its type.
        waiting.set(question, { name, type, end: (answer) => resolve(answer as DnsAnswer<T>) })
        unsent.push(question)
        sendNext()
        return promise
      },
    }
  }

  return {
    begin,
    take(question, answer) {
      waiting.get(question)?.end(answer)
      if (waiting.delete(question)) sendNext()
    },
  }
}

interface WaitingQuestion {
  readonly name: string
  readonly type: DnsType
  end(answer: DnsAnswer): void
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
