import { Command, CommanderError } from "commander"
import { AccountError } from "../../accounts/requirements.ts"
import { AdminFault } from "../../admin/fault.ts"
import { ApiMistake, InputRejected, Unavailable } from "../../apis/contract.ts"
import { type OptionKey, options } from "../../config/options.ts"
import { ConfigError } from "../../config/setting-name.ts"
import { PluginRefused } from "../../plugins/plugin-refused.ts"
import { StoreUnavailable, StoreUnusable } from "../../store/store.ts"
import { Declined, ServerFailed } from "./admin/backend.ts"
import { findOrAdd } from "./admin/groups.ts"
import { printRows } from "./admin/present.ts"
import { addApiCommands } from "./api.ts"
import { addAuditMail, GradeTooLow } from "./audit-mail.ts"
import { addCall } from "./call.ts"
import { hintAfter, isKnown, isNotHelp } from "./command-words.ts"
import { addCompletion } from "./completion.ts"
import { addOpenApi, addSchema } from "./documents.ts"
import { addMcp } from "./mcp.ts"
import { addMock } from "./mock.ts"
import { example, withoutHidden } from "./output.ts"
import type { CliParts } from "./parts.ts"
import { addServe } from "./serve.ts"
import { onConfigSource } from "./settings.ts"
import {
  addAuditPrune,
  addBackup,
  addCheckBackup,
  addCompact,
  addMove,
  addRestore,
} from "./store-commands.ts"
import { addWebhookListen } from "./webhook-listen.ts"
import { WorkerFailed } from "./worker.ts"

type Add = (program: Command, parts: CliParts, argv: readonly string[]) => Promise<void> | void

/** All commands by their first word, in the order of the help text. Those of operations have many. */
const commands: readonly (readonly [word: string, add: Add])[] = [
  ["serve", addServe],
  ["mock", addMock],
  ["webhook", addWebhookListen],
  ["call", addCall],
  ["audit-mail", addAuditMail],
  ["api", addApiCommands],
  ["data", addDataCommands],
  ["", async (...given) => (await import("./admin/operation-command.ts")).addOperations(...given)],
  ["config", addConfigCheck],
  ["audit", addAuditPrune],
  ["mcp", addMcp],
  ["openapi", addOpenApi],
  ["backup", addBackup],
  ["check-backup", addCheckBackup],
  ["restore", addRestore],
  ["compact", addCompact],
  ["move", addMove],
  ["schema", addSchema],
  ["completion", addCompletion],
]

/** Runs one command line, given without the program's name. Returns the exit code: 0, 1 for errors, 2 for wrong usage. */
export async function runCli(words: readonly string[], given: CliParts): Promise<number> {
  // Commander's own help command knows only the first word after it.
  const argv = words[0] === "help" ? [...words.slice(1), "--help"] : words
  const terminal = withoutHidden(given.terminal)
  if (asksForVersion(argv)) {
    terminal.out(`${versionLine(given)}\n`)
    return 0
  }
  const parts = { ...given, terminal }
  const program = new Command("penknife")
    .description("Many small utility APIs in one binary: a metered service, and a test double of it.")
    .version(versionLine(parts), "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show the help of a command")
    .addHelpText("after", example("penknife serve --demo"))
    .configureOutput({
      ...{ writeOut: terminal.out, writeErr: terminal.err },
      // All messages begin alike, whether commander or this program refuses something.
      outputError: (text, write) => write(text.replace(/^error: /, "penknife: ")),
    })
    // 'notices' and its command 'notices test' have options of the same names.
    .enablePositionalOptions()
    .exitOverride()
  const ids = parts.catalog.map(({ id }) => id)
  try {
    for (const [, add] of await commandsOf(argv[0])) await add(program, parts, argv)
    await program.parseAsync(isKnown(argv, program) ? argv : argv.filter(isNotHelp), { from: "user" })
    return 0
  } catch (thrown) {
    if (thrown instanceof CommanderError) {
      if (thrown.exitCode === 0) return 0
      // Commander shows a group's help when no command is named, which needs no hint.
      if (thrown.code !== "commander.help") terminal.err(`${hintAfter(thrown.code, argv, program, ids)}\n`)
      return 2
    }
    terminal.err(`penknife: ${errorText(thrown)}\n`)
    return thrown instanceof ConfigError || thrown instanceof InputRejected ? 2 : 1
  }
}

/** For any command: commander knows the option only for the program. After another option it may be a value. */
function asksForVersion(argv: readonly string[]): boolean {
  return argv.at(-1) === "--version" && argv.slice(0, -1).every((word) => !word.startsWith("-"))
}

