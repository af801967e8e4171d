import { Command, CommanderError } from "commander"
import { AccountError, type Accounts } from "../../accounts/accounts.ts"
import { type ApiDefinition, type Clock, InputRejected, Unavailable } from "../../apis/contract.ts"
import type { PreparedApi } from "../../call/execute.ts"
import type { RawInput } from "../../call/input.ts"
import { ConfigError } from "../../config/config-error.ts"
import type { Config } from "../../config/options.ts"
import { StoreUnavailable, StoreUnusable } from "../../store/store.ts"
import { accountCommand } from "./account.ts"
import { backupCommand, restoreCommand, type Safekeeping } from "./backup.ts"
import { callCommand } from "./call.ts"
import { keyCommand } from "./key.ts"
import { type MockParts, mockCommand } from "./mock.ts"
import { type NoticesParts, noticesCommand } from "./notices.ts"
import { openApiCommand } from "./openapi.ts"
import type { Terminal } from "./output.ts"
import { schemaCommand } from "./schema.ts"
import { serveCommand } from "./serve.ts"
import type { WorkerProcess } from "./supervisor.ts"
import { usageCommand } from "./usage.ts"
import { WorkerFailed } from "./worker.ts"

/** What the commands do their work with; handed in, so that they know nothing of how it is put together. */
export interface CliParts extends NoticesParts, MockParts {
  readonly terminal: Terminal
  readonly env: Readonly<Record<string, string | undefined>>
  readonly version: string
  readonly catalog: readonly ApiDefinition[]
  readonly clock: Clock
  /** Whether this process is one of several that share a port, started by {@link CliParts.spawnWorker}. */
  readonly isWorker: boolean
  /** Starts this same command line as a worker, on the given port where there is one already. */
  spawnWorker(port: number | null): WorkerProcess
  /** Resolves when the process is asked to stop (SIGTERM, SIGINT); with `stdin` also when standard input ends. */
  readonly stopRequested: (also?: { readonly stdin: boolean }) => Promise<void>
  /** Calls `run` whenever the process is asked to read its files again (SIGHUP). */
  readonly onReload: (run: () => void) => void
  startService(
    config: Config,
    options: { sharedPort: boolean },
  ): Promise<{
    readonly server: { readonly url: string }
    reloadCertificate(): Promise<void>
    stop(): Promise<void>
  }>
  /** Throws what {@link CliParts.startService} would throw of the configuration. */
  checkConfig(config: Config): Promise<void>
  openAccounts(config: Config, options: { create: boolean }): { accounts: Accounts; close(): Promise<void> }
  /** The catalog as a configuration wants it. */
  prepareApis(config: Config): readonly PreparedApi[]
  readonly safekeeping: Safekeeping
  callHere(config: Config, api: string, input: RawInput): Promise<Record<string, unknown>>
}

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
