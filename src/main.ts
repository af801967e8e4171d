import { openAdministration } from "./app/administer.ts"
import { checkConfig, checkSettings } from "./app/check-config.ts"
import { ownApiFolders } from "./app/own-apis.ts"
import { catalog, checkData, createLocalCalls, loadApis } from "./app/prepare.ts"
import { safekeeping } from "./app/safekeeping.ts"
import { startService } from "./app/service.ts"
import { createFirstConsoleLink, openAccounts } from "./app/service-parts.ts"
import { commit, version } from "./app/version.ts"
import type { Channel, FromSupervisor, Served } from "./observe/siblings.ts"
import { systemClock } from "./ports/clock.ts"
import { createHttpClient } from "./ports/http-client.ts"
import { createRunOwnCommand } from "./ports/own-process.ts"
import { systemRandom } from "./ports/random.ts"
import { standardInput } from "./ports/standard-input.ts"
import { keepAliveTimer } from "./ports/timer.ts"
import type { StopOptions } from "./surfaces/cli/parts.ts"
import { runCli } from "./surfaces/cli/program.ts"
import { spawnWorker, unflushedSignal } from "./surfaces/cli/worker.ts"

/** Set in the environment of worker processes. */
const workerVariable = "PENKNIFE_WORKER"
/** The configuration as the other workers have it: the file may have changed when a worker starts later. */
const workerServesVariable = "PENKNIFE_WORKER_SERVES"
/** For tests, which would otherwise wait ten seconds for a stuck worker to be replaced. */
const heartbeatVariable = "PENKNIFE_HEARTBEAT_MS"

const stopSignals = ["SIGTERM", "SIGINT"] as const

/** A reader that has what it wants closes its pipe. The writes after that find no stream. */
const readerHasLeft = /^(EPIPE|EOF|ECONNRESET|ERR_STREAM_\w+)$/

const env = process.env
const argv = process.argv.slice(2)
const isWorker = env[workerVariable] === "1"

/** Such a process gets its settings as arguments, and must not act as a worker. */
const runOwnCommand = createRunOwnCommand(
  programCommand(),
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("PENKNIFE_"))),
)

/** Starts to compile code that runs often. The executable does not compile during its start: see `scripts/build.ts`. */
const compileAsUsual = () => Bun.unsafe.setJITPolicy(1)
if (argv[0] !== "serve" && argv[0] !== "mock") compileAsUsual()

let printed: Promise<void> = Promise.resolve()
let isOutputLost = false

// Without top-level await, since bytecode is compiled as CommonJS.
runCli(argv, {
  terminal: {
    out: print,
    err: (text) => process.stderr.write(text),
    styled: print,
    errIsTerminal: process.stderr.isTTY === true,
    columns: process.stdout.isTTY ? process.stdout.columns : null,
    // https://no-color.org
    colours: process.stdout.isTTY && !env.NO_COLOR && env.TERM !== "dumb",
  },
  standardInput,
  env,
  version,
  commit,
  catalog,
  clock: systemClock,
  timer: keepAliveTimer,
  random: systemRandom,
  httpClient: createHttpClient(keepAliveTimer),
  isWorker,
  spawnWorker(port, served) {
    compileAsUsual()
    return spawnWorker(programCommand(), argv, port, {
      ...env,
      [workerVariable]: "1",
      [workerServesVariable]: JSON.stringify(served),
    })
  },
  workerServes: isWorker ? (JSON.parse(env[workerServesVariable] ?? "null") as Served | null) : null,
  heartbeatMs: Number(env[heartbeatVariable] ?? 1_000),
  stopRequested,
  startService: (config, options) =>
    startService(config, {
      ...options,
      channel: toSupervisor(),
      runOwnCommand,
      onUnflushed: () => process.kill(process.pid, unflushedSignal),
    }).finally(compileAsUsual),
  onReload: (run) => process.on("SIGHUP", run),
  tellReady() {
    // sd_notify(3). systemd has the command with it; the runtime has no datagrams over Unix sockets.
    if (env.NOTIFY_SOCKET)
      Bun.spawn(["systemd-notify", "--ready"], { stdio: ["ignore", "inherit", "inherit"] })
  },
  checkConfig,
  checkSettings,
  // Loaded only for `mock`, since it slows the start of every other command.
  startMock: async (config) => (await import("./app/mock.ts")).startMock(config).finally(compileAsUsual),
  mockSeedSchema: async () => (await import("./app/mock-seed-file.ts")).seedJsonSchema(),
  openAccounts,
  createFirstConsoleLink,
  openAdministration: (config, options) => openAdministration(config, { ...options, runOwnCommand }),
  loadApis: (config) => loadApis(config, (text) => process.stderr.write(`${text}\n`)),
  ownApis: ownApiFolders,
  checkData,
  safekeeping,
  createLocalCalls,
}).then(async (code) => {
  // Exit only when the output is written: a pipe may not have taken all of it yet.
  await printed
  if (isOutputLost) process.exit(1)
  process.stdout.end(() => process.exit(code))
})

// A reader of the output that closes its pipe must not end the service.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})

/** Writes to standard output. A command that cannot, as on a full disk, fails: a key that it made was shown to nobody. */
function print(text: string): void {
  printed = new Promise((resolve) => {
    process.stdout.write(text, (problem?: NodeJS.ErrnoException | null) => {
      if (problem && !isOutputLost && !readerHasLeft.test(problem.code ?? "")) {
        isOutputLost = true
        const cause = problem.code === "ENOSPC" ? ", since the disk is full" : ` (${problem.message})`
        process.stderr.write(`penknife: the output could not be written${cause}.\n`)
      }
      resolve()
    })
  })
}

/**
 * Resolves on the first SIGTERM or SIGINT; with `stdin` also when standard input ends, as it does with the parent process. The
 * second signal calls `onAgain`, and later ones end the process at once.
 */
function stopRequested({ stdin = isWorker, onAgain }: StopOptions = {}): Promise<void> {
  return new Promise((resolve) => {
    let signals = 0
    function onSignal(): void {
      signals++
      resolve()
      // A service manager, or a terminal on Ctrl+C, may send each signal to all processes: the supervisor counts for its workers.
      if (isWorker) return
      if (signals === 2) onAgain?.()
      if (signals === (onAgain ? 2 : 1)) for (const signal of stopSignals) process.off(signal, onSignal)
    }
    for (const signal of stopSignals) process.on(signal, onSignal)
    if (stdin) process.stdin.on("end", resolve).resume()
    if (!isWorker || !onAgain) return
    process.on("message", ({ kind }: FromSupervisor) => kind === "endDrain" && onAgain())
    process.stdin.on("end", onAgain)
  })
}

/** The channel to the process that started this worker; null in a process that is not a worker. */
function toSupervisor(): Channel | null {
  if (!isWorker || !process.send) return null
  return {
    send: (message) => process.send?.(message),
    onMessage: (listener) => process.on("message", listener),
  }
}

/** The command that runs this program again: the executable, or Bun with the source file. */
function programCommand(): string[] {
  const isCompiled = !/\.[jt]s$/.test(Bun.main) || Bun.main.startsWith("/$bunfs/")
  return isCompiled ? [process.execPath] : [process.execPath, Bun.main]
}