/** The commands that begin with a word; all without such a one. Making all of them takes a third of a start. */
async function commandsOf(word = ""): Promise<typeof commands> {
  const own = commands.filter(([first]) => first === word)
  if (own.length > 0 && word !== "config" && word !== "audit") return own
  const { isOfOperations } = await import("./admin/operation-command.ts")
  return isOfOperations(word) ? commands.filter(([first]) => first === word || first === "") : commands
}

/** `config check`: reads the configuration as `serve` does and says every mistake. It opens nothing. */
function addConfigCheck(program: Command, parts: CliParts): void {
  const command = findOrAdd(program, ["config", "check"])
    .summary("Check a configuration without starting a service.")
    .description(
      "Reads flags, environment and file like 'serve', and lists every mistake. The exit code is 2 if there is one. It " +
        "warns of settings that do not work without others, and opens no store and no port.",
    )
    .option("--json", "print JSON")
    .addHelpText("after", example("penknife config check --max-calls 500"))
  const keys = Object.keys(options) as OptionKey[]
  onConfigSource(command, keys, parts, async (source, { json }: { json?: boolean }) => {
    const { file, warnings } = await parts.checkSettings(() => source.read(source.readText()))
    const text = file === null ? "The settings can be used." : `The settings of ${file} can be used.`
    if (!json) for (const warning of warnings) parts.terminal.err(`penknife: warning: ${warning}\n`)
    parts.terminal.out(json ? `${JSON.stringify({ ok: true, file, warnings })}\n` : `${text}\n`)
  })
}

/** `data check`: lists that the operator renews without a new version of the program. */
function addDataCommands(program: Command, { terminal, checkData }: CliParts): void {
  program
    .command("data")
    .description("Check newer lists, which 'serve --data DIR' uses instead of those inside.")
    .addHelpText("after", example("penknife data check lists"))
    .command("check <dir>")
    .summary("Check newer lists.")
    .description(
      "Reads the lists of a folder as a service does, and prints all lists that the APIs would use, with their dates. Those without a file are built in. If a file cannot be used, the exit code is 2 and the message says why.",
    )
    .option("--json", "print JSON")
    .addHelpText("after", example("penknife data check lists"))
    .action(async (directory: string, { json }: { readonly json?: boolean }) => {
      printRows(terminal, await checkData(directory), json, "The folder has no list.")
    })
}

function versionLine({ version, commit = null }: Pick<CliParts, "version" | "commit">): string {
  return commit === null ? version : `${version} (${commit})`
}

/** Errors whose message already says what to change. */
const plainErrors = [
  AccountError,
  AdminFault,
  ApiMistake,
  ConfigError,
  Declined,
  GradeTooLow,
  InputRejected,
  PluginRefused,
  ServerFailed,
  StoreUnavailable,
  StoreUnusable,
  Unavailable,
  WorkerFailed,
]

/** Advice when the operating system refuses to let a server listen, by error code. */
const listenAdvice: Readonly<Record<string, string>> = {
  EADDRINUSE: "If another program listens there, choose a free port with --port; else check --host.",
  EADDRNOTAVAIL: "This machine does not have this address: check --host.",
  EINVAL: "This machine cannot listen on this host or address: check --host.",
  EACCES: "Ports below 1024 need more rights: choose another with --port.",
  EPERM: "Ports below 1024 need more rights: choose another with --port.",
}

/** The text that the command line prints for an error: a message with advice if there is one, else the stack. */
function errorText(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  if (plainErrors.some((type) => thrown instanceof type)) return thrown.message
  const code = "code" in thrown ? String(thrown.code) : ""
  if ("syscall" in thrown && thrown.syscall === "listen") {
    // For an unknown host name Bun reports its last failure, or that port 0 is in use.
    const isUnknownHost = !(code in listenAdvice) || thrown.message.includes(" port 0 ")
    if (isUnknownHost) return "This machine does not have the host's name or address: check --host."
  }
  const advice = listenAdvice[code] ?? tlsAdvice(code, thrown.message)
  return advice ? `${toSentence(thrown.message)} ${advice}` : (thrown.stack ?? thrown.message)
}

function tlsAdvice(code: string, message: string): string | null {
  const isTls = code.includes("SSL") || /PEM|X509|KEY_VALUES/.test(message)
  return isTls ? "Check that --tls-cert and --tls-key belong together." : null
}

/** Most messages of the operating system lack the full stop. */
function toSentence(message: string): string {
  const text = message.trim()
  return /[.?!]$/.test(text) ? text : `${text}.`
}
