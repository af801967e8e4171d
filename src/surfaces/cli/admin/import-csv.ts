import { KindGuard, type TObject } from "@sinclair/typebox"
import { AdminFault, type Mistake } from "../../../admin/fault.ts"
import type { Config } from "../../../config/load.ts"
import type { CliParts } from "../parts.ts"
import { ServerFailed } from "./backend.ts"
import { readCsvFile } from "./csv-file.ts"
import { countNameless, type Line, readLines } from "./csv-lines.ts"
import { group, ImportRefused, type LineMistake, listMistakes } from "./import-refused.ts"
import { openBackend } from "./open-backend.ts"
import { printThing, requireValues, strangeAnswer } from "./present.ts"
import type { Entry, Flags } from "./read-entry.ts"

/** So many entries are sent together: the operation creates fewer at once than it checks. */
const maxCreated = 100
const maxChecked = 1_000
/** Services read a body of up to 50,000 bytes at once, whatever is in it. */
const maxBytes = 49_000

/** Lines that are sent together. */
type Part = readonly Line[]

/** What the operation is run with. */
interface Import {
  readonly file: string
  /** SHA-256 of the file. */
  readonly hash: string
  readonly lines: readonly Line[]
  readonly run: (part: Part, isDryRun: boolean, key?: string) => Promise<PartAnswer>
  readonly parts: CliParts
}

interface PartAnswer {
  readonly accounts: number
  readonly plans: Readonly<Record<string, number>>
  /** Whether it was created: a dry run is answered so if an earlier command has sent the same part. */
  readonly isCreated: boolean
}

/**
 * Imports the entries of a CSV file: checks all of them, against the store too, and only then sends them in parts. The same
 * command again goes on where it ended.
 * @throws ImportRefused with every mistake of the file, or when an import broke off
 */
export async function importCsv(
  config: Config,
  { operation, command }: Entry,
  file: string,
  { dry_run: isDryRun = false, json = false }: Flags,
  parts: CliParts,
): Promise<void> {
  const list = command.csvList ?? ""
  const schema = entrySchema(operation.input, list)
  const table = await readCsvFile(file, {
    known: Object.keys(schema.properties),
    required: schema.required ?? [],
  })
  if (table.columns.length === 0) throw refusalOf(file, table.mistakes)
  const { lines, mistakes } = await readLines(table, schema)
  const backend = await openBackend(config, parts, { operation, command, input: {} })
  try {
    const work: Import = {
      ...{ file, hash: table.hash, lines, parts },
      run: async (part, dryRun, key) => {
        const values = part.map((line) => line.values)
        return readAnswer(await backend.run(operation, { [list]: values, dry_run: dryRun }, key))
      },
    }
    const { plans, createdBefore } = await check(work, mistakes)
    warnOfNameless(work)
    if (!isDryRun) await send(work)
    const answer = { dry_run: isDryRun, accounts: lines.length, created_before: createdBefore, plans }
    printThing(parts.terminal, operation, answer, json)
  } finally {
    await backend.close()
  }
}

/**
 * Checks all lines by dry runs, but for those that an earlier command has sent: these come first.
 * @param found mistakes that the file itself has
 * @throws ImportRefused with every mistake
 */
async function check(work: Import, found: readonly LineMistake[]) {
  const { file, hash, lines, run } = work
  const tell = createProgress("Checked", work)
  const answers: PartAnswer[] = []
  let createdBefore = 0
  // A file with mistakes was never sent.
  if (found.length === 0) {
    for (const part of toParts(lines, maxCreated)) {
      const answer = await run(part, true, keyOf(hash, part)).catch((thrown) => {
        lineMistakes(thrown, part)
        return null
      })
      if (!answer?.isCreated) break
      answers.push(answer)
      createdBefore += part.length
      tell(part.length)
    }
  }
  const named = Map.groupBy(found, ({ line }) => line)
  for (const part of toParts(lines.slice(createdBefore), maxChecked)) {
    try {
      answers.push(await run(part, true))
    } catch (thrown) {
      for (const mistake of lineMistakes(thrown, part)) {
        const own = named.get(mistake.line) ?? []
        // The file's own mistake names a line, and not an entry of this part.
        if (!own.some(({ column }) => column === mistake.column)) named.set(mistake.line, [...own, mistake])
      }
    }
    tell(part.length)
  }
  if (lines.length === 0 && named.size === 0) {
    named.set(2, [{ line: 2, column: null, detail: "There is no line after the names of the columns." }])
  }
  const mistakes = [...named.values()].flat().sort((a, b) => a.line - b.line)
  if (mistakes.length > 0) {
    const rest = lines.slice(createdBefore)
    if (found.length === 0) await requireNoOther(work, rest)
    throw refusalOf(file, mistakes, createdBefore, rest)
  }
  return { plans: sumOf(answers), createdBefore }
}

/**
 * Lines are also taken when the same import runs elsewhere.
 * @throws ImportRefused if it has created the next part since it was looked for
 */
async function requireNoOther({ file, hash, run }: Import, rest: Part): Promise<void> {
  const [next = []] = toParts(rest, maxCreated)
  const answer = await run(next, true, keyOf(hash, next)).catch(() => null)
  if (!answer?.isCreated) return
  throw new ImportRefused(
    `The same import of ${file} runs elsewhere: it has created accounts since this command began. Run the same command again when that import has ended.`,
  )
}

