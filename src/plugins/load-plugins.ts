import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { TObject } from "@sinclair/typebox"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import {
  type ApiDefinition,
  ApiMistake,
  type Clock,
  defineApi,
  type Ports,
  type Timer,
} from "../apis/contract.ts"
import type { OwnedCopy } from "../values/folder-copy.ts"
import { messageOf } from "../values/message-of.ts"
import { mistakesOf } from "./check-definition.ts"
import { foldersIn } from "./copy-folder.ts"
import { type DefinitionData, unpackDefinition } from "./definition-text.ts"
import { fingerprintsOf } from "./folder-fingerprints.ts"
import type { MemoryWatch } from "./memory-watch.ts"
import { closed, withoutPatterns } from "./patterns.ts"
import { createPluginPool, type PluginPool, type PoolLimits } from "./plugin-pool.ts"
import { PluginRefused } from "./plugin-refused.ts"
import { startPluginWorker } from "./plugin-worker.ts"
import { wrongExample } from "./try-examples.ts"

/** The APIs of an operator's folder. */
export interface Plugins {
  readonly definitions: readonly ApiDefinition[]
  /** The APIs that were refused, with what to change. The others are served. */
  readonly problems: readonly PluginProblem[]
  /** The loaded ones, which the next version keeps where their files stay the same. */
  readonly loaded: readonly LoadedPlugin[]
  /** Ends the threads of those that no other version has, each after its call. Later calls have threads started for them. */
  retire(): void
  /** Whether no call has come to them for a while. */
  isQuiet(): boolean
  /** Ends those that no other version has, threads in a call after it. Later calls are refused. */
  end(): void
}

/** An API whose examples are right. Several versions of a folder may have it. */
export interface LoadedPlugin {
  readonly name: string
  /** Of the files that it may use. */
  readonly fingerprint: string
  readonly data: DefinitionData & Pick<ApiDefinition, "inputCheck">
  readonly pool: PluginPool
  /** Versions that have it and are not retired. */
  versions: number
  /** Releases its copy. */
  release(): void
}

/** An API that was refused, with what to change. */
export interface PluginProblem {
  /** The folder's name. */
  readonly name: string
  readonly problem: string
}

/** The limits of own APIs, and the receivers of their troubles. */
export interface PluginOptions {
  /** Ids of other APIs. */
  readonly taken: readonly string[]
  readonly clock: Clock
  readonly timer: Timer
  /** How long a call may run. */
  readonly limitMs: number
  /** Workers of each API. */
  readonly maxWorkers: number
  /** The memory that a call may take. */
  readonly maxMemoryBytes: number
  /** Null where memory cannot be watched. */
  readonly memory: MemoryWatch | null
  /** Called with the id of an API that begins to rest, and its last fault. */
  readonly onRest: (id: string, cause: string) => void
  /** Gets the id of an API in which something failed that no call waits for, and what. */
  readonly onUncaught: (id: string, cause: string) => void
  /** Called with the id of an API that wrote a line to the console, and the line. */
  readonly onSaid: (id: string, text: string) => void
}

const loadLimitMs = 10_000
/** One that loads for ever must not hold up the others for long. */
const loadedAtOnce = 4
/** Larger ones would hold up the service while it reads and checks them. */
const maxOutputLength = 1_000_000

/** Where APIs are loaded from. */
export interface PluginSource {
  /** The operator's folder, for messages. */
  readonly directory: string
  /** Removed when none of its APIs is needed any more. */
  readonly copy: OwnedCopy
}

/**
 * Loads every folder with an `index.ts` as an API, and tries its examples.
 * @param before APIs of the version before: those whose files are the same stay as they are
 */
export async function loadPlugins(
  source: PluginSource,
  options: PluginOptions,
  before: readonly LoadedPlugin[] = [],
): Promise<Plugins> {
  const { directory, copy } = source
  const shared = createSharedCopy(copy)
  const found = foldersIn(copy.folder).flatMap((name) => {
    const file = ["index.ts", "index.js"]
      .map((index) => join(copy.folder, name, index))
      .find((path) => existsSync(path))
    // A folder without one may hold what several APIs share.
    return file === undefined ? [] : { name, file }
  })
  const names = found.map(({ name }) => name)
  const fingerprints = await fingerprintsOf(copy.folder, names)
  const results = await mapSome(found, loadedAtOnce, async ({ name, file }) => {
    const fingerprint = fingerprints.get(name) ?? ""
    const same = before.find((one) => one.name === name && one.fingerprint === fingerprint)
    if (same) return same
    try {
      const { data, pool } = await loadPlugin(name, file, source, options)
      return { name, fingerprint, data, pool, versions: 0, release: shared.use() }
    } catch (thrown) {
      return { name, problem: messageOf(thrown).replaceAll(copy.folder, directory) }
    }
  })
  shared.release()
  const loaded = results.filter((result) => "pool" in result)
  const { maxWorkers } = options
  const limits: PoolLimits = { ...limitsOf(options), maxWorkers }
  return {
    definitions: loaded.map(({ data, pool }) =>
      defineApi({
        ...data,
        run: (input, context) => pool.run(input, context, context.account ?? "", limits),
      }),
    ),
    problems: results.filter((result) => "problem" in result),
    ...createVersion(loaded),
  }
}

