import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { TObject } from "@sinclair/typebox"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { type ApiDefinition, ApiMistake, type Clock, defineApi, type Timer } from "../apis/contract.ts"
import type { FolderCopy } from "../values/folder-copy.ts"
import { messageOf } from "../values/message-of.ts"
import { mistakesOf } from "./check-definition.ts"
import { foldersIn } from "./copy-folder.ts"
import { unpackDefinition } from "./definition-text.ts"
import { closed, withoutPatterns } from "./patterns.ts"
import { createPluginPool } from "./plugin-pool.ts"
import { PluginRefused } from "./plugin-refused.ts"
import { startPluginWorker } from "./plugin-worker.ts"
import { wrongExample } from "./try-examples.ts"

/** The APIs of an operator's folder. */
export interface Plugins {
  readonly definitions: readonly ApiDefinition[]
  /** The APIs that were refused, with what to change. The others are served. */
  readonly problems: readonly PluginProblem[]
  /** Ends their workers at once. The copy is no longer needed. */
  end(): void
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
  readonly copy: FolderCopy
}

/** Loads every folder with an `index.ts` as an API, and tries its examples. */
export async function loadPlugins(source: PluginSource, options: PluginOptions): Promise<Plugins> {
  const { directory, copy } = source
  const taken = new Set(options.taken)
  const found = foldersIn(copy.folder).flatMap((name) => {
    const file = ["index.ts", "index.js"]
      .map((index) => join(copy.folder, name, index))
      .find((path) => existsSync(path))
    // A folder without one may hold what several APIs share.
    return file === undefined ? [] : { name, file }
  })
  const results = await mapSome(found, loadedAtOnce, async ({ name, file }) => {
    try {
      return await loadPlugin(name, file, source, taken, options)
    } catch (thrown) {
      return { name, problem: messageOf(thrown).replaceAll(copy.folder, directory) }
    }
  })
  const loaded = results.flatMap((result) => ("pool" in result ? result : []))
  return {
    definitions: loaded.map(({ definition }) => definition),
    problems: results.flatMap((result) => ("problem" in result ? result : [])),
    end() {
      for (const { pool } of loaded) pool.end()
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
  taken: ReadonlySet<string>,
  options: PluginOptions,
) {
  const { clock, timer, limitMs, maxWorkers, onRest } = options
  const source = { file, copy: copy.folder, original: directory }
  const events = {
    onUncaught: (cause: string) => options.onUncaught(name, cause),
    onSaid: (text: string) => options.onSaid(name, text),
  }
  const start = () => startPluginWorker(source, { timer, ...events }, loadLimitMs)
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
    const inputCheck = withoutPatterns(data.input)
    const definition = defineApi({
      ...{ ...data, inputCheck },
      run: (input, { ports, account }) => pool.run(input, ports, account),
    })
    const wrong = await wrongExample({ ...data, input: inputCheck }, pool.run, timer)
    if (wrong) {
      const place = `${file}:${lineOf(file, wrong.name)}`
      throw new PluginRefused(
        `${place}: the example '${wrong.name}' is wrong: ${wrong.problem.replace(/\.$/, "")}.`,
      )
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
