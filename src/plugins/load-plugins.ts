import { readdirSync, readFileSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
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
import { messageOf } from "../values/message-of.ts"
import { mistakesOf } from "./check-definition.ts"
import { unpackDefinition } from "./definition-text.ts"
import type { MemoryWatch } from "./memory-watch.ts"
import { closed, withoutPatterns } from "./patterns.ts"
import { toPoolCaller } from "./places.ts"
import { createPluginPool, type PoolLimits } from "./plugin-pool.ts"
import { PluginRefused } from "./plugin-refused.ts"
import { startPluginWorker } from "./plugin-worker.ts"
import type { ThreadTime } from "./thread-time.ts"
import { wrongExample } from "./try-examples.ts"

/** The APIs of an operator's folder. */
export type Plugins = Awaited<ReturnType<typeof loadPlugins>>

/** The limits of calls of own APIs. */
export interface CallLimits extends Pick<PoolLimits, "limitMs" | "maxMemoryBytes"> {
  /** Workers of each API. */
  readonly maxWorkers: number
}

/** The limits of own APIs, and the receivers of their troubles. */
export interface PluginOptions {
  /** Ids of other APIs. */
  readonly taken: readonly string[]
  readonly clock: Clock
  readonly timer: Timer
  readonly time: ThreadTime
  /** Limits of the calls that try the examples. */
  readonly limits: Pick<CallLimits, "limitMs" | "maxMemoryBytes">
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

/** Bare imports find nothing in a compiled program, so packages are no APIs. */
const leftOut = /^(?:node_modules|\..*)$/

/**
 * Loads every folder with an `index.ts` as an API, and tries its examples.
 * @throws PluginRefused when the folder of the APIs cannot be read
 */
export async function loadPlugins(folder: string, options: PluginOptions) {
  const directory = resolve(folder)
  const names = namesIn(directory).filter((name) => !leftOut.test(name))
  const results = await mapSome(names, loadedAtOnce, async (name) => {
    try {
      const file = findIndex(join(directory, name))
      return file === null ? null : await loadPlugin(name, file, options)
    } catch (thrown) {
      return { name, problem: messageOf(thrown) }
    }
  })
  const found = results.filter((result) => result !== null)
  const loaded = found.filter((result) => "pool" in result)
  return {
    /** The loaded APIs, whose calls have these limits. */
    definitions: (limits: CallLimits): readonly ApiDefinition[] =>
      loaded.map(({ data, pool }) => {
        const all = { ...limitsOf(limits), maxWorkers: limits.maxWorkers }
        return defineApi({
          ...data,
          run: (input, context) => pool.run(input, context, toPoolCaller(data, context), all),
        })
      }),
    /** The APIs that were refused, with what to change. The others are served. */
    problems: found.filter((result) => "problem" in result),
    /** Ends the threads; one in a call after it. Later calls are refused. */
    end() {
      for (const { pool } of loaded) pool.end()
    },
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).sort()
  } catch (thrown) {
    const code = thrown instanceof Error && "code" in thrown ? thrown.code : null
    const reason =
      code === "ENOENT"
        ? "it does not exist. Check the path, or create the folder"
        : code === "ENOTDIR"
          ? "it is a file. Name the folder that the file is in"
          : messageOf(thrown)
    throw new PluginRefused(`The folder ${directory} cannot be read: ${reason}.`)
  }
}

/** The file that defines an API. Null if the folder has none: it may hold what several APIs share. */
function findIndex(folder: string): string | null {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return null
  const files = readdirSync(folder)
  const index = ["index.ts", "index.js"].find((name) => files.includes(name))
  return index === undefined ? null : join(folder, index)
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

async function loadPlugin(name: string, file: string, options: PluginOptions) {
  const { clock, timer, memory, onRest } = options
  const parts = {
    ...{ timer, memory },
    onUncaught: (cause: string) => options.onUncaught(name, cause),
    onSaid: (text: string) => options.onSaid(name, text),
  }
  const loadLimits = { limitMs: loadLimitMs, maxMemoryBytes: options.limits.maxMemoryBytes }
  const start = () => startPluginWorker({ file }, parts, loadLimits)
  const first = await start()
  const data = unpackDefinition(first.definition)
  const { id } = data
  const mistakes = mistakesOf(data, name, new Set(options.taken))
  if (mistakes.length > 0) {
    first.worker.end()
    throw new PluginRefused(`${file}: ${mistakes.join("; ")}.`)
  }
  const pool = createPluginPool(first.worker, {
    async start() {
      const { worker, definition } = await start()
      if (definition === first.definition) return worker
      worker.end()
      throw new PluginRefused(`${file} was changed since the service started. Start the service again.`)
    },
    checkOutput: compileOutputCheck(data.output),
    ...{ clock, timer, time: options.time },
    onFault: ({ message }, rests) => {
      if (rests) onRest(id, message)
    },
  })
  try {
    const inputCheck = withoutPatterns(data.input)
    // A thread more than is needed would be started for all APIs at once.
    const limits: PoolLimits = { ...limitsOf(options.limits), maxWorkers: 1 }
    const run = (input: unknown, ports: Ports) =>
      pool.run(input, { ports, premium: true }, { account: "" }, limits)
    const wrong = await wrongExample({ ...data, input: inputCheck }, run, timer)
    if (wrong) {
      const place = `${file}:${lineOf(file, wrong.name)}`
      throw new PluginRefused(
        `${place}: the example '${wrong.name}' is wrong: ${wrong.problem.replace(/\.$/, "")}.`,
      )
    }
    return { name, data: { ...data, inputCheck }, pool }
  } catch (thrown) {
    pool.end()
    throw thrown
  }
}

function limitsOf({ limitMs, maxMemoryBytes }: PluginOptions["limits"]) {
  // An API may keep what it has read or computed, such as tables, for later calls.
  return { limitMs, maxMemoryBytes, maxKeptBytes: maxMemoryBytes, maxOutputLength, maxAskingMs: limitMs }
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
