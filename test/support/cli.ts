import type { Ports, Timer } from "../../src/apis/contract.ts"
import { openAdministration } from "../../src/app/administer.ts"
import { checkConfig, checkSettings } from "../../src/app/check-config.ts"
import { startMock } from "../../src/app/mock.ts"
import { seedJsonSchema } from "../../src/app/mock-seed-file.ts"
import { ownApiFolders } from "../../src/app/own-apis.ts"
import { catalog, checkData, createLocalCalls, loadApis } from "../../src/app/prepare.ts"
import { safekeeping } from "../../src/app/safekeeping.ts"
import { startService } from "../../src/app/service.ts"
import { createFirstConsoleLink, openAccounts } from "../../src/app/service-parts.ts"
import { systemClock } from "../../src/ports/clock.ts"
import { createHttpClient, type HttpClient } from "../../src/ports/http-client.ts"
import { systemRandom } from "../../src/ports/random.ts"
import type { StandardInput } from "../../src/ports/standard-input.ts"
import { keepAliveTimer } from "../../src/ports/timer.ts"
import type { CliParts } from "../../src/surfaces/cli/parts.ts"
import { runCli } from "../../src/surfaces/cli/program.ts"
import { createMemoryLog } from "./log.ts"
import { ownCommand } from "./own-command.ts"

export interface CliTestOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly ports?: Ports
  readonly stopRequested?: CliParts["stopRequested"]
  /** In place of the real one. */
  readonly startMock?: CliParts["startMock"]
  readonly onOut?: (text: string) => void
  /** The width of the terminal that it prints to; to a file by default. */
  readonly columns?: number
  readonly colours?: boolean
  readonly standardInput?: StandardInput
  readonly httpClient?: HttpClient
  readonly timer?: Timer
}

/** Standard input of a script that sends nothing. */
const emptyInput: StandardInput = {
  isTerminal: false,
  read: async () => "",
  ask: () => Promise.reject(new Error("nobody can be asked")),
}

/** Runs a command line in this process, on real files and sockets, and collects what it prints. */
export async function runCliForTest(argv: readonly string[], options: CliTestOptions = {}) {
  let out = ""
  let err = ""
  const log = createMemoryLog()
  const code = await runCli(argv, {
    terminal: {
      out: (text) => {
        out += text
        options.onOut?.(text)
      },
      err: (text) => {
        err += text
      },
      styled: (text) => {
        out += text
      },
      columns: options.columns ?? null,
      colours: options.colours ?? false,
      errIsTerminal: true,
    },
    standardInput: options.standardInput ?? emptyInput,
    random: systemRandom,
    httpClient: options.httpClient ?? createHttpClient(keepAliveTimer),
    openAdministration: (config, more) => openAdministration(config, { ...more, runOwnCommand: ownCommand }),
    env: options.env ?? {},
    version: "0.0.0-test",
    tellReady() {},
    catalog,
    clock: systemClock,
    timer: options.timer ?? keepAliveTimer,
    isWorker: false,
    spawnWorker: () => {
      throw new Error("this test starts no workers")
    },
    heartbeatMs: 1_000,
    stopRequested:
      options.stopRequested ?? (() => Promise.reject(new Error("this test does not stop a service"))),
    onReload: () => {},
    startService: (config, more) =>
      startService(config, {
        ...more,
        logOutput: log,
        databaseLimitMs: 30_000,
        ...(options.ports && { ports: options.ports }),
      }),
    startMock: options.startMock ?? ((config) => startMock(config, { logOutput: log })),
    mockSeedSchema: async () => seedJsonSchema(),
    checkConfig,
    checkSettings,
    workerServes: null,
    openAccounts,
    createFirstConsoleLink,
    loadApis,
    ownApis: ownApiFolders,
    checkData,
    safekeeping,
    createLocalCalls: (config) => createLocalCalls(config, options.ports),
  })
  return { code, out, err }
}