/** A copy that is removed when nobody uses it any more. Its maker does at first. */
function createSharedCopy(copy: OwnedCopy) {
  let users = 1
  function release(): void {
    if (--users === 0) copy.remove()
  }
  return {
    use() {
      users++
      return release
    },
    release,
  }
}

/** Counts the versions that have an API, and ends it with the last one. */
function createVersion(loaded: readonly LoadedPlugin[]) {
  let isRetired = false
  let last: readonly LoadedPlugin[] = []
  for (const one of loaded) one.versions++
  function retire(): void {
    if (isRetired) return
    isRetired = true
    for (const one of loaded) one.versions--
    last = loaded.filter(({ versions }) => versions === 0)
    for (const { pool } of last) pool.retire()
  }
  return {
    loaded,
    retire,
    isQuiet: () => last.every(({ pool }) => pool.isQuiet()),
    end() {
      retire()
      for (const { pool, release } of last) {
        pool.end()
        release()
      }
      last = []
    },
  }
}

/** Like Promise.all over the mapped items, but with `atOnce` of them at a time. */
async function mapSome<T, R>(items: readonly T[], atOnce: number, map: (item: T) => Promise<R>) {
  const results = new Array<R>(items.length)
  const left = items.entries()
  async function workOff(): Promise<void> {
    for (const [index, item] of left) results[index] = await map(item)
  }
  await Promise.all(Array.from({ length: atOnce }, workOff))
  return results
}

async function loadPlugin(
  name: string,
  file: string,
  { directory, copy }: PluginSource,
  options: PluginOptions,
): Promise<Pick<LoadedPlugin, "data" | "pool">> {
  const { clock, timer, memory, maxMemoryBytes, onRest } = options
  const source = { file, copy: copy.folder, original: directory }
  const parts = {
    ...{ timer, memory },
    onUncaught: (cause: string) => options.onUncaught(name, cause),
    onSaid: (text: string) => options.onSaid(name, text),
  }
  const start = () => startPluginWorker(source, parts, { limitMs: loadLimitMs, maxMemoryBytes })
  const first = await start()
  const data = unpackDefinition(first.definition)
  const { id } = data
  const mistakes = mistakesOf(data, name, new Set(options.taken))
  if (mistakes.length > 0) {
    first.worker.end()
    throw new PluginRefused(`${file}: ${mistakes.join("; ")}.`)
  }
  const pool = createPluginPool(first.worker, {
    start: async () => (await start()).worker,
    checkOutput: compileOutputCheck(data.output),
    ...{ clock, timer },
    onFault: ({ message }, rests) => {
      if (rests) onRest(id, message)
    },
  })
  try {
    const inputCheck = withoutPatterns(data.input)
    // A thread more than is needed would be started for all APIs at once.
    const limits: PoolLimits = { ...limitsOf(options), maxWorkers: 1 }
    const run = (input: unknown, ports: Ports) => pool.run(input, { ports, premium: true }, "", limits)
    const wrong = await wrongExample({ ...data, input: inputCheck }, run, timer)
    if (wrong) {
      const place = `${file}:${lineOf(file, wrong.name)}`
      throw new PluginRefused(
        `${place}: the example '${wrong.name}' is wrong: ${wrong.problem.replace(/\.$/, "")}.`,
      )
    }
    return { data: { ...data, inputCheck }, pool }
  } catch (thrown) {
    pool.end()
    throw thrown
  }
}

function limitsOf({ limitMs, maxMemoryBytes }: PluginOptions) {
  // An API may keep what it has read or computed, such as tables, for later calls.
  return { limitMs, maxMemoryBytes, maxKeptBytes: maxMemoryBytes, maxOutputLength }
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

/** Compiles the check of an API's output: everything that the schema says, and no field besides. */
function compileOutputCheck(output: TObject): (value: unknown) => Record<string, unknown> {
  const check = TypeCompiler.Compile(closed(withoutPatterns(output)))
  return (value) => {
    if (check.Check(value)) return value as Record<string, unknown>
    const error = check.Errors(value).First()
    throw new ApiMistake(
      `its output does not follow its schema: '${error?.path.slice(1).replaceAll("/", ".")}': ${error?.message}`,
    )
  }
}
