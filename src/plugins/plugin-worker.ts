import { join } from "node:path"
import {
  ApiMistake,
  type DnsAnswer,
  type DnsReply,
  type Ports,
  type RunContext,
  reject,
  unavailable,
} from "../apis/contract.ts"
import { threadMs } from "../ports/machine.ts"
import type { MemoryWatch } from "./memory-watch.ts"
import { type FromWorker, type ToWorker, ticksPerMs } from "./messages.ts"
import { type Excess, Overrun } from "./overrun.ts"
import { PluginRefused } from "./plugin-refused.ts"
import { createRunQuestions, type Place, type RunQuestions } from "./run-questions.ts"

/** A thread with one API of the operator in it. It does one thing at a time, so that a call that hangs holds up no other. */
export type PluginWorker = Awaited<ReturnType<typeof startPluginWorker>>["worker"]

/** Everything that a run in a thread gets besides its input. */
export type CallContext = Pick<RunContext, "ports" | "premium"> & {
  /** The id of an isolated API, whose input is to blame for a run that asks for too much. */
  readonly api?: string
  readonly place: Place
}

/** The limits of one run. */
export interface RunLimits {
  readonly limitMs: number
  readonly maxOutputLength: number
  /** The memory that a run may take. */
  readonly maxMemoryBytes: number
  /** The memory that its thread may keep after it. */
  readonly maxKeptBytes: number
  /** The time in which others may answer its questions, in all. Later ones get no answer. */
  readonly maxAskingMs: number
}

/** Thrown if a run did not begin, since something that an earlier one left behind kept its thread busy or ended it. */
export class ThreadBusy extends Error {
  override readonly name = "ThreadBusy"
}

/** The parts of the service that a thread needs, and the receivers of events outside of an API's runs. */
interface ThreadParts extends Pick<Ports, "timer"> {
  /** Null where memory cannot be watched. */
  readonly memory: MemoryWatch | null
  /** Something failed that no run waits for. */
  onUncaught(cause: string): void
  /** It wrote to the console. */
  onSaid(text: string): void
}

/**
 * A thread that was ended goes on until the native function returns that it is in. It counts as running for this time at most, so
 * that calls which wait for its place, for ten seconds at most, still get it.
 */
const maxEndingMs = 5_000
/** A thread that is not busy begins a run within less than a millisecond. */
const beginMs = 1_000
/** An isolated API also loads its libraries before it begins. */
const loadMs = 30_000
/** After so many times its limit a run is late, however little processor time it had. */
const maxLimits = 10
/** The shortest time between two looks at the processor time of a run. */
const lookMs = 5
/**
 * Runs after which a thread of an operator's API ends, which frees memory that the API keeps by mistake. One of isolated APIs
 * tells what it keeps. A new one would have to compile its code again, for some thousand runs.
 */
const maxRuns = 10_000

/** Beside this file; in a build, the entry point that `scripts/build.ts` adds. */
const workerFile = import.meta.path.endsWith(".ts") ? "worker.ts" : "plugins/worker.js"

/**
 * Starts a worker with the API of a file.
 * @returns the worker and the definition as text, see `unpackDefinition`
 * @throws PluginRefused when the file cannot be loaded within the time
 */
