import type { Timer } from "../../apis/contract.ts"
import { ConfigError } from "../../config/config-error.ts"
import type { ConfigSource } from "../../config/source.ts"
import type { ConfigFromWorker, FromSupervisor, ReloadResult } from "../../observe/siblings.ts"
import type { FolderCopy } from "../../values/folder-copy.ts"
import { createTurns } from "../../values/turns.ts"

/** A worker that can take a configuration over. */
export interface Reconfigured {
  send(message: FromSupervisor): void
  kill(): void
}

/** What all workers serve: the text of the configuration file, and own APIs as they are in a copy of their folder. */
export interface Served {
  readonly text: string | null
  readonly apis: FolderCopy | null
  /** The folders of own APIs that no worker serves. Null before a worker has tried them. */
  readonly refused: readonly string[] | null
}

/** A copy that its maker removes. */
export interface RemovableCopy extends FolderCopy {
  remove(): void
}

/** The supervisor's part of a change of the configuration. */
export interface Reconfigure<W extends Reconfigured> {
  /** What a new worker has to start with. */
  served(): Served
  /** Reads the files and makes all workers take them over, or none. */
  reload(): Promise<ReloadResult>
  /** Writes the file anew and makes all workers take it over, or changes nothing. */
  replace(expected: string, text: string): Promise<ReloadResult>
  /**
   * A worker listens that was started with this.
   * @param refused the folders of own APIs that it does not serve
   */
  joined(worker: W, startedWith: Served, refused: readonly string[]): void
  receive(worker: W, message: ConfigFromWorker): void
  ended(worker: W): void
}

interface ReconfigureParts {
  readonly timer: Timer
  readonly source: Pick<ConfigSource, "readText" | "replaceText">
  /**
   * Copies the folder of own APIs that a configuration file with this text names; null without one.
   * @throws ConfigError
   */
  copyApis(text: string | null): Promise<RemovableCopy | null>
  report(message: string): void
}

/** How long a worker may take to load and try own APIs. One that is stuck is killed sooner, and then not waited for. */
const prepareMs = 120_000
/** How long a worker may take to take over what it has prepared. */
const finishMs = 10_000
/** Calls in progress end with the APIs with which they began. Workers end these after two minutes. */
const keepCopyMs = 130_000

const outdated = "The configuration was not changed. Read it again: it was changed meanwhile."

/** A round of questions to all workers. */
interface Round<W> {
  readonly missing: Set<W>
  readonly results: ReloadResult[]
  readonly done: () => void
}

/** Rejects with ConfigError when the files cannot be read. */
export async function createReconfigure<W extends Reconfigured>(
  parts: ReconfigureParts,
): Promise<Reconfigure<W>> {
  const { timer, source, copyApis, report } = parts
  const workers = new Set<W>()
  const inTurn = createTurns()
  let served = await readServed(source.readText())
  let lastId = 0
  let round: (Round<W> & { readonly id: number }) | null = null

  async function readServed(text: string | null) {
    return { text, apis: await copyApis(text), refused: null as readonly string[] | null }
  }

  /** Asks all workers, and gives those that have not answered in time. One that ends counts as answered. */
  async function askAll(
    id: number,
    message: FromSupervisor,
    limitMs: number,
  ): Promise<Pick<Round<W>, "missing" | "results">> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const asked = { id, missing: new Set(workers), results: [] as ReloadResult[], done: resolve }
    round = asked
    const cancel = timer.after(limitMs, resolve)
    for (const worker of workers) worker.send(message)
    if (asked.missing.size > 0) await promise
    cancel()
    round = null
    return asked
  }

  /** @param save keeps the text when all workers can take it over; throws ConfigError */
  async function change(text: string | null, save = () => {}): Promise<ReloadResult> {
    let next = await readServed(text)
    const before = served.apis
    if (next.apis?.fingerprint === before?.fingerprint) {
      next.apis?.remove()
      next = { ...next, apis: before }
    }
    const result = await takeOver(next, save)
    const outdated = served.apis === next.apis ? before : next.apis
    if (outdated !== null && outdated !== served.apis) {
      // The new copy is dropped at once when no worker took it over.
      if (outdated === before) timer.after(keepCopyMs, () => outdated.remove())
      else outdated.remove()
    }
    return result
  }

  async function takeOver(next: typeof served, save = () => {}): Promise<ReloadResult> {
    const id = ++lastId
    const { text, apis } = next
    const prepare = { text, apis: apis && { folder: apis.folder, fingerprint: apis.fingerprint } }
    const { missing, results } = await askAll(id, { kind: "prepare", id, ...prepare }, prepareMs)
    const late =
      missing.size > 0 ? "The configuration was not changed. A worker did not answer in time." : null
    const problem =
      results.find((result) => result.problem !== null)?.problem ??
      late ??
      differenceOf(results) ??
      problemOf(save)
    // From here on new workers start with it.
    if (problem === null) served = { ...next, refused: results[0]?.refused ?? null }
    const finished = await askAll(id, { kind: "finish", id, take: problem === null }, finishMs)
    for (const worker of finished.missing) {
      report("a worker did not take the configuration over and is killed")
      worker.kill()
    }
    return { problem, changes: results[0]?.changes ?? [] }
  }

  /** A worker was started before the last change: it takes that over, too. */
  async function catchUp(worker: W): Promise<void> {
    const { problem } = await takeOver(served)
    if (problem === null) return
    report(`a worker that was started before a change of the configuration is killed: ${problem}`)
    worker.kill()
  }

  const self: Reconfigure<W> = {
    served: () => served,
    reload: () => inTurn(() => orProblem(() => change(source.readText()))),
    replace: (expected, next) =>
      inTurn(async () => {
        if (served.text !== expected) return { problem: outdated, isOutdated: true, changes: [] }
        return orProblem(() => change(next, () => source.replaceText(expected, next)))
      }),
    joined(worker, startedWith, refused) {
      workers.add(worker)
      // The first worker decides for those that start after it.
      if (startedWith === served) served.refused ??= refused
      else void inTurn(() => catchUp(worker))
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

/** An API that only some workers can load would answer some calls and not others. */
function differenceOf(results: readonly ReloadResult[]): string | null {
  const refused = results.map((result) => result.refused ?? [])
  const name = refused.flat().find((one) => !refused.every((names) => names.includes(one)))
  if (name === undefined) return null
  return `The configuration was not changed. The API '${name}' can be used in one worker and not in another: what it does when it is loaded must not depend on time, chance or other programs. Mend it, and reload again.`
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

async function orProblem(work: () => Promise<ReloadResult>): Promise<ReloadResult> {
  try {
    return await work()
  } catch (thrown) {
    return { problem: messageOfConfigError(thrown), changes: [] }
  }
}

function messageOfConfigError(thrown: unknown): string {
  if (thrown instanceof ConfigError) return thrown.message
  throw thrown
}
