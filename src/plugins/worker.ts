/** Runs in a worker: loads one API of the operator, or isolated ones of the catalog, and runs calls, one after the other. */
import { plugin } from "bun"
import {
  type ApiDefinition,
  ApiMistake,
  InputRejected,
  type Ports,
  reject,
  Unavailable,
} from "../apis/contract.ts"
import type { IsolatedRuns } from "../apis/isolated-runs.ts"
import { systemClock } from "../ports/clock.ts"
import {
  collectGarbage,
  collectValues,
  currentThread,
  giveBackValues,
  ownThreadMs,
  readMemoryUse,
} from "../ports/machine.ts"
import { createSeededRandom } from "../ports/random.ts"
import { systemTimer } from "../ports/timer.ts"
import { shorten } from "../values/text.ts"
import { packDefinition } from "./definition-text.ts"
import { describeKind, describeLoadError, describeThrown } from "./error-text.ts"
import { type FromWorker, type ToWorker, ticksPerMs } from "./messages.ts"
import { excessOf, Overrun } from "./overrun.ts"
import { compilePatternCheck, type PatternCheck } from "./patterns.ts"
import * as pluginModule from "./plugin-module.ts"
import { PluginRefused } from "./plugin-refused.ts"
import { createThreadConsole, createThreadDns, createThreadWeb, protectProcess } from "./thread-ports.ts"

declare const self: Worker

// Bare names are not resolved in a compiled program, so the module is given.
plugin({
  name: "penknife",
  setup(build) {
    build.module("penknife/plugin", () => ({ exports: { ...pluginModule }, loader: "object" }))
  },
})

const post = self.postMessage.bind(self)
function send(message: FromWorker): void {
  post(message)
}
// Packages that look for a way to run something later post messages to themselves. They must not reach the service.
Object.defineProperty(globalThis, "postMessage", { value() {}, writable: true, configurable: true })

protectProcess(process)
const dns = createThreadDns((question, asked) => send({ kind: "ask", question, asked }))
const web = createThreadWeb((request, url) => send({ kind: "get", request, url }))
const said = createThreadConsole((text) => send({ kind: "said", text }))
Object.assign(console, said.console)

/** Reported failures of one run. The first one says all that matters, and each costs the service a line of its log. */
const maxUncaught = 5
let uncaughtCount = 0
// Without these the thread ends, and with it the run of another call.
for (const event of ["uncaughtException", "unhandledRejection"] as const)
  process.on(event, (thrown: unknown) => {
    if (++uncaughtCount <= maxUncaught) send({ kind: "uncaught", cause: described(describeKind, thrown) })
  })

let definition: Pick<ApiDefinition, "run"> | null = null
/** The isolated APIs. Null in a thread of an operator's API. */
let runs: IsolatedRuns | null = null
let wrongInput: PatternCheck = () => null
let wrongOutput = wrongInput
let shared: Int32Array = new Int32Array(5)

self.addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === "answer") dns.take(data.question, data.answer)
  else if (data.kind === "got") web.take(data.request, data.answer)
  else if (data.kind === "load") void load(data)
  else void run(data)
})

async function load(asked: ToWorker & { kind: "load" }): Promise<void> {
  const { file, isIsolated, shared: buffer } = asked
  shared = new Int32Array(buffer)
  Atomics.store(shared, 1, currentThread())
  try {
    if (isIsolated) {
      const found = await (file === "" ? import("../apis/isolated-runs.ts") : import(file))
      runs = found.isolatedRuns
      send({ kind: "loaded", definition: "" })
      return
    }
    const { default: exported }: { readonly default?: ApiDefinition } = await import(file)
    if (typeof exported?.run !== "function")
      throw new PluginRefused(`${file} must end with 'export default defineApi({ … })'`)
    const text = packDefinition(exported)
    if (text.length > maxDefinitionLength)
      throw new TypeError(`the definition has ${text.length} characters; ${maxDefinitionLength} are allowed`)
    definition = exported
    wrongInput = await compilePatternCheck(exported.input)
    wrongOutput = await compilePatternCheck(exported.output)
    send({ kind: "loaded", definition: text })
  } catch (thrown) {
    send({ kind: "refused", problem: described((one) => describeLoadError(one, file), thrown) })
  }
}

async function run(asked: ToWorker & { kind: "run" }): Promise<void> {
  const { number, input, premium, nowMs, seed, maxOutputLength, maxKeptBytes } = asked
  Atomics.store(shared, 0, number)
  said.begin()
  uncaughtCount = 0
  const beganMs = shareTime(2)
  let message: FromWorker
  try {
    const { run } = runs === null ? loadedDefinition() : await loadRun(runs, asked.api)
    shareTime(3)
    Atomics.store(shared, 4, number)
    const clock = { now: () => nowMs, monotonicMs: systemClock.monotonicMs }
    const random = createSeededRandom(seed)
    const ports: Ports = { clock, random, dns: dns.begin(), web: web.begin(), timer: systemTimer }
    // This thread does nothing else, so there is nobody to give way to.
    const values = JSON.parse(input)
    const wrong = wrongInput(values)
    if (wrong) reject(wrong.name, `must match the pattern ${wrong.pattern}`)
    const output: unknown = await run(values, { ports, giveWay() {}, premium })
    const unfit = wrongOutput(output)
    if (unfit) {
      const problem = `'${unfit.name}': Expected string to match '${unfit.pattern}'`
      throw new ApiMistake(`its output does not follow its schema: ${problem}`)
    }
    message = { kind: "done", output: writeOutput(output, maxOutputLength) }
  } catch (thrown) {
    message = toMessage(thrown)
  }
  const endMs = shareTime(3)
  // The limit of an own API is by the clock, which would count the collection.
  if (runs === null) send(message)
  // Before the answer, which frees the place: the next run may begin in another thread, and take memory beside this garbage.
  if ((endMs - beganMs > longMs || number % keptEvery === 0) && keepsTooMuch(maxKeptBytes, endMs))
    send({ kind: "full" })
  if (runs !== null) send(message)
}

