import { AdminFault } from "../../../admin/fault.ts"
import type { OperationCommand } from "../../../admin/operation.ts"
import type { Config } from "../../../config/load.ts"
import { group } from "../../../values/text.ts"
import type { CliParts } from "../parts.ts"
import { ServerFailed } from "./backend.ts"
import { type Line, type LineMistake, readCsvFile, uniqueColumns } from "./csv-file.ts"
import { openBackend } from "./open-backend.ts"
import { printThing, requireValues, strangeAnswer } from "./present.ts"
import type { Entry, Flags } from "./read-entry.ts"

/** The most entries that the operation takes at once. */
const maxEntries = 100
/** Services read a body of up to 50,000 bytes at once, whatever is in it. */
const maxBytes = 49_000
/** The most mistakes that are shown. */
const maxShown = 100
/** A shorter file is read before anyone waits. */
const longFile = 5_000

/** Lines that are sent together. */
type Part = readonly Line[]

/** Sends a part, and returns how many entries it has by plan, and whether they were created: by this command, or before it. */
type Send = (part: Part, isDryRun: boolean) => Promise<{ plans: [string, unknown][]; isCreated: boolean }>

/**
 * Imports the entries of a CSV file: checks all of them by dry runs, and only then creates them, part after part. A part has the
 * same Idempotency-Key when the same file is imported again, so the same command goes on where it ended.
 * @throws AdminFault with every mistake of the file, or when an import broke off
 */
export async function importCsv(
  config: Config,
  { operation, command }: Entry,
  csvList: NonNullable<OperationCommand["csvList"]>,
  file: string,
  { dry_run: isDryRun = false, json = false }: Flags,
  parts: CliParts,
): Promise<void> {
  const { terminal } = parts
  const csv = await readCsvFile(file, csvList.entry)
  const { lines, hash } = csv
  const backend = await openBackend(config, parts, { operation, command, input: {} })
  await using _ = { [Symbol.asyncDispose]: backend.close }
  const send: Send = async (part, dryRun) => {
    const values = part.map((line) => line.values)
    const key = `import ${hash} ${part[0]?.line}-${part.at(-1)?.line}`
    const answer = requireValues(
      await backend.run(operation, { [csvList.parameter]: values, dry_run: dryRun }, key),
    )
    return { plans: Object.entries(requireValues(answer.plans)), isCreated: answer.dry_run === false }
  }
  const all = toParts(lines)
  const tellOf = (done: string) => createProgress(done, lines.length, terminal)
  const { plans, rest, createdBefore } = await check(file, all, csv, send, tellOf("Checked"))
  const nameless = lines.filter(({ values }) => uniqueColumns.every((name) => values[name] === undefined))
  if (nameless.length > 0)
    terminal.err(
      `Lines without an email and an external_id: ${group(nameless.length)}. Imported again after 24 hours, by someone else or ` +
        "from a changed file, each of their accounts would be created twice.\n",
    )
  if (!isDryRun) await create(rest, createdBefore, send, tellOf("Imported"), parts)
  const answer = { dry_run: isDryRun, accounts: lines.length, created_before: createdBefore, plans }
  printThing(terminal, answer, json === true, operation.output)
}

/**
 * Checks all parts by dry runs.
 * @param csv the columns of the file, and the mistakes that it has itself
 * @returns the entries by plan, and the parts that no earlier command has created
 * @throws AdminFault with every mistake
 */
async function check(
  file: string,
  all: readonly Part[],
  csv: { readonly columns: readonly string[]; readonly mistakes: readonly LineMistake[] },
  send: Send,
  tell: (part: Part) => void,
) {
  const plans: Record<string, number> = {}
  const rest: Part[] = []
  const mistakes = new Map(csv.mistakes.map((mistake) => [`${mistake.line} ${mistake.column}`, mistake]))
  for (const part of all) {
    try {
      const { plans: counts, isCreated } = await send(part, true)
      for (const [plan, count] of counts) plans[plan] = (plans[plan] ?? 0) + Number(count)
      if (!isCreated) rest.push(part)
    } catch (thrown) {
      const named = mistakesOf(thrown, part)
      if (named.length === 0) throw thrown
      rest.push(part)
      // The file's own mistake names a line, and not an entry of this part.
      for (const mistake of named) {
        const place = `${mistake.line} ${mistake.column}`
        if (!mistakes.has(place)) mistakes.set(place, mistake)
      }
    }
    tell(part)
  }
  const createdBefore = all.flat().length - rest.flat().length
  if (mistakes.size === 0) return { plans, rest, createdBefore }
  const count = mistakes.size === 1 ? "1 mistake" : `${group(mistakes.size)} mistakes`
  const advice =
    rest.length === all.length
      ? "so nothing was imported."
      : `so nothing more was imported. ${doneBefore(rest[0] ?? [], createdBefore)} by an earlier command: delete these lines, mend the mistakes, and import the rest.`
  throw new AdminFault(
    "invalid",
    [`${file} has ${count}, ${advice}`, ...toLines([...mistakes.values()], csv.columns)].join("\n"),
  )
}

