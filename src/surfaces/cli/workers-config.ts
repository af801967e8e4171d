import type { Timer } from "../../apis/contract.ts"
import { ConfigError } from "../../config/config-error.ts"
import type { ConfigSource } from "../../config/file.ts"
import type { ConfigFromWorker, ReloadResult, Served } from "../../observe/siblings.ts"
import type { OwnedCopy } from "../../values/folder-copy.ts"
import { createTurns } from "../../values/turns.ts"
import type { WorkerProcess } from "./worker.ts"

/** A worker, as far as a change of the configuration needs it. */
export type ConfigWorker = Pick<WorkerProcess, "send" | "stop" | "endDrain" | "kill">

/** The parts that {@link createWorkersConfig} uses. */
export interface WorkersConfigParts {
  readonly timer: Timer
  readonly source: Pick<ConfigSource, "readText">
  /**
   * Copies the folder of own APIs that a configuration file with this text names; null without one.
   * @throws ConfigError
   */
  copyApis(text: string | null): Promise<OwnedCopy | null>
  /** Tells the operator that a worker was replaced. */
  report(message: string): void
}

interface ServedCopy extends Served {
  readonly apis: OwnedCopy | null
  refused: readonly string[] | null
}

/** How long a worker may take to load own APIs and try them. The heartbeat kills one that is stuck sooner. */
const takeMs = 120_000
/** A stopping worker waits 10 s for its calls. */
const stopMs = 12_000
/** Replaced copies that are kept, for workers that are starting with them. Each worker makes a copy for itself. */
const maxOldCopies = 2

/** The supervisor's part of a change of the configuration. Rejects with ConfigError when the files cannot be read. */
export async function createWorkersConfig<W extends ConfigWorker>({
  timer,
  source,
  copyApis,
  report,
}: WorkersConfigParts) {
  const workers = new Set<W>()
  const waiting = new Map<number, { readonly worker: W; readonly answer: (result: ReloadResult) => void }>()
  const inTurn = createTurns()
  const readServed = async (text: string | null): Promise<ServedCopy> => ({
    ...{ text, apis: await copyApis(text), refused: null },
  })
  let served = await readServed(source.readText())
  const oldCopies: (OwnedCopy | null)[] = []
  let lastId = 0

  /** The answer of a worker, or its end. */
  function waitFor(worker: W) {
    const id = ++lastId
    const { promise, resolve } = Promise.withResolvers<ReloadResult>()
    waiting.set(id, { worker, answer: resolve })
    return { id, answer: resolve, answered: promise.finally(() => waiting.delete(id)) }
  }

  /** @param expected the text that the file must have, which the worker then replaces; null to leave the file alone */
  async function ask(worker: W, { text, apis, refused }: Served, expected: string | null) {
    const { id, answered, answer } = waitFor(worker)
    const cancel = timer.after(takeMs, () => {
      answer(notChanged("A worker did not answer in time."))
      worker.kill()
    })
    const copy = apis && { folder: apis.folder, fingerprint: apis.fingerprint }
    worker.send({ kind: "take", id, served: { text, apis: copy, refused }, expected })
    const result = await answered
    cancel()
    return result
  }

  async function change(asker: W | null, text: string | null, expected: string | null) {
    const before = served
    const read = await readServed(text)
    const isSameFolder = read.apis?.fingerprint === before.apis?.fingerprint
    if (isSameFolder) read.apis?.remove()
    const next = isSameFolder ? { ...read, apis: before.apis } : read
    // An own API may end the process that loads it. The one that asks lives on, if there is another, and answers its client.
    const first = [...workers].sort((a, b) => Number(a === asker) - Number(b === asker))[0]
    // Without any worker the next ones try it when they start.
    const result = first ? await ask(first, next, expected) : { problem: null, changes: [] }
    if (result.problem !== null) {
      if (!isSameFolder) next.apis?.remove()
      return result
    }
    served = { ...next, refused: result.refused ?? null }
    if (!isSameFolder && oldCopies.push(before.apis) > maxOldCopies) oldCopies.shift()?.remove()
    await Promise.all([...workers].filter((worker) => worker !== first).map((one) => follow(one, asker)))
    return result
  }

  /** Makes a worker take over what is served. One that cannot is replaced by a worker that starts with it. */
  async function follow(worker: W, asker: W | null): Promise<void> {
    if (!workers.has(worker)) return
    const { problem } = await ask(worker, served, null)
    if (problem === null || !workers.has(worker)) return
    report(`a worker cannot take the configuration of the others over and is replaced: ${problem}`)
    const { answered } = waitFor(worker)
    // It is asked for no other change, which its end would refuse.
    workers.delete(worker)
    worker.endDrain()
    worker.stop()
    const ended = answered.finally(timer.after(stopMs, () => worker.kill()))
    // It answers calls under the old configuration until it has ended. The one that asks must answer its client before that.
    if (worker !== asker) await ended
  }

  /** @param edit a new text of the file, and the one that it replaces; null to read the file */
  function changeInTurn(asker: W | null, edit: { text: string; expected: string } | null) {
    return inTurn(async () => {
      try {
        return await change(asker, edit ? edit.text : source.readText(), edit?.expected ?? null)
      } catch (thrown) {
        if (thrown instanceof ConfigError) return notChanged(thrown.message)
        throw thrown
      }
    })
  }

  return {
    /** The text and own APIs with which a new worker starts. */
    served: (): Served => served,
    /** Reads the files. One worker tries them; once it has taken them over, the others follow. */
    reload: () => changeInTurn(null, null),
    /**
     * A worker listens that was started with this.
     * @param refused the folders of own APIs that it does not serve
     */
    joined(worker: W, startedWith: Served, refused: readonly string[]): void {
      workers.add(worker)
      // The first worker decides for those that start after it.
      if (startedWith === served) served.refused ??= refused
      else void inTurn(() => follow(worker, null))
    },
    receive(worker: W, message: ConfigFromWorker): void {
      const { id } = message
      if (message.kind === "taken") {
        waiting.get(id)?.answer(message)
        return
      }
      const done =
        message.kind === "settle"
          ? inTurn(async () => ({ problem: null, changes: [] }))
          : changeInTurn(worker, message.kind === "replace" ? message : null)
      void done.then((result) => worker.send({ ...result, kind: "reloaded", id }))
    },
    ended(worker: W): void {
      workers.delete(worker)
      const problem = notChanged("The worker that tried it ended.")
      for (const one of waiting.values()) if (one.worker === worker) one.answer(problem)
    },
  }
}

function notChanged(why: string): ReloadResult {
  return { problem: `The configuration was not changed. ${why}`, changes: [] }
}
