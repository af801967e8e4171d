import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type ApiDefinition, type Clock, defineApi, type Timer } from "../apis/contract.ts"
import { messageOf } from "../values/message-of.ts"
import { mistakesOf } from "./check-definition.ts"
import { compileOutputCheck } from "./check-output.ts"
import { unpackDefinition } from "./definition-text.ts"
import { PluginRefused } from "./errors.ts"
import { createPluginPool, type PluginPool } from "./plugin-pool.ts"
import { startPluginWorker } from "./plugin-worker.ts"
import { type Snapshot, takeSnapshot } from "./snapshot.ts"
import { wrongExample } from "./try-examples.ts"

/** The APIs of an operator's folder. */
export interface Plugins {
  readonly definitions: readonly ApiDefinition[]
  /** The APIs that were refused, with what to change. The others are served. */
  readonly problems: readonly PluginProblem[]
  /** The same for the same files. */
  readonly fingerprint: string
  /** Ends what runs them, at once. */
  end(): void
  /** Ends it when the calls that know them have surely ended. */
  retire(): void
}

export interface PluginProblem {
  /** The folder's name. */
  readonly name: string
  readonly problem: string
}

export interface PluginOptions {
  /** Ids of other APIs. */
  readonly taken: readonly string[]
  readonly clock: Clock
  readonly timer: Timer
  /** How long a call may run. */
  readonly limitMs: number
  /** Workers of each API. */
  readonly maxWorkers: number
  /** Gets the id of an API that begins to rest, and its last fault. */
  readonly onRest: (id: string, cause: string) => void
}

const loadLimitMs = 10_000
/** A call reads its body, waits for its turn, and runs. */
const retireMs = 120_000
/** Larger ones would hold up the service while it reads and checks them. */
const maxOutputLength = 1_000_000

/**
 * Loads every folder with an `index.ts` as an API, and tries its examples.
 * @throws PluginRefused when the folder itself cannot be read
 */
export async function loadPlugins(directory: string, options: PluginOptions): Promise<Plugins> {
  const snapshot = takeSnapshot(directory)
  const taken = new Set(options.taken)
  const definitions: ApiDefinition[] = []
  const problems: PluginProblem[] = []
  const pools: PluginPool[] = []
  for (const name of snapshot.names) {
    const file = ["index.ts", "index.js"]
      .map((index) => join(snapshot.folder, name, index))
      .find((path) => existsSync(path))
    // A folder without one may hold what several APIs share.
    if (file === undefined) continue
    try {
      const { definition, pool } = await loadPlugin(name, file, { snapshot, directory }, taken, options)
      taken.add(definition.id)
      definitions.push(definition)
      pools.push(pool)
    } catch (thrown) {
      const problem = messageOf(thrown).replaceAll(snapshot.folder, directory)
      problems.push({ name, problem })
    }
  }
  function end(): void {
    for (const pool of pools) pool.end()
    snapshot.remove()
  }
  return {
    definitions,
    problems,
    fingerprint: snapshot.fingerprint,
    end,
    retire: () => void options.timer.after(retireMs, end),
  }
}

async function loadPlugin(
  name: string,
  file: string,
  { snapshot, directory }: { readonly snapshot: Snapshot; readonly directory: string },
  taken: ReadonlySet<string>,
  options: PluginOptions,
) {
  const { clock, timer, limitMs, maxWorkers, onRest } = options
  const source = { file, copy: snapshot.folder, original: directory }
  const start = () => startPluginWorker(source, { timer }, loadLimitMs)
  const first = await start()
  const data = unpackDefinition(first.definition)
  const { id } = data
  const mistakes = mistakesOf(data, name, taken)
  if (mistakes.length > 0) {
    first.worker.end()
    throw new PluginRefused(`${file}: ${mistakes.join("; ")}.`)
  }
  const pool = createPluginPool(first.worker, {
    start: async () => (await start()).worker,
    checkOutput: compileOutputCheck(data.output),
    ...{ clock, timer, maxWorkers, limitMs, maxOutputLength },
    onFault: ({ message }, rests) => {
      if (rests) onRest(id, message)
    },
  })
  try {
    const definition = defineApi({
      ...data,
      run: (input, { ports, account = "" }) => pool.run(input, ports, account),
    })
    const wrong = await wrongExample(data, (input, ports) => pool.run(input, ports, ""), timer)
    if (wrong) {
      const place = `${file}:${lineOf(file, wrong.name)}`
      throw new PluginRefused(`${place}: the example '${wrong.name}' is wrong: ${wrong.problem}.`)
    }
    return { definition, pool }
  } catch (thrown) {
    pool.end()
    throw thrown
  }
}

/** The line that an example's name is on, counted from 1; the first line when it is put together. */
function lineOf(file: string, name: string): number {
  const quoted = ['"', "'", "`"].map((quote) => quote + name + quote)
  const lines = readFileSync(file, "utf8").split("\n")
  return (
    Math.max(
      0,
      lines.findIndex((line) => quoted.some((text) => line.includes(text))),
    ) + 1
  )
}
