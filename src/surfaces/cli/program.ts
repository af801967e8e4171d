import { Command, CommanderError } from "commander"
import { AccountError } from "../../accounts/account-error.ts"
import { InputRejected, Unavailable } from "../../apis/contract.ts"
import { ConfigError } from "../../config/config-error.ts"
import { StoreUnavailable, StoreUnusable } from "../../store/store.ts"
import { accountCommand } from "./account.ts"
import { backupCommand, restoreCommand } from "./backup.ts"
import { callCommand } from "./call.ts"
import { keyCommand } from "./key.ts"
import { mockCommand } from "./mock.ts"
import { noticesCommand } from "./notices.ts"
import { openApiCommand } from "./openapi.ts"
import type { CliParts } from "./parts.ts"
import { schemaCommand } from "./schema.ts"
import { serveCommand } from "./serve.ts"
import { usageCommand } from "./usage.ts"
import { WorkerFailed } from "./worker.ts"

/** Runs one command line (without the program's own name) and gives the exit code: 0, 1 for errors, 2 for wrong usage. */
export async function runCli(argv: readonly string[], parts: CliParts): Promise<number> {
  const { terminal } = parts
  const program = new Command("penknife")
    .description("Many small utility APIs in one binary: a metered service, and a test double of one.")
    .version(parts.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help of a command")
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    .exitOverride()
    .showHelpAfterError("(add --help for help)")
  for (const command of [
    serveCommand,
    mockCommand,
    callCommand,
    accountCommand,
    keyCommand,
    usageCommand,
    noticesCommand,
    openApiCommand,
    backupCommand,
    restoreCommand,
    schemaCommand,
  ]) {
    program.addCommand(inherit(command(parts), program))
  }
  try {
    await program.parseAsync(argv, { from: "user" })
    return 0
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : 2
    terminal.err(`penknife: ${toMessage(thrown)}\n`)
    return thrown instanceof ConfigError || thrown instanceof InputRejected ? 2 : 1
  }
}

/** Subcommands made apart from the program do not inherit its settings by themselves. */
function inherit(command: Command, program: Command): Command {
  command.copyInheritedSettings(program)
  for (const child of command.commands) inherit(child, program)
  return command
}

function toMessage(thrown: unknown): string {
  if (expected.some((type) => thrown instanceof type)) return (thrown as Error).message
  if (!(thrown instanceof Error)) return String(thrown)
  const code = "code" in thrown ? String(thrown.code) : ""
  const listens = "syscall" in thrown && thrown.syscall === "listen"
  // Of a host that nobody knows the runtime says whatever failed last, or that port 0 is in use, which cannot be.
  const isUnknownHost = !(code in listenAdvice) || thrown.message.includes(" port 0 ")
  if (listens && isUnknownHost) return "The host is no address or name of this machine: check --host."
  const advice =
    listenAdvice[code] ??
    (code.includes("SSL") || /PEM|X509|KEY_VALUES/.test(thrown.message) ? tlsAdvice : null)
  return advice ? `${toSentence(thrown.message)} ${advice}` : (thrown.stack ?? thrown.message)
}

/** Words of the system, mostly without an end: the advice comes after them. */
function toSentence(message: string): string {
  const text = message.trim()
  return /[.?!]$/.test(text) ? text : `${text}.`
}

/** What to do when the operating system does not let a server listen. */
const listenAdvice: Readonly<Record<string, string>> = {
  EADDRINUSE: "If another program listens there, choose a free port with --port; else check --host.",
  EADDRNOTAVAIL: "This machine has no such address: check --host.",
  EINVAL: "That is no address to listen on: check --host.",
  EACCES: "Ports below 1024 need more rights: choose another with --port.",
  EPERM: "Ports below 1024 need more rights: choose another with --port.",
}
const tlsAdvice = "Check that --tls-cert and --tls-key belong together."

const expected = [
  AccountError,
  ConfigError,
  InputRejected,
  StoreUnavailable,
  StoreUnusable,
  Unavailable,
  WorkerFailed,
]
