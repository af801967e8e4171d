import { type Command, Option } from "commander"
import { operations } from "../../../admin/operations.ts"
import { itemOf } from "../../../admin/pages.ts"
import type { Config } from "../../../config/load.ts"
import { example } from "../output.ts"
import type { CliParts } from "../parts.ts"
import { onConfig } from "../settings.ts"
import { wholeNumber } from "../values.ts"
import { findOrAdd } from "./groups.ts"
import { openBackend, openRemote } from "./open-backend.ts"
import { toArgument, toOptions } from "./parameters.ts"
import {
  type Entry,
  type Flags,
  isNeeded,
  mainEntry,
  optionParameters,
  type ReadEntry,
  readEntry,
  refuseUsage,
  requireConsent,
} from "./read-entry.ts"
import { isPaged, runAndPrint, saveAndPrint, watchAndPrint } from "./run-and-print.ts"

/** The operations of each command. Operations with the same words share one. */
const byWords = Map.groupBy(
  operations.flatMap((operation): readonly Entry[] => {
    const commands = [operation.command, ...(operation.otherCommands ?? [])]
    return commands.map((command) => ({ operation, command }))
  }),
  ({ command }) => command.words,
)

export const isOfOperations = (first: string) => byWords.keys().some((words) => words.split(" ")[0] === first)

/** Adds the commands of the operations that begin with a word; all without such a one. */
export function addOperations(program: Command, parts: CliParts, [first = ""]: readonly string[]): void {
  const isAll = !isOfOperations(first)
  for (const [words, alike] of byWords)
    if (isAll || words.split(" ")[0] === first) addCommand(findOrAdd(program, words.split(" ")), alike, parts)
}

/** Makes the command of the operations that have the same words. */
function addCommand(command: Command, entries: readonly Entry[], parts: CliParts): void {
  const main = mainEntry(entries)
  if (!main) return
  const texts = entries.map(({ operation, command: own }) => {
    const text = own.description ?? operation.description
    return own.switch === undefined ? text : `With '--${own.switch}': ${text}`
  })
  command
    .summary(main.command.description ?? `${main.operation.title}.`)
    .description([...new Set(texts)].join(" ").replaceAll("`", "'"))
    .addHelpText("after", example(`penknife ${main.command.words} ${main.command.example}`.trimEnd()))
  addArguments(command, entries, parts)
  addOptions(command, entries, parts)

  const usesBackups = entries.some(({ operation }) => operation.id.startsWith("backups."))
  const usesPages = entries.some(({ command: { usesPages } }) => usesPages)
  const settings = [
    ...(["db", "server", "adminKey"] as const),
    ...(usesBackups ? (["backupDir"] as const) : []),
    ...(usesPages ? (["publicUrl", "host", "port", "admin"] as const) : []),
  ]
  onConfig(command, settings, parts, async (config, flags: Flags, ...args) => {
    const { csvList } = main.command
    if (csvList !== undefined) {
      // Loaded only for this command, with the reader of CSV.
      const { importCsv } = await import("./import-csv.ts")
      return importCsv(config, main, csvList, String(args[0]), flags, parts)
    }
    const entry = await readEntry(command, entries, flags, args, parts)
    await requireConsent(entry, flags, parts)
    try {
      await carryOut(config, entry, flags, parts)
    } catch (thrown) {
      refuseUsage(command, entry, thrown)
      throw thrown
    }
  })
}

async function carryOut(config: Config, entry: ReadEntry, flags: Flags, parts: CliParts): Promise<void> {
  const { operation, command, input } = entry
  if (operation.run.kind === "watch") {
    await watchAndPrint(openRemote(config, parts), operation, command, input, flags, parts)
    return
  }
  const backend = await openBackend(config, parts, entry)
  const printed =
    operation.run.kind === "file"
      ? saveAndPrint(backend, entry, flags, parts.terminal)
      : runAndPrint(backend, operation, command, input, flags, parts.terminal)
  await printed.finally(() => backend.close())
}

/** An argument may be left out when one of the entries does not need it. */
function addArguments(command: Command, entries: readonly Entry[], { clock }: CliParts): void {
  const lists = entries.map(({ command: { args = [] } }) => args)
  if (entries.some(({ command: { csvList } }) => csvList !== undefined))
    command.argument("<FILE>", "a CSV file in UTF-8; its first line names the columns")
  const longest = lists.reduce((a, b) => (b.length > a.length ? b : a), [])
  for (const [index, name] of longest.entries()) {
    const owner = entries.find(({ command: { args } }) => args?.[index] === name)
    const schema = owner?.operation.input.properties[name]
    if (!schema) throw new Error(`${owner?.operation.id} has no parameter '${name}'`)
    const isRequired = entries.every((entry) => entry.command.args?.[index] && isNeeded(entry, name))
    command.addArgument(toArgument(name, schema, isRequired, clock))
  }
}

function addOptions(command: Command, entries: readonly Entry[], { clock }: CliParts): void {
  const added = new Set<string>()
  const add = (option: Option) => {
    if (!added.has(option.flags)) command.addOption(option)
    added.add(option.flags)
  }
  for (const entry of entries) {
    const { switch: flag } = entry.command
    const does = entry.operation.title.replace(/^./, (first) => first.toLowerCase())
    if (flag) add(new Option(`--${flag}`, does))
    const paged = isPaged(entry.operation)
    for (const [name, schema] of optionParameters(entry)) {
      // Tables have --csv and --json instead.
      if ((name === "format" && !entry.operation.format) || (paged && name === "limit")) continue
      const isMandatory = entries.length === 1 && isNeeded(entry, name)
      for (const option of toOptions(name, schema, clock, isMandatory)) add(option)
    }
    if (paged)
      add(
        new Option("--limit <NUMBER>", "the most entries to print (default: all)").argParser(
          wholeNumber(1, Number.MAX_SAFE_INTEGER),
        ),
      )
    if (itemOf(entry.operation.output) && entry.operation.format !== "json-lines")
      add(new Option("--csv", "print CSV").conflicts("json"))
    if (entry.operation.run.kind === "file")
      add(new Option("--to <FILE>", "the file to write (default: its name, in this directory)"))
    if (entry.operation.isFinal) add(new Option("--yes", "do not ask first"))
  }
  add(new Option("--wide", "show all columns, and times in full"))
  add(new Option("--json", "print JSON"))
}
