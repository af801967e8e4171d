import type { Dns, DnsAnswer, DnsReply, DnsType, Random } from "../apis/contract.ts"
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

/**
 * The DNS as an operator's API sees it: the service asks.
 * @param ask sends a question to the service
 */
export function createThreadDns(ask: (question: number, asked: ThreadQuestion) => void) {
  const waiting = new Map<number, WaitingQuestion>()
  /** The questions in `waiting` that are not sent yet. */
  const unsent: number[] = []
  let lastQuestion = 0
  let lastRun = 0

  function sendNext(): void {
    if (waiting.size - unsent.length >= maxUnderWay) return
    const question = unsent.shift()
    const next = question === undefined ? undefined : waiting.get(question)
    if (question !== undefined && next) ask(question, next.asked)
  }

  function begin(): Dns {
    waiting.clear()
    unsent.length = 0
    const run = ++lastRun
    const lastOfRun = lastQuestion + maxQuestions
    async function askNext(asked: ThreadQuestion): Promise<DnsAnswer | DnsReply> {
      if (run !== lastRun || lastQuestion === lastOfRun) return { kind: "failure", reason: "aborted" }
      const question = ++lastQuestion
      const { promise, resolve } = Promise.withResolvers<DnsAnswer | DnsReply>()
      waiting.set(question, { asked, end: resolve })
      unsent.push(question)
      sendNext()
      return promise
    }

    return {
      // The service answers a question by its operation, with records of its type.
      async resolve<T extends DnsType>(name: string, type: T) {
        requireQuestion("resolve", name, type)
        return askNext({ name, type, exchange: null }) as Promise<DnsAnswer<T>>
      },
      async exchange(name, type, options) {
        requireQuestion("exchange", name, type)
        return askNext({ name, type, exchange: { dnssec: options?.dnssec === true } }) as Promise<DnsReply>
      },
    }
  }

  return {
    /** Returns the DNS of a new run. The objects of earlier runs answer nothing from then on. */
    begin,
    /** Takes the service's answer to a question. */
    take(question: number, answer: DnsAnswer | DnsReply) {
      waiting.get(question)?.end(answer)
      if (waiting.delete(question)) sendNext()
    },
  }
}

type WaitingQuestion = { readonly asked: ThreadQuestion; end(answer: DnsAnswer | DnsReply): void }

/** An API in JavaScript may ask for anything. */
function requireQuestion(operation: string, name: unknown, type: unknown): void {
  if (typeof name !== "string" || name.length > maxNameLength)
    throw new TypeError(`ports.dns.${operation} needs a name, a text of at most ${maxNameLength} characters`)
  if (typeof type === "string" && typeNumberOf(type) !== null) return
  const known = Object.keys(typeNumbers).join(", ")
  throw new TypeError(`ports.dns.${operation} answers for the types ${known}, and TYPE and a number, only`)
}

type Write = (...values: unknown[]) => void

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
  const write: Write = (...values) => {
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

/**
 * Random bytes from a seed of a cryptographic source: SHA-256 of the seed and a counter that grows (as Hash_DRBG, NIST SP 800-90A
 * §10.1.1). They cannot be predicted without the seed, and the same seed makes the same bytes.
 */
export function createRunRandom(seed: Uint8Array): Random {
  let counter = 0n
  return {
    bytes(length) {
      const bytes = new Uint8Array(length)
      for (let filled = 0; filled < length; filled += 32) {
        const count = new BigUint64Array([counter++])
        const block = new Bun.CryptoHasher("sha256").update(seed).update(count).digest()
        bytes.set(new Uint8Array(block).subarray(0, length - filled), filled)
      }
      return bytes
    },
  }
}
