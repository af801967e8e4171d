import type { TSchema } from "@sinclair/typebox"
import type { Command } from "commander"
import { AdminFault } from "../../../admin/fault.ts"
import type { Operation, OperationCommand } from "../../../admin/operation.ts"
import { InputRejected } from "../../../apis/contract.ts"
import { compileInput } from "../../../call/input.ts"
import type { CliParts } from "../parts.ts"
import { Declined, ServerFailed, type Values } from "./backend.ts"
import { nameOnCommandLine, nothing } from "./parameters.ts"

/** One way to call an operation. */
export interface Entry {
  readonly operation: Operation
  readonly command: OperationCommand
}

/** The options of the command line by parameter. */
export interface Flags extends Readonly<Record<string, unknown>> {
  readonly json?: boolean
  readonly csv?: boolean
  readonly wide?: boolean
  readonly yes?: boolean
  readonly to?: string
}

/** An entry with its input from the command line. */
export interface ReadEntry extends Entry {
  readonly input: Values
}

/** Chooses the entry that the command line means and reads its input. Wrong usage ends the command. */
export async function readEntry(
  command: Command,
  entries: readonly Entry[],
  flags: Flags,
  args: readonly unknown[],
  parts: CliParts,
): Promise<ReadEntry> {
  const entry = choose(entries, flags)
  const { operation, command: own } = entry
  const names = own.args ?? []
  const missing = names.find((name, index) => args[index] === undefined && isNeeded(entry, name))
  if (missing) {
    const label = nameOf(missing, entry)
    const other = entries.find((one) => one !== entry)?.command.switch
    command.error(
      other ? `error: give either ${label} or --${other}` : `error: missing required argument '${label}'`,
    )
  }
  requireFitting(command, entries, entry, flags, args)

  const input: Record<string, unknown> = {}
  for (const [index, name] of names.entries()) if (args[index] !== undefined) input[name] = args[index]
  for (const [name] of optionParameters(entry)) {
    const value = flags[name]
    if (value !== undefined) input[name] = value === nothing ? null : value
  }
  const isBare = args.every((value) => value === undefined)
  if (own.stdin && isBare) input[own.stdin] = await readSecret(own.stdin, parts)
  try {
    compileInput(operation.input)({ kind: "typed", values: input })
  } catch (thrown) {
    if (!(thrown instanceof InputRejected)) throw thrown
    refuseParameter(command, entry, thrown.parameter, thrown.message)
  }
  return { ...entry, input }
}

/**
 * Ends a command as wrong usage, if an operation refused the value of a parameter: such a mistake has one exit code, whether the
 * command line, a store or a service finds it. Returns for any other error.
 */
export function refuseUsage(command: Command, entry: Entry, thrown: unknown): void {
  if (thrown instanceof AdminFault || thrown instanceof ServerFailed)
    thrown.message = onCommandLine(thrown.message, entry)
  const parameter =
    thrown instanceof AdminFault && thrown.code === "invalid"
      ? thrown.parameter
      : thrown instanceof ServerFailed
        ? thrown.refusedParameter
        : null
  if (parameter !== null && thrown instanceof Error)
    refuseParameter(command, entry, parameter, thrown.message)
}

/** Names a parameter as it is written on the command line. */
function refuseParameter(command: Command, entry: Entry, parameter: string, message: string): never {
  const [, requirement] = /^The '[^']*' parameter (.*)$/s.exec(message) ?? []
  if (requirement === undefined) return command.error(`error: ${message}`)
  const named = onCommandLine(requirement, entry)
  command.error(`error: ${nameOf(parameter, entry)} ${named.replace(/\bnull\b/, "''")}`)
}

/** Names the parameters that a message tells to give as they are written here: "must not be later than 'to'". */
function onCommandLine(message: string, entry: Entry): string {
  return message.replace(/(?<=\b(?:than|[Gg]ive|[Ss]et|or) )'(\w+)'/g, (text, name) =>
    name in entry.operation.input.properties ? nameOf(name, entry) : text,
  )
}

/** The parameters that are options, with their schemas. A list has its own `--limit`. */
export function optionParameters({ operation, command }: Entry): readonly (readonly [string, TSchema])[] {
  const { args = [], options, stdin, csvList } = command
  const others = [...args, stdin, csvList?.parameter]
  return Object.entries(operation.input.properties).filter(
    ([name]) => !others.includes(name) && (options === undefined || options.includes(name)),
  )
}

/** Whether a command needs a parameter. */
export function isNeeded({ operation, command }: Entry, name: string): boolean {
  return operation.input.required?.includes(name) === true || command.requires?.includes(name) === true
}

/** The entry whose switch is given, else the one without a switch. */
function choose(entries: readonly Entry[], flags: Flags): Entry {
  const switched = entries.find(({ command: { switch: flag } }) => flag !== undefined && flags[flag] === true)
  const entry = switched ?? mainEntry(entries)
  if (entry) return entry
  throw new Error("a command without an operation")
}

/** The entry without a switch, for which help has its example. */
export function mainEntry(entries: readonly Entry[]): Entry | undefined {
  return entries.find(({ command: { switch: flag } }) => flag === undefined) ?? entries[0]
}

/** Refuses arguments and options that belong to another operation of the same words. */
function requireFitting(
  command: Command,
  entries: readonly Entry[],
  chosen: Entry,
  flags: Flags,
  args: readonly unknown[],
): void {
  const own = chosen.command
  const given = own.switch ? `--${own.switch}` : "this"
  const extra = args.findIndex((value, index) => value !== undefined && index >= (own.args?.length ?? 0))
  if (extra !== -1) {
    const label = command.registeredArguments[extra]?.name()
    command.error(`error: give either ${label} or ${given}`)
  }
  const known = optionParameters(chosen).map(([name]) => name)
  for (const entry of entries) {
    for (const [name] of optionParameters(entry)) {
      if (flags[name] === undefined || known.includes(name)) continue
      command.error(`error: ${nameOf(name, entry)} and ${given} do not go together`)
    }
  }
}

function nameOf(name: string, { operation, command }: Entry): string {
  if (name === command.stdin) return `the ${name.replaceAll("_", " ")} on standard input`
  const schema = operation.input.properties[name]
  return schema ? nameOnCommandLine(name, schema, command.args ?? []) : name
}

/** Reads a secret so that neither the screen nor a list of processes shows it. */
async function readSecret(name: string, { standardInput }: CliParts): Promise<string> {
  const question = `Type or paste the ${name.replaceAll("_", " ")} (it is not shown): `
  const text = standardInput.isTerminal
    ? await standardInput.ask(question, { hidden: true })
    : await standardInput.read()
  return (text ?? "").trim()
}

/**
 * Asks before a change that cannot be undone. Asks only on a terminal, since scripts could not answer.
 * @throws Declined
 */
export async function requireConsent(
  { operation, command, input }: ReadEntry,
  { yes }: Flags,
  { standardInput }: CliParts,
): Promise<void> {
  if (!operation.isFinal || yes || !standardInput.isTerminal) return
  const names = (command.args ?? []).map((name) => input[name]).filter((value) => value !== undefined)
  const subject = [operation.title, ...names].join(" ")
  const answer = await standardInput.ask(`${subject}: this cannot be undone. Go on? [y/N] `, {
    hidden: false,
  })
  if (!/^\s*y(es)?\s*$/i.test(answer ?? "")) throw new Declined("Nothing was changed.")
}
