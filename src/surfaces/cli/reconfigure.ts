import type { Timer } from "../../apis/contract.ts"
import { ConfigError } from "../../config/config-error.ts"
import type { ConfigSource } from "../../config/source.ts"
import type { ConfigFromWorker, FromSupervisor, ReloadResult } from "../../observe/siblings.ts"
import { createTurns } from "../../values/turns.ts"

/** A worker that can take a configuration over. */
export interface Reconfigured {
  send(message: FromSupervisor): void
  kill(): void
}

/** The supervisor's part of a change of the configuration. */
export interface Reconfigure<W extends Reconfigured> {
  /** The text with which a new worker has to start. */
  text(): string | null
  /** Reads the file and makes all workers take it over, or none. */
  reload(): Promise<ReloadResult>
  /** Writes the file anew and makes all workers take it over, or changes nothing. */
  replace(expected: string, text: string): Promise<ReloadResult>
  /** A worker listens that was started with this text. */
  joined(worker: W, text: string | null): void
  receive(worker: W, message: ConfigFromWorker): void
  ended(worker: W): void
}

interface ReconfigureParts {
  readonly timer: Timer
  readonly source: Pick<ConfigSource, "readText" | "replaceText">
  report(message: string): void
}

/** How long a worker may take to prepare, and to take over. */
const answerMs = 10_000

const outdated = "The configuration was not changed. Read it again: it was changed meanwhile."

/** A round of questions to all workers. */
interface Round<W> {
  readonly missing: Set<W>
  readonly results: ReloadResult[]
  readonly done: () => void
}

export function createReconfigure<W extends Reconfigured>(parts: ReconfigureParts): Reconfigure<W> {
  const { timer, source, report } = parts
  const workers = new Set<W>()
  const inTurn = createTurns()
  let text = source.readText()
  let lastId = 0
  let round: (Round<W> & { readonly id: number }) | null = null

  /** Asks all workers, and gives those that have not answered in time. One that ends counts as answered. */
  async function askAll(id: number, message: FromSupervisor): Promise<Pick<Round<W>, "missing" | "results">> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const asked = { id, missing: new Set(workers), results: [] as ReloadResult[], done: resolve }
    round = asked
    const cancel = timer.after(answerMs, resolve)
    for (const worker of workers) worker.send(message)
    if (asked.missing.size > 0) await promise
    cancel()
    round = null
    return asked
  }

  /** @param save keeps the text when all workers can take it over; throws ConfigError */
  async function takeOver(next: string | null, save = () => {}): Promise<ReloadResult> {
    const id = ++lastId
    const { missing, results } = await askAll(id, { kind: "prepare", id, text: next })
    const late =
      missing.size > 0 ? "The configuration was not changed. A worker did not answer in time." : null
    const problem = results.find((result) => result.problem !== null)?.problem ?? late ?? problemOf(save)
    // From here on new workers start with it.
    if (problem === null) text = next
    const finished = await askAll(id, { kind: "finish", id, take: problem === null })
    for (const worker of finished.missing) {
      report("a worker did not take the configuration over and is killed")
      worker.kill()
    }
    return { problem, changes: results[0]?.changes ?? [] }
  }

  const self: Reconfigure<W> = {
    text: () => text,
    reload: () =>
      inTurn(async () => {
        try {
          return await takeOver(source.readText())
        } catch (thrown) {
          return { problem: messageOfConfigError(thrown), changes: [] }
        }
      }),
    replace: (expected, next) =>
      inTurn(async () => {
        if (text !== expected) return { problem: outdated, isOutdated: true, changes: [] }
        return takeOver(next, () => source.replaceText(expected, next))
      }),
    joined(worker, startedWith) {
      workers.add(worker)
      if (startedWith !== text) void inTurn(() => takeOver(text))
    },
    receive(worker, message) {
      if (message.kind === "reload" || message.kind === "replace") {
        const { id } = message
        const done = message.kind === "reload" ? self.reload() : self.replace(message.expected, message.text)
        void done.then((result) => worker.send({ kind: "reloaded", id, ...result }))
        return
      }
      if (message.id !== round?.id || !round.missing.delete(worker)) return
      if (message.kind === "prepared") round.results.push(message)
      if (round.missing.size === 0) round.done()
    },
    ended(worker) {
      workers.delete(worker)
      if (round?.missing.delete(worker) && round.missing.size === 0) round.done()
    },
  }
  return self
}

/** What is wrong with keeping a configuration; null when it is kept. */
function problemOf(save: () => void): string | null {
  try {
    save()
    return null
  } catch (thrown) {
    return `The configuration was not changed. ${messageOfConfigError(thrown)}`
  }
}

function messageOfConfigError(thrown: unknown): string {
  if (thrown instanceof ConfigError) return thrown.message
  throw thrown
}