/** Creates the entries of parts, one part after the other. */
async function create(
  rest: readonly Part[],
  createdBefore: number,
  send: Send,
  tell: (part: Part) => void,
  { clock, timer }: CliParts,
): Promise<void> {
  let created = createdBefore
  for (const part of rest) {
    const startMs = clock.monotonicMs()
    try {
      await send(part, false)
    } catch (thrown) {
      throw brokenOff(thrown, part, created)
    }
    created += part.length
    tell(part)
    // Others who write to the store get as much time.
    const tookMs = clock.monotonicMs() - startMs
    await new Promise<void>((resolve) => timer.after(tookMs, resolve))
  }
}

/** The error for a part that could not be created, although all lines were right before. It says what to do. */
function brokenOff(thrown: unknown, part: Part, created: number): unknown {
  const mistakes = mistakesOf(thrown, part)
  if (!(thrown instanceof Error) || (mistakes.length === 0 && created === 0)) return thrown
  const cause =
    mistakes.length > 0
      ? "Something else has created or changed accounts since the lines were checked."
      : thrown.message
  const again =
    "Run the same command again within 24 hours: it goes on there, and creates none twice. If it names a line again, mend that one."
  return new AdminFault(
    "invalid",
    [`${cause} ${doneBefore(part, created)}. ${again}`, ...toLines(mistakes)].join("\n"),
  )
}

function doneBefore(part: Part, created: number): string {
  return created === 0
    ? "Nothing was imported"
    : `The ${group(created)} accounts of the lines before line ${part[0]?.line} were created`
}

/** The mistakes of a refusal, with their lines. Empty for other errors. */
function mistakesOf(thrown: unknown, part: Part): readonly LineMistake[] {
  if (!(thrown instanceof AdminFault || thrown instanceof ServerFailed)) return []
  return thrown.mistakes.map(({ index, parameter, detail }) => {
    const line = part[index]?.line
    if (line === undefined) throw strangeAnswer()
    return { line, column: parameter, detail }
  })
}

/** The first mistakes of a file, one a line, and how many more there are. */
function toLines(mistakes: readonly LineMistake[], columns: readonly string[] = []): readonly string[] {
  const placeOf = ({ column }: LineMistake) => columns.indexOf(column ?? "")
  const lines = mistakes
    .toSorted((a, b) => a.line - b.line || placeOf(a) - placeOf(b))
    .slice(0, maxShown)
    .map(({ line, column, detail }) => {
      return `Line ${line}${column === null ? "" : `, column '${column.slice(0, 50)}'`}: ${detail}`
    })
  const more = mistakes.length - lines.length
  return more > 0 ? [...lines, `There are ${group(more)} more mistakes.`] : lines
}

/** Cuts lines into parts that depend on the file alone. */
function toParts(lines: readonly Line[]): readonly Part[] {
  const all: Line[][] = []
  let bytes = maxBytes
  for (const line of lines) {
    const size = Buffer.byteLength(JSON.stringify(line.values)) + 1
    bytes += size
    if (bytes > maxBytes || all.at(-1)?.length === maxEntries) {
      all.push([])
      bytes = size
    }
    all.at(-1)?.push(line)
  }
  return all
}

/** Returns a function that counts the lines of a part, and tells each tenth of a long file on a terminal. */
function createProgress(done: string, total: number, terminal: CliParts["terminal"]): (part: Part) => void {
  const isShown = terminal.errIsTerminal && total >= longFile
  let count = 0
  return (part) => {
    const before = Math.floor((count * 10) / total)
    count += part.length
    if (isShown && Math.floor((count * 10) / total) > before)
      terminal.err(`${done} ${group(count)} of ${group(total)} lines.\n`)
  }
}
