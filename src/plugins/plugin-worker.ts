import { join } from "node:path"
import { ApiMistake, type Ports, reject, unavailable } from "../apis/contract.ts"
import { PluginRefused } from "./errors.ts"
import type { FromWorker, ToWorker } from "./messages.ts"

/** A thread with one API of the operator in it. It does one thing at a time, so that a call that hangs holds up no other. */
export interface PluginWorker {
  /**
   * Runs the API once. Gives its output, which is plain data but not checked yet.
   * @throws what `reject` and `unavailable` throw, and ApiMistake for anything that is the API's fault
   */
  run(input: unknown, ports: Ports, limits: RunLimits): Promise<unknown>
  /** Whether it can run again. A worker that failed to answer in time, or ended, cannot. */
  isUsable(): boolean
  end(): void
}

export interface RunLimits {
  readonly limitMs: number
  readonly maxOutputLength: number
}

/** Beside this file; in a build, the entry point that `scripts/build.ts` adds. */
const workerFile = import.meta.path.endsWith(".ts") ? "worker.ts" : "plugins/worker.js"

/**
 * Starts a worker with the API of a file.
 * @returns the worker and the definition as text, see `unpackDefinition`
 * @throws PluginRefused when the file cannot be loaded within the time
 */
export async function startPluginWorker(
  source: Omit<ToWorker & { kind: "load" }, "kind">,
  { timer }: Pick<Ports, "timer">,
  loadLimitMs: number,
): Promise<{ readonly worker: PluginWorker; readonly definition: string }> {
  const thread = new Worker(join(import.meta.dir, workerFile))
  let isUsable = true
  /** Takes the next message that ends what was asked for. Null when nothing was asked for. */
  let waiting: ((message: FromWorker | Ended) => void) | null = null
  let ports: Ports | null = null

  function finish(message: FromWorker | Ended): void {
    const take = waiting
    waiting = null
    take?.(message)
  }

  function end(): void {
    isUsable = false
    thread.terminate()
    finish({ kind: "ended", cause: "it was ended" })
  }

  thread.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if (data.kind === "ask") void answer(data)
    else finish(data)
  }
  thread.onerror = ({ message }) => {
    isUsable = false
    finish({ kind: "ended", cause: message })
  }
  thread.addEventListener("close", () => {
    isUsable = false
    finish({ kind: "ended", cause: "its thread ended by itself, as when an API exits" })
  })

  async function answer({ question, name, type }: FromWorker & { kind: "ask" }): Promise<void> {
    if (ports === null) return
    const resolved = await ports.dns.resolve(name, type)
    if (isUsable) send({ kind: "answer", question, answer: resolved })
  }

  function send(message: ToWorker): void {
    thread.postMessage(message)
  }

  /** Asks for something and waits for its end. A thread that takes too long is ended: nothing else stops it. */
  function ask(message: ToWorker, limitMs: number): Promise<FromWorker | Ended> {
    const { promise, resolve } = Promise.withResolvers<FromWorker | Ended>()
    const cancel = timer.after(limitMs, () => {
      isUsable = false
      thread.terminate()
      finish({ kind: "ended", cause: `it did not end within ${limitMs / 1_000} s` })
    })
    // It keeps the process running while something is asked for, and no longer.
    thread.ref()
    waiting = (end) => {
      thread.unref()
      cancel()
      resolve(end)
    }
    send(message)
    return promise
  }

  const worker: PluginWorker = {
    isUsable: () => isUsable,
    end,
    async run(input, given, { limitMs, maxOutputLength }) {
      ports = given
      const seed = given.random.bytes(32)
      const nowMs = given.clock.now()
      const message = await ask(
        { kind: "run", input: JSON.stringify(input), nowMs, seed, maxOutputLength },
        limitMs,
      )
      ports = null
      if (message.kind === "done") return JSON.parse(message.output)
      if (message.kind === "rejected") reject(message.parameter, message.requirement)
      if (message.kind === "unavailable") unavailable(message.sentence, message.reason)
      if (message.kind === "failed") throw new ApiMistake(message.cause, message.detail)
      throw new ApiMistake(message.kind === "ended" ? message.cause : "it sent something unexpected")
    },
  }

  const loaded = await ask({ kind: "load", ...source }, loadLimitMs)
  if (loaded.kind === "loaded") return { worker, definition: loaded.definition }
  end()
  if (loaded.kind === "refused") throw new PluginRefused(loaded.problem)
  throw new PluginRefused(`${source.file} cannot be loaded: ${"cause" in loaded ? loaded.cause : "unknown"}.`)
}

/** The thread is gone. */
interface Ended {
  readonly kind: "ended"
  readonly cause: string
}