/** Tells the service the processor time of this thread, and returns it in milliseconds. */
function shareTime(index: number): number {
  const ms = ownThreadMs()
  Atomics.store(shared, index, Math.round(ms * ticksPerMs))
  return ms
}

function loadedDefinition() {
  if (definition === null) throw new Error("the API must be loaded before it runs")
  return definition
}

/** To look a module up that is loaded takes 4 µs. */
const loaded = new Map<string, Awaited<ReturnType<IsolatedRuns[string]>>>()

async function loadRun(all: IsolatedRuns, api = ""): ReturnType<IsolatedRuns[string]> {
  const load = Object.hasOwn(all, api) ? all[api] : undefined
  if (!load) throw new Error(`isolated-runs.ts lacks '${api}'`)
  const code = loaded.get(api) ?? (await load())
  loaded.set(api, code)
  return code
}

/**
 * Measuring memory takes about 50 µs, and a collection 2 to 3 ms. So memory is measured after every so many runs, and after each
 * one that computed for longer.
 */
const keptEvery = 16
const longMs = 5

/** Garbage is collected when the thread has computed for so long since the last time, which is a small share of it, … */
const collectEveryMs = 100
/** … or taken so much memory: the runtime would leave it until the thread needs memory again, while others take more. */
const maxGarbageBytes = 33_554_432
const pageBytes = 4_096
const memory = readMemoryUse()
/**
 * Figures at the last collection; there is one after the first long run. Memory that other threads give back hides the growth of
 * the process, so pages that this thread took count too.
 */
let last = { ms: Number.NEGATIVE_INFINITY, pages: 0, residentBytes: process.memoryUsage.rss() }

/**
 * Whether more than `maxBytes` are in use after a run. Only a collection of garbage tells that for certain. A heap that has grown
 * larger than that is given back.
 */
function keepsTooMuch(maxBytes: number, nowMs: number): boolean {
  const { heapUsed, heapTotal, rss } = process.memoryUsage()
  const pages = memory?.faultsOf(Atomics.load(shared, 1)) ?? 0
  const takenBytes = Math.max(rss - last.residentBytes, (pages - last.pages) * pageBytes)
  last = { ...last, residentBytes: Math.min(last.residentBytes, rss) }
  if (nowMs - last.ms < collectEveryMs && heapUsed <= maxBytes && takenBytes <= maxGarbageBytes) return false
  if (heapTotal > maxBytes) giveBackValues()
  else collectValues()
  const after = process.memoryUsage()
  last = { ms: ownThreadMs(), pages, residentBytes: after.rss }
  return after.heapUsed > maxBytes
}

/** Writes the output as JSON. One that is too long is not written to its end: 100 MB would take several times as much memory. */
function writeOutput(output: unknown, maxLength: number): string {
  let least = 0
  const text: unknown = JSON.stringify(output, (_, value: unknown) => {
    least += typeof value === "string" ? value.length : 1
    if (least > maxLength) throw tooLong(maxLength)
    return value
  })
  if (typeof text !== "string") throw new ApiMistake("it returned nothing")
  if (text.length > maxLength) throw tooLong(maxLength)
  return text
}

function tooLong(maxLength: number): ApiMistake {
  // The runtime counts long texts too low, and would keep several of them. Here it holds up this thread alone.
  void systemTimer.turn().then(collectGarbage)
  if (runs !== null) throw new Overrun("answer")
  return new ApiMistake(`it returned more than the ${maxLength} characters that are allowed`)
}

function toMessage(thrown: unknown): FromWorker {
  try {
    return toMessageOfKind(thrown)
  } catch {
    return { kind: "failed", cause: indescribable, detail: indescribable }
  }
}

function toMessageOfKind(thrown: unknown): FromWorker {
  if (thrown instanceof InputRejected) {
    const { parameter, requirement } = thrown
    if (isShort(parameter) && isShort(requirement)) return { kind: "rejected", parameter, requirement }
    return failed(new ApiMistake(wrongText("reject")))
  }
  const excess = runs === null ? null : excessOf(thrown)
  if (excess !== null) return { kind: "overrun", excess }
  if (thrown instanceof Unavailable) {
    const { message, reason } = thrown
    if (isShort(message) && isShort(reason)) return { kind: "unavailable", sentence: message, reason }
    return failed(new ApiMistake(wrongText("unavailable")))
  }
  return failed(thrown)
}

function failed(thrown: unknown): FromWorker {
  if (thrown instanceof ApiMistake) return { kind: "failed", cause: thrown.message, detail: thrown.message }
  return { kind: "failed", cause: described(describeKind, thrown), detail: described(describeThrown, thrown) }
}

const indescribable = "it threw something that cannot be described"

/** A thrown value may have parts that throw when they are read. */
function described(describe: (thrown: unknown) => string, thrown: unknown): string {
  try {
    return shorten(describe(thrown), maxTextLength)
  } catch {
    return indescribable
  }
}

/** The service reads and checks what comes from here, and has other work meanwhile. */
const maxDefinitionLength = 1_000_000
const maxTextLength = 1_000

function isShort(text: unknown): text is string {
  return typeof text === "string" && text.length <= maxTextLength
}

function wrongText(name: string): string {
  return `what it gave to ${name}() is not a text of at most ${maxTextLength} characters`
}
