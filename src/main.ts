import {
  callHere,
  catalog,
  checkConfig,
  openAccounts,
  openNotices,
  prepareApis,
  safekeeping,
  startService,
  version,
} from "./app/service.ts"
import type { Channel } from "./observe/siblings.ts"
import { systemClock } from "./ports/clock.ts"
import { keepAliveTimer } from "./ports/timer.ts"
import { runCli } from "./surfaces/cli/program.ts"
import { spawnWorker } from "./surfaces/cli/worker.ts"

/** Set in the environment of worker processes. */
const workerMark = "PENKNIFE_WORKER"

const isWorker = process.env[workerMark] === "1"
const argv = process.argv.slice(2)

// No top-level await: bytecode is compiled as CommonJS, which has none.
runCli(argv, {
  terminal: {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  },
  env: process.env,
  version,
  catalog,
  clock: systemClock,
  timer: keepAliveTimer,
  isWorker,
  spawnWorker: (port) => spawnWorker(programCommand(), argv, port, { ...process.env, [workerMark]: "1" }),
  stopRequested,
  startService: (config, options) => startService(config, { ...options, channel: toSupervisor() }),
  onReload: (run) => process.on("SIGHUP", run),
  checkConfig,
  // Only one command needs it.
  startMock: async (config) => (await import("./app/mock.ts")).startMock(config),
  openAccounts,
  openNotices,
  prepareApis,
  safekeeping,
  callHere,
}).then((code) => {
  // Exiting at once would drop what the reader of a pipe has not taken yet.
  process.stdout.end(() => process.exit(code))
})

// Whoever reads the output may go away; that must not end a service.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})

/** Resolves on the first SIGTERM or SIGINT; in a worker, and where it is wanted, also when whoever started it is gone. */
function stopRequested({ stdin } = { stdin: isWorker }): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve())
    if (stdin) process.stdin.on("end", resolve).resume()
  })
}

/** The line to the process that has started this worker; null where this is none. */
function toSupervisor(): Channel | null {
  if (!isWorker || !process.send) return null
  return {
    send: (message) => void process.send?.(message),
    onMessage: (listener) => void process.on("message", listener),
  }
}

/** How to run this program again: the executable by itself, or the runtime with the source. */
function programCommand(): string[] {
  const compiled = !/\.[jt]s$/.test(Bun.main) || Bun.main.startsWith("/$bunfs/")
  return compiled ? [process.execPath] : [process.execPath, Bun.main]
}