export async function startPluginWorker(
  source: Omit<ToWorker & { kind: "load" }, "kind" | "shared">,
  { timer, memory, onUncaught, onSaid }: ThreadParts,
  limits: Pick<RunLimits, "limitMs" | "maxMemoryBytes">,
) {
  const thread = new Worker(join(import.meta.dir, workerFile))
  const shared = new Int32Array(new SharedArrayBuffer(20))
  let runs = 0
  let isAlive = true
  /** Whether it ends after its run. */
  let isWorn = false
  /** Takes the message that ends the present request. Null if there is none. */
  let waiting: ((message: FromWorker | Ended) => void) | null = null
  /** The questions of the present run; null if there is none. */
  let questions: RunQuestions | null = null
  /** Null while a run goes on. */
  let usedMs: number | null = null
  let isIsolated = false
  let isGone = false
  /** Called when the thread is gone. */
  let onGone = () => {}

  function finish(message: FromWorker | Ended): void {
    const take = waiting
    waiting = null
    take?.(message)
  }

  function endWith(message: Ended): void {
    isAlive = false
    finish(message)
    thread.terminate()
  }

  thread.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if (data.kind === "ask") answer(data).catch(endAsking)
    else if (data.kind === "get") read(data).catch(endAsking)
    else if (data.kind === "said") onSaid(data.text)
    else if (data.kind === "full") isWorn = true
    else if (data.kind === "uncaught") {
      // While it loads, nothing of a call can be left over.
      if (runs > 0) isWorn = true
      onUncaught(data.cause)
    } else finish(data)
  }
  thread.onerror = ({ message }) => {
    isAlive = false
    finish({ kind: "ended", cause: message })
  }
  thread.addEventListener("close", () => {
    isAlive = false
    isGone = true
    finish({ kind: "ended", cause: "its thread ended by itself, as when an API exits" })
    onGone()
  })

  async function answer({ question, asked }: FromWorker & { kind: "ask" }): Promise<void> {
    const { name, type, exchange } = asked
    await questions?.ask<DnsAnswer | DnsReply>(
      ({ dns }, signal) =>
        exchange ? dns.exchange(name, type, exchange, signal) : dns.resolve(name, type, signal),
      (answer) => send({ kind: "answer", question, answer }),
    )
  }

  async function read({ request, url }: FromWorker & { kind: "get" }): Promise<void> {
    await questions?.ask(
      ({ web }, signal) => web.get(url, signal),
      (answer) => send({ kind: "got", request, answer }),
    )
  }

  /** The thread has refused what cannot be asked, so this is a mistake of the program, whose message may quote the name. */
  function endAsking(thrown: unknown): void {
    const error = thrown instanceof Error ? thrown.constructor.name : typeof thrown
    endWith({
      kind: "ended",
      cause: `the network cannot be asked: ${error} (message withheld: it may quote input)`,
    })
  }

  function send(message: ToWorker): void {
    thread.postMessage(message)
  }

  /** A time of the thread that it has set, see {@link ToWorker}. */
  const sharedMs = (index: number) => Atomics.load(shared, index) / ticksPerMs
  const hasBegun = (number: number) => Atomics.load(shared, 0) === number
  /** Whether the present run has its code, which isolated APIs load. */
  const hasLoaded = () => Atomics.load(shared, 4) === runs
  const nowMs = () => threadMs(Atomics.load(shared, 1))

  /** Asks for something and waits for its end. A thread that takes too long or too much is ended: nothing else stops it. */
  function ask(
    message: ToWorker,
    { limitMs, maxMemoryBytes }: Pick<RunLimits, "limitMs" | "maxMemoryBytes">,
  ): Promise<FromWorker | Ended> {
    const { promise, resolve } = Promise.withResolvers<FromWorker | Ended>()
    const late: Ended = {
      ...({ kind: "ended", excess: "time" } as const),
      cause: `it did not end within ${limitMs / 1_000} s`,
    }
    const large: Ended = {
      ...({ kind: "ended", excess: "memory" } as const),
      cause: `it took more than the ${maxMemoryBytes} bytes of --api-memory`,
    }
    let cancel = () => {}
    let passedMs = 0
    let loadingMs = 0
    const lookAfter = (ms: number) => {
      passedMs += ms
      cancel = timer.after(ms, look)
    }
    // On a busy machine the thread had less processor time than has passed.
    const look = () => {
      const isLoading = isIsolated && !hasLoaded()
      if (isLoading) loadingMs = passedMs
      const endMs = isIsolated ? nowMs() : null
      const usedMs = isLoading ? 0 : (endMs ?? Number.POSITIVE_INFINITY) - sharedMs(3)
      const isLate = loadingMs >= loadMs || passedMs - loadingMs >= limitMs * maxLimits
      if (isLate || usedMs >= limitMs) endWith(late)
      else lookAfter(Math.max(lookMs, limitMs - usedMs))
    }
    lookAfter(limitMs)
    const unwatch = memory?.watch(
      () => Atomics.load(shared, 1),
      maxMemoryBytes,
      () => endWith(large),
    )
    // It keeps the process running while something is asked for, and no longer.
    thread.ref()
    waiting = (end) => {
      thread.unref()
      cancel()
      unwatch?.()
      resolve(end)
    }
    send(message)
    return promise
  }

  const computedMs = () => (hasLoaded() ? (nowMs() ?? 0) - sharedMs(3) : 0)
  const worker = {
    /** The processor time of the present run, in milliseconds; 0 before it begins and where it is not known. */
    computedMs,
    /** Milliseconds of processor time of an isolated API's present or last run; null where they are not known or do not count. */
    usedMs: () => {
      const endingMs = isAlive || isGone || usedMs === null ? null : nowMs()
      if (endingMs !== null) usedMs = endingMs - sharedMs(2)
      return usedMs ?? (isIsolated && questions ? computedMs() : null)
    },
    /** Whether it can run again. A worker that failed to answer in time, ended, or has something left over from a run, cannot. */
    isUsable: () => isAlive && !isWorn,
    /**
     * Ends the thread.
     * @param tell called once when it is gone, or has taken five seconds to end
     */
    end(tell?: () => void) {
      endWith({ kind: "ended", cause: "it was ended" })
      if (!tell) return
      if (isGone) return tell()
      const cancel = timer.after(maxEndingMs, () => onGone())
      onGone = () => {
        cancel()
        onGone = () => {}
        tell()
      }
    },
    /**
     * Runs the API once. Returns its output, which is plain data but not checked yet.
     * @throws InputRejected, Unavailable, ApiMistake for any fault of the API, ThreadBusy if the run did not begin, and
     * Overrun for an isolated API
     */
    async run(
      input: unknown,
      { ports: given, premium, api, place }: CallContext,
      limits: RunLimits,
    ): Promise<unknown> {
      isIsolated = api !== undefined
      usedMs = null
      questions = createRunQuestions(given, place, limits.maxAskingMs)
      const seed = given.random.bytes(32).toHex()
      const number = ++runs
      if (runs === maxRuns && !isIsolated) isWorn = true
      const endUnlessBegun = () => {
        if (!hasBegun(number)) endWith({ kind: "ended", cause: "it is busy" })
      }
      // The time in which an isolated API loads its code has a bound of its own.
      const cancel = isIsolated ? null : timer.after(Math.min(beginMs, limits.limitMs / 2), endUnlessBegun)
      const asked = {
        kind: "run",
        ...{ number, api },
        input: JSON.stringify(input),
        premium,
        nowMs: given.clock.now(),
        seed,
        maxOutputLength: limits.maxOutputLength,
        maxKeptBytes: limits.maxKeptBytes,
      } as const
      const message = await ask(asked, limits)
      cancel?.()
      questions.end()
      questions = null
      const isEnded = message.kind === "ended"
      const endMs = isEnded ? nowMs() : sharedMs(3)
      usedMs = isIsolated && endMs !== null ? endMs - sharedMs(2) : null
      if (isEnded && !hasBegun(number)) throw new ThreadBusy()
      if (message.kind === "overrun") throw new Overrun(message.excess)
      if (message.kind === "ended" && message.excess && isIsolated) throw new Overrun(message.excess)
      if (message.kind === "done") return JSON.parse(message.output)
      if (message.kind === "rejected") reject(message.parameter, message.requirement)
      if (message.kind === "unavailable") unavailable(message.sentence, message.reason)
      if (message.kind === "failed") throw new ApiMistake(message.cause, message.detail)
      throw new ApiMistake(message.kind === "ended" ? message.cause : "it sent something unexpected")
    },
  }

  const loaded = await ask({ kind: "load", ...source, shared: shared.buffer }, limits)
  if (loaded.kind === "loaded") return { worker, definition: loaded.definition }
  worker.end()
  if (loaded.kind === "refused") throw new PluginRefused(loaded.problem)
  throw new PluginRefused(`${source.file} cannot be loaded: ${"cause" in loaded ? loaded.cause : "unknown"}.`)
}

/** The thread is gone. */
type Ended = { readonly kind: "ended"; readonly cause: string; readonly excess?: Excess }
