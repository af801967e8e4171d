/** Runs in a worker: loads one API of the operator, and runs it, one call after the other. */
import { plugin } from "bun"
import {
  type ApiDefinition,
  ApiMistake,
  type Dns,
  type DnsAnswer,
  type DnsType,
  InputRejected,
  type Ports,
  Unavailable,
} from "../apis/contract.ts"
import { systemClock } from "../ports/clock.ts"
import { systemTimer } from "../ports/timer.ts"
import { packDefinition } from "./definition-text.ts"
import { describeKind, describeLoadError, describeThrown } from "./error-text.ts"
import type { FromWorker, ToWorker } from "./messages.ts"
import * as pluginModule from "./plugin-module.ts"
import { createRunRandom } from "./run-random.ts"

declare const self: Worker

// Bare names are not resolved in a compiled program, so the module is given.
plugin({
  name: "penknife",
  setup(build) {
    build.module("penknife/plugin", () => ({ exports: { ...pluginModule }, loader: "object" }))
  },
})

const questions = new Map<number, (answer: DnsAnswer) => void>()
let lastQuestion = 0
const dns: Dns = {
  resolve<T extends DnsType>(name: string, type: T): Promise<DnsAnswer<T>> {
    const question = ++lastQuestion
    send({ kind: "ask", question, name, type })
    return new Promise((resolve) => {
      // The service answers a question with records of its type.
      questions.set(question, (answer) => resolve(answer as DnsAnswer<T>))
    })
  },
}

let definition: ApiDefinition | null = null

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === "answer") {
    questions.get(data.question)?.(data.answer)
    questions.delete(data.question)
  } else if (data.kind === "load") void load(data)
  else void run(data)
}

function send(message: FromWorker): void {
  self.postMessage(message)
}

/** Names the operator's files in place of their copies. */
let toOriginal = (text: string) => text

async function load({ file, copy, original }: ToWorker & { kind: "load" }): Promise<void> {
  toOriginal = (text) => text.replaceAll(copy, original)
  try {
    const { default: exported }: { readonly default?: ApiDefinition } = await import(file)
    if (typeof exported?.run !== "function") {
      throw new TypeError(`${file} must end with 'export default defineApi({ … })'`)
    }
    definition = exported
    send({ kind: "loaded", definition: packDefinition(exported) })
  } catch (thrown) {
    send({ kind: "refused", problem: toOriginal(describeLoadError(thrown, file)) })
  }
}

async function run({ input, nowMs, seed, maxOutputLength }: ToWorker & { kind: "run" }): Promise<void> {
  try {
    if (definition === null) throw new Error("the API must be loaded before it runs")
    const clock = { now: () => nowMs, monotonicMs: systemClock.monotonicMs }
    const ports: Ports = { clock, random: createRunRandom(seed), dns, timer: systemTimer }
    // This thread does nothing else, so there is nobody to give way to.
    const output: unknown = await definition.run(JSON.parse(input), { ports, giveWay() {} })
    const text: unknown = JSON.stringify(output)
    if (typeof text !== "string") throw new ApiMistake("it returned nothing")
    if (text.length > maxOutputLength) {
      throw new ApiMistake(`it returned ${text.length} characters; ${maxOutputLength} are allowed`)
    }
    send({ kind: "done", output: text })
  } catch (thrown) {
    send(toMessage(thrown))
  } finally {
    questions.clear()
  }
}

function toMessage(thrown: unknown): FromWorker {
  if (thrown instanceof InputRejected) {
    const { parameter, requirement } = thrown
    return { kind: "rejected", parameter, requirement }
  }
  if (thrown instanceof Unavailable) {
    return { kind: "unavailable", sentence: thrown.message, reason: thrown.reason }
  }
  if (thrown instanceof ApiMistake) return { kind: "failed", cause: thrown.message, detail: thrown.message }
  return {
    kind: "failed",
    cause: toOriginal(describeKind(thrown)),
    detail: toOriginal(describeThrown(thrown)),
  }
}
