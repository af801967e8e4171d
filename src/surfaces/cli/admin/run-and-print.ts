import { link, open, unlink } from "node:fs/promises"
import { KindGuard, type TSchema } from "@sinclair/typebox"
import { isSecret, type Operation, type OperationCommand } from "../../../admin/operation.ts"
import { itemOf, listColumns } from "../../../admin/pages.ts"
import { ConfigError } from "../../../config/setting-name.ts"
import { toCsvRow } from "../../../encode/csv.ts"
import { HttpFailure } from "../../../ports/http-client.ts"
import { escapeHidden, escapeHiddenInLines } from "../../../values/hidden-characters.ts"
import { messageOf } from "../../../values/message-of.ts"
import type { Terminal } from "../output.ts"
import type { CliParts } from "../parts.ts"
import { type Backend, type RemoteBackend, ServerFailed, type Values } from "./backend.ts"
import { printEntries, printThing, requireValues, strangeAnswer } from "./present.ts"
import type { Flags, ReadEntry } from "./read-entry.ts"

/** The most entries of one page. */
const pageSize = 1_000

/** Carries out an operation and prints its answer. It reads a list page after page, up to `--limit`. */
export async function runAndPrint(
  backend: Backend,
  operation: Operation,
  command: OperationCommand,
  input: Values,
  { json = false, csv = false, wide = false }: Flags,
  terminal: Terminal,
): Promise<void> {
  const schema = itemOf(operation.output)
  if (!schema) {
    const thing = inOrder(operation.output, requireValues(await backend.run(operation, input)))
    const { printsOnly } = command
    if (printsOnly === undefined || json) printThing(terminal, thing, json, operation.output)
    else if (thing[printsOnly] !== null) terminal.out(`${thing[printsOnly]}\n`)
    return requireSecrets(operation, thing)
  }
  const entries: Values[] = []
  const isLines = operation.format === "json-lines"
  // There may be millions of lines, so none is kept.
  const take = (entry: Values) => {
    if (isLines) terminal.out(`${JSON.stringify(entry)}\n`)
    else entries.push(entry)
  }
  const { next, others } = await readAll(backend, operation, schema, input, take)
  if (csv) {
    const columns = listColumns(schema, entries[0])
    for (const row of [columns, ...entries.map((entry) => columns.map((name) => entry[name]))]) {
      // A row ends with \r\n, and the terminal would escape \r.
      terminal.styled(`${escapeHiddenInLines(toCsvRow(row).slice(0, -2))}\r\n`)
    }
  } else if (!isLines) {
    const hasOthers = Object.keys(others).length > 0
    if (json && hasOthers) terminal.out(`${JSON.stringify({ data: entries, ...others })}\n`)
    else printEntries(terminal, schema, command, entries, { json, wide })
    if (!json && hasOthers) terminal.out("\n")
    if (!json && hasOthers) printThing(terminal, others, json, operation.output)
  }
  const refused = entries.filter(({ problem }) => operation.run.kind === "bulk" && problem !== null)
  if (refused.length > 0) throw new ServerFailed(`${refused.length} of ${entries.length} were refused.`)
  if (next !== null && !isLines) terminal.err(`There are more. To go on, add --after ${next}\n`)
}

/** Whether the answer comes in pages. */
export function isPaged({ input }: Operation): boolean {
  return input.properties.limit !== undefined && input.properties.after !== undefined
}

async function readAll(
  backend: Backend,
  operation: Operation,
  schema: TSchema,
  input: Values,
  take: (entry: Values) => void,
) {
  const paged = isPaged(operation)
  const most = typeof input.limit === "number" ? input.limit : Number.POSITIVE_INFINITY
  let taken = 0
  let after = input.after
  while (true) {
    const limit = Math.min(pageSize, most - taken)
    const page = { ...input, limit, ...(after !== undefined && { after }) }
    const answer = requireValues(await backend.run(operation, paged ? page : input))
    const { data, next, has_more: _, ...others } = answer
    if (!Array.isArray(data)) throw strangeAnswer()
    // A service sends all lines of an export at once.
    for (const entry of data.slice(0, most - taken)) take(inOrder(schema, requireValues(entry)))
    taken += data.length
    const more = typeof next === "string" ? next : null
    // Otherwise the list would never end.
    if (more !== null && more === after) throw strangeAnswer()
    if (more === null || taken >= most) return { next: more, others }
    after = more
  }
}