/** Sends all lines in parts, one part after the other. Those that an earlier command has sent are only answered again. */
async function send(work: Import): Promise<void> {
  const { hash, lines, run, parts } = work
  const { clock, timer } = parts
  const tell = createProgress("Imported", work)
  let created = 0
  for (const part of toParts(lines, maxCreated)) {
    const startMs = clock.monotonicMs()
    try {
      await run(part, false, keyOf(hash, part))
    } catch (thrown) {
      throw brokenOff(thrown, part, created)
    }
    created += part.length
    tell(part.length)
    // Others who write to the store get as much time.
    const tookMs = clock.monotonicMs() - startMs
    await new Promise<void>((resolve) => void timer.after(tookMs, resolve))
  }
}

/** What to do when a part could not be imported, although all lines were right before. */
function brokenOff(thrown: unknown, part: Part, created: number): unknown {
  const done = created === 0 ? "This command has imported nothing" : doneBefore(part, created)
  if (mistakesOf(thrown).length > 0) {
    const cause = "since something else has created or changed accounts meanwhile, perhaps the same import."
    const again =
      created === 0 ? "again." : "again within 24 hours: it goes on there, and creates none twice."
    return new ImportRefused(
      `${done}${created === 0 ? "," : ". Then it ended,"} ${cause} Run the same command ${again} If it names these lines again, mend them.\n${listMistakes(lineMistakes(thrown, part))}`,
    )
  }
  if (!(thrown instanceof Error) || created === 0) return thrown
  return new ImportRefused(
    `${thrown.message} ${done}. Run the same command again within 24 hours: it goes on there, and creates none twice.`,
  )
}

function doneBefore(part: Part, created: number): string {
  return `The ${group(created)} accounts of the lines before line ${part[0]?.line} were created`
}

/** @param rest the lines that no earlier command has created */
function refusalOf(
  file: string,
  found: readonly LineMistake[],
  createdBefore = 0,
  rest: Part = [],
): ImportRefused {
  const count = found.length === 1 ? "1 mistake" : `${group(found.length)} mistakes`
  const advice =
    createdBefore === 0
      ? "so nothing was imported."
      : `so nothing more was imported. ${doneBefore(rest, createdBefore)} by an earlier command: delete these lines, mend the mistakes, and import the rest.`
  return new ImportRefused(`${file} has ${count}, ${advice}\n${listMistakes(found)}`)
}

function mistakesOf(thrown: unknown): readonly Mistake[] {
  return thrown instanceof AdminFault || thrown instanceof ServerFailed ? thrown.mistakes : []
}

/**
 * The mistakes of a refusal, with their lines.
 * @throws what was thrown, if it names no entry
 */
function lineMistakes(thrown: unknown, part: Part): readonly LineMistake[] {
  const mistakes = mistakesOf(thrown)
  if (mistakes.length === 0) throw thrown
  return mistakes.map(({ index, parameter, detail }) => {
    const line = part[index]?.line
    if (line === undefined) throw strangeAnswer()
    return { line, column: parameter, detail }
  })
}

function readAnswer(output: unknown): PartAnswer {
  const { accounts, plans, dry_run: isDryRun } = requireValues(output)
  if (typeof accounts !== "number") throw strangeAnswer()
  const counts = Object.entries(requireValues(plans)).map(([plan, count]) => [plan, Number(count)] as const)
  return { accounts, plans: Object.fromEntries(counts), isCreated: isDryRun === false }
}

function sumOf(answers: readonly PartAnswer[]): Readonly<Record<string, number>> {
  const sums = new Map<string, number>()
  for (const [plan, count] of answers.flatMap(({ plans }) => Object.entries(plans))) {
    sums.set(plan, (sums.get(plan) ?? 0) + count)
  }
  return Object.fromEntries(sums)
}

/** Cuts lines into parts that depend on the file alone. */
function* toParts(lines: readonly Line[], most: number): Generator<Part> {
  let part: Line[] = []
  let bytes = 0
  for (const line of lines) {
    const size = Buffer.byteLength(JSON.stringify(line.values)) + 1
    if (part.length > 0 && (part.length === most || bytes + size > maxBytes)) {
      yield part
      part = []
      bytes = 0
    }
    part.push(line)
    bytes += size
  }
  if (part.length > 0) yield part
}

/** The Idempotency-Key of a part: the same when the same file is imported again. */
function keyOf(hash: string, part: Part): string {
  return `import ${hash} ${part[0]?.line}-${part.at(-1)?.line}`
}

function warnOfNameless({ lines, parts }: Import): void {
  const count = countNameless(lines)
  if (count === 0) return
  const subject =
    count === 1 ? "1 account has neither an email nor" : `${group(count)} accounts have neither an email nor`
  parts.terminal.err(
    `${subject} an external_id: imported again after 24 hours, by someone else or from a changed file, each would be created twice.\n`,
  )
}

/** The schema of an entry of a list. */
function entrySchema(input: TObject, list: string): TObject {
  const schema = input.properties[list]
  const item: unknown = schema && KindGuard.IsArray(schema) ? schema.items : null
  if (isObjectSchema(item)) return item
  throw new Error(`the parameter '${list}' is no list of objects`)
}

/** The list itself accepts everything, since the operation names every mistake: its items have no kind. */
function isObjectSchema(value: unknown): value is TObject {
  return typeof value === "object" && value !== null && "properties" in value
}

/** A shorter file is read before anyone waits. */
const longFile = 5_000

/** Returns a function that counts lines, and tells each tenth of a long file on a terminal. */
function createProgress(done: string, { lines, parts }: Import): (more: number) => void {
  const { terminal } = parts
  const total = lines.length
  const isShown = terminal.errIsTerminal && total >= longFile
  let count = 0
  return (more) => {
    const before = Math.floor((count * 10) / total)
    count += more
    if (isShown && Math.floor((count * 10) / total) > before) {
      terminal.err(`${done} ${group(count)} of ${group(total)} lines.\n`)
    }
  }
}
