import { Command, CommanderError } from "commander"
import { InputRejected } from "../../apis/contract.ts"
import { ConfigError } from "../../config/config-error.ts"
import { addApiCommands } from "./api.ts"
import { addBackup, addCheckBackup, addRestore } from "./backup.ts"
import { addCall } from "./call.ts"
import { addCompletion } from "./completion.ts"
import { addConfigCheck } from "./config-check.ts"
import { addOpenApi, addSchema } from "./documents.ts"
import { errorText } from "./error-text.ts"
import { addMcp } from "./mcp.ts"
import { addMock } from "./mock.ts"
import { addMove } from "./move.ts"
import { example, withoutHidden } from "./output.ts"
import type { CliParts } from "./parts.ts"
import { addServe } from "./serve.ts"

/** Commands that start something. Only theirs is made, since making the commands of all operations takes a third of a start. */
const starts: Readonly<Record<string, (program: Command, parts: CliParts) => void>> = {
  serve: addServe,
  mock: addMock,
  mcp: addMcp,
}

/** Runs one command line, given without the program's name. Returns the exit code: 0, 1 for errors, 2 for wrong usage. */
export async function runCli(argv: readonly string[], given: CliParts): Promise<number> {
  const terminal = withoutHidden(given.terminal)
  if (asksForVersion(argv)) {
    terminal.out(`${given.version}\n`)
    return 0
  }
  const parts = { ...given, terminal }
  const program = new Command("penknife")
    .description("Many small utility APIs in one binary: a metered service, and a test double of it.")
    .version(parts.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show the help of a command")
    .addHelpText("after", example("penknife serve --demo"))
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    // 'notices' and its command 'notices test' have options of the same names.
    .enablePositionalOptions()
    .exitOverride()
    .showHelpAfterError("(add --help for help)")
  const addStart = starts[argv[0] ?? ""]
  try {
    if (addStart) addStart(program, parts)
    else await addAll(program, parts, argv)
    await program.parseAsync(isKnown(argv, program) ? argv : argv.filter(isNotHelp), { from: "user" })
    return 0
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : 2
    terminal.err(`penknife: ${errorText(thrown)}\n`)
    return thrown instanceof ConfigError || thrown instanceof InputRejected ? 2 : 1
  }
}

const isNotHelp = (word: string) => word !== "--help" && word !== "-h"

/** Whether the words before the first option name a command. If not, commander would show the nearest command's help. */
function isKnown(argv: readonly string[], program: Command): boolean {
  let command = program
  for (const word of argv.filter(isNotHelp)) {
    if (word.startsWith("-") || word === "help" || command.commands.length === 0) return true
    const next = command.commands.find((one) => one.name() === word)
    if (!next) return command.registeredArguments.length > 0
    command = next
  }
  return true
}

/** For any command: commander knows the option only for the program. After another option it may be a value. */
function asksForVersion(argv: readonly string[]): boolean {
  return argv.at(-1) === "--version" && argv.slice(0, -1).every((word) => !word.startsWith("-"))
}

/** Adds every command, in the order of the help text. */
async function addAll(program: Command, parts: CliParts, argv: readonly string[]): Promise<void> {
  const { addOperations } = await import("./admin/operation-command.ts")
  const commands = [
    addServe,
    addMock,
    addCall,
    addApiCommands,
    addOperations,
    addConfigCheck,
    addMcp,
    addOpenApi,
    addBackup,
    addCheckBackup,
    addRestore,
    addMove,
    addSchema,
    addCompletion,
  ]
  for (const add of commands) await add(program, parts, argv)
}
