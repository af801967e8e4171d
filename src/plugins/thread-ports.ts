import type { Dns, DnsAnswer, DnsReply, DnsType, Web, WebAnswer } from "../apis/contract.ts"
import { typeNumberOf, typeNumbers } from "../ports/dns/record-types.ts"
import type { ThreadQuestion } from "./messages.ts"

/** The service answers 240 questions of one call, and must hear of one more to know that the limit was exceeded. */
const maxQuestions = 241
/**
 * Questions of a call that are asked at a time, as for a built-in API. The others wait here: each costs the service about 0.15
 * ms, and other calls wait while it handles many in one turn.
 */
const maxUnderWay = 16
const maxNameLength = 1_000
/** The service sends at most 30 requests of one call, and must hear of one more to know that the limit was exceeded. */
const maxRequests = 31
const maxUrlLength = 4_000

/**
 * Numbers the questions of a run, which the service answers. A question over the limit of its run is not sent, nor one of an
 * earlier run: both get null, and those of earlier runs that wait get no answer.
 * @param send sends a question to the service
 */
function createQuestions<Asked, Answer>(
  send: (question: number, asked: Asked) => void,
  { most, mostUnderWay = most }: { readonly most: number; readonly mostUnderWay?: number },
) {
  const waiting = new Map<number, { readonly asked: Asked; end(answer: Answer): void }>()
  /** The questions in `waiting` that are not sent yet. */
  const unsent: number[] = []
  let lastQuestion = 0
  let lastRun = 0

  function sendNext(): void {
    if (waiting.size - unsent.length >= mostUnderWay) return
    const question = unsent.shift()
    const next = question === undefined ? undefined : waiting.get(question)
    if (question !== undefined && next) send(question, next.asked)
  }

  return {
    /** Returns the function that asks in a new run. */
    begin() {
      waiting.clear()
      unsent.length = 0
      const run = ++lastRun
      const lastOfRun = lastQuestion + most
      return (asked: Asked): Promise<Answer> | null => {
        if (run !== lastRun || lastQuestion === lastOfRun) return null
        const question = ++lastQuestion
        const { promise, resolve } = Promise.withResolvers<Answer>()
        waiting.set(question, { asked, end: resolve })
        unsent.push(question)
        sendNext()
        return promise
      }
    },
    /** Takes the service's answer to a question. */
    take(question: number, answer: Answer) {
      waiting.get(question)?.end(answer)
      if (waiting.delete(question)) sendNext()
    },
  }
}

const aborted = { kind: "failure", reason: "aborted" } as const

/** The DNS as an operator's API sees it: the service asks. `begin` returns that of a new run. */
export function createThreadDns(send: (question: number, asked: ThreadQuestion) => void) {
  const limits = { most: maxQuestions, mostUnderWay: maxUnderWay }
  const { begin, take } = createQuestions<ThreadQuestion, DnsAnswer | DnsReply>(send, limits)
  return {
    begin(): Dns {
      const ask = begin()
      return {
        // The service answers a question by its operation, with records of its type.
        async resolve<T extends DnsType>(name: string, type: T) {
          requireQuestion("resolve", name, type)
          return ((await ask({ name, type, exchange: null })) ?? aborted) as DnsAnswer<T>
        },
        async exchange(name, type, options) {
          requireQuestion("exchange", name, type)
          const exchange = { dnssec: options?.dnssec === true }
          return ((await ask({ name, type, exchange })) ?? aborted) as DnsReply
        },
      }
    },
    take,
  }
}

/** HTTPS as an operator's API sees it: the service sends the requests, in turns. */
export function createThreadWeb(send: (request: number, url: string) => void) {
  const { begin, take } = createQuestions<string, WebAnswer>(send, { most: maxRequests })
  return {
    begin(): Web {
      const ask = begin()
      return {
        async get(url) {
          if (typeof url !== "string" || url.length > maxUrlLength)
            throw new TypeError(`ports.web.get needs a URL, a text of at most ${maxUrlLength} characters`)
          return (await ask(url)) ?? { ...aborted, certificates: [] }
        },
      }
    },
    take,
  }
}

/** An API in JavaScript may ask for anything. */
function requireQuestion(operation: string, name: unknown, type: unknown): void {
  if (typeof name !== "string" || name.length > maxNameLength)
    throw new TypeError(`ports.dns.${operation} needs a name, a text of at most ${maxNameLength} characters`)
  if (typeof type === "string" && typeNumberOf(type) !== null) return
  const known = Object.keys(typeNumbers).join(", ")
  throw new TypeError(`ports.dns.${operation} answers for the types ${known}, and TYPE and a number, only`)
}

/** The module is loaded with the first line: each thread would keep 1 MB of it, and few APIs write anything. */
const format = (...values: unknown[]) => process.getBuiltinModule("node:util").format(...values)

/** Lines of one run. More could fill the log's disk, and take the service's time. */
const maxLines = 20
const maxLength = 500

/**
 * The console of an operator's API. It writes to the log, since a program may read standard output.
 * @param say sends a line to the service
 */
export function createThreadConsole(say: (text: string) => void) {
  let lines = 0
  const write: (...values: unknown[]) => void = (...values) => {
    lines++
    if (lines > maxLines + 1) return
    if (lines > maxLines) say("… (the rest of what this call writes is left out)")
    else say(format(...values).slice(0, maxLength))
  }
  return {
    console: { log: write, info: write, warn: write, error: write, debug: write, trace: write },
    /** Begins a run. */
    begin() {
      lines = 0
    },
  }
}

/**
 * Functions that would change the whole service, as another working directory would move its files. Node.js keeps them from
 * threads too (https://nodejs.org/api/worker_threads.html#class-worker).
 */
const ofWholeProcess = "abort chdir initgroups setegid seteuid setgid setgroups setuid umask".split(" ")

/** Makes these functions of `process` throw, and signals to the service. */
export function protectProcess(target: {
  readonly pid: number
  readonly ppid: number
  kill(pid: number, signal?: string | number): boolean
}): void {
  for (const name of ofWholeProcess) {
    const value = () => {
      throw new Error(`process.${name}() is not for an API: it would change the whole service`)
    }
    Object.defineProperty(target, name, { value })
  }
  const { kill, pid } = target
  const value = (to: number, signal?: string | number) => {
    // 0 and less are groups of processes, and the one of the service is among them. Signal 0 only asks whether a process exists.
    if (signal !== 0 && (to <= 0 || to === pid || to === target.ppid))
      throw new Error(`process.kill(${to}) is not for an API: it would end the service`)
    return kill.call(target, to, signal)
  }
  for (const name of ["kill", "_kill"]) Object.defineProperty(target, name, { value })
}