/** Sorts the values in the order of the schema. */
function inOrder(schema: TSchema, values: Values): Values {
  const names = KindGuard.IsObject(schema)
    ? Object.keys(schema.properties).filter((name) => name in values)
    : []
  return { ...Object.fromEntries(names.map((name) => [name, values[name]])), ...values }
}

/** A secret is shown once. When the connection broke after the change was made, a second answer no longer has it. */
function requireSecrets({ output, run }: Operation, thing: Values): void {
  if (run.kind !== "change" || !KindGuard.IsObject(output)) return
  const lost = Object.entries(output.properties).some(
    ([name, schema]) => isSecret(schema) && thing[name] === null,
  )
  if (!lost) return
  throw new ServerFailed(
    "This was done, but the connection broke before the answer came, and a secret is shown only once. Make a new one: " +
      "'key rotate' for a key, the same command again for the others.",
  )
}

/** Prints events until the user or the service ends it: as JSON lines, or in columns that grow with their values. */
export async function watchAndPrint(
  backend: RemoteBackend,
  operation: Operation,
  command: OperationCommand,
  input: Values,
  { json = false, wide = false }: Flags,
  { terminal, stopRequested }: Pick<CliParts, "terminal" | "stopRequested">,
): Promise<void> {
  const stop = new AbortController()
  void stopRequested().then(() => stop.abort())
  const names = wide || !command.columns ? Object.keys(operation.output.properties) : command.columns
  const widths: number[] = []
  for await (const watched of backend.watch(operation, input, stop.signal)) {
    if ("lost" in watched) terminal.err(`${watched.lost} more were left out: there were too many to show.\n`)
    else if (json) terminal.out(`${JSON.stringify(watched.event)}\n`)
    else {
      const values = requireValues(watched.event)
      const cells = names.map((name) => toCell(values[name], wide))
      const lines = widths.length === 0 ? [names, cells] : [cells]
      for (const index of names.keys()) {
        const own = lines.map((line) => Bun.stringWidth(line[index] ?? ""))
        widths[index] = Math.max(widths[index] ?? 0, ...own)
      }
      for (const line of lines) {
        const padded = line.map(
          (cell, index) => cell + " ".repeat((widths[index] ?? 0) - Bun.stringWidth(cell)),
        )
        terminal.out(`${padded.join("  ").trimEnd()}\n`)
      }
    }
  }
}

function toCell(value: unknown, isFull: boolean): string {
  if (value === null || value === undefined || value === "") return "-"
  const text = escapeHidden(String(value))
  // The date is omitted: users watch today's requests.
  return isFull ? text : text.replace(/^\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d\.\d{3})Z$/, "$1")
}

/** Carries out an operation that sends a file, writes the file, and says where it is. Nothing is overwritten. */
export async function saveAndPrint(
  backend: Backend,
  { operation, command: { args = [] }, input }: ReadEntry,
  { to, json = false }: Flags,
  terminal: Terminal,
): Promise<void> {
  const file = to ?? String(input[args[0] ?? ""])
  const partial = `${file}.partial`
  // Only its owner can read it, since it may hold secrets.
  const handle = await open(partial, "wx", 0o600).catch((cause: unknown) => refuse(partial, cause))
  let bytes = 0
  try {
    const { chunks, close } = await backend.open(operation, input)
    await using _ = { [Symbol.asyncDispose]: close }
    for await (const chunk of chunks) {
      await handle.appendFile(chunk)
      bytes += chunk.length
    }
    await handle.sync()
    // It gets its name when it is whole. An existing file stays.
    await link(partial, file).catch((cause: unknown) => refuse(file, cause))
  } catch (thrown) {
    throw thrown instanceof HttpFailure
      ? new ServerFailed(`The connection broke after ${bytes} bytes: ${thrown.message}. Try again.`)
      : thrown
  } finally {
    await handle.close()
    await unlink(partial)
  }
  terminal.out(json ? `${JSON.stringify({ file, bytes })}\n` : `${file}  ${bytes} bytes\n`)
}

function refuse(file: string, cause: unknown): never {
  const exists = cause instanceof Error && "code" in cause && cause.code === "EEXIST"
  throw new ConfigError(
    exists
      ? `There is a file ${file} already, and it is not overwritten. Name another one with --to, or remove it.`
      : `${file} cannot be written: ${messageOf(cause)}. Name another file with --to.`,
  )
}
