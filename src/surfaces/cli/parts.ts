import type { Administration } from "../../admin/administration.ts"
import type { Actor } from "../../admin/operation.ts"
import type { Accounts } from "../../admin/program-accounts.ts"
import type { ApiDefinition, Clock, Random, Timer } from "../../apis/contract.ts"
import type { LocalCalls, PreparedApi } from "../../call/prepared-api.ts"
import type { ConfigSource } from "../../config/file.ts"
import type { Config } from "../../config/load.ts"
import type { MockWebhook } from "../../mock/webhook-secret.ts"
import type { Served } from "../../observe/siblings.ts"
import type { HttpClient } from "../../ports/http-client.ts"
import type { StandardInput } from "../../ports/standard-input.ts"
import type { Terminal } from "./output.ts"
import type { WorkerProcess } from "./worker.ts"

/** The functions that commands use. Passed in, so that commands do not depend on how the service is composed. */
export interface CliParts {
  readonly terminal: Terminal
  readonly env: Readonly<Record<string, string | undefined>>
  readonly version: string
  /** The commit that the program was built from; null when it is not known. */
  readonly commit?: string | null
  readonly catalog: readonly ApiDefinition[]
  readonly clock: Clock
  readonly timer: Timer
  /** Whether this process is one of several that share a port, started by {@link CliParts.spawnWorker}. */
  readonly isWorker: boolean
  /** Starts the same command line as a worker, on `port` unless that is null. */
  spawnWorker(port: number | null, served: Served): WorkerProcess
  /** The configuration of a worker. Null in other processes. */
  readonly workerServes: Served | null
  /** How often workers are asked whether they still handle events. */
  readonly heartbeatMs: number
  /** Resolves when the process is asked to stop (SIGTERM, SIGINT). */
  readonly stopRequested: (options?: StopOptions) => Promise<void>
  /** Tells the service manager that started the process, if one waits for it, that the service takes requests. */
  tellReady(): void
  /** Calls `run` whenever the process is asked to read its files again (SIGHUP). */
  readonly onReload: (run: () => void) => void
  startService(
    config: Config,
    options: {
      readonly sharedPort: boolean
      readonly configSource: ConfigSource
    },
  ): Promise<RunningService>
  startMock(config: Config): Promise<RunningMock>
  /** The JSON Schema of the files of `--seed`. */
  mockSeedSchema(): Promise<string>
  /** Makes the first link to the console; null if there is an admin key, was a link, or the console is off. */
  createFirstConsoleLink(
    config: Config,
    listening: { readonly url: string; readonly adminUrl: string | null },
  ): Promise<string | null>
  /** Throws ConfigError for mistakes in a configuration, without opening anything. */
  checkSettings(read: () => Config): Promise<CheckedSettings>
  /** Throws the errors that {@link CliParts.startService} would throw because of the configuration. */
  checkConfig(config: Config): Promise<void>
  /** Opens the accounts of the data file; `create` makes a missing file. Close the result when done. */
  openAccounts(
    config: Config,
    options: { create: boolean },
  ): Promise<{ accounts: Accounts; close(): Promise<void> }>
  /** Opens a store for operations; `create` makes a missing data file. Close the result when done. */
  openAdministration(
    config: Config,
    options: { create: boolean },
  ): Promise<{ administration: Administration; actor: Actor; close(): Promise<void> }>
  /** For commands that work on a running service. */
  readonly httpClient: HttpClient
  readonly random: Random
  readonly standardInput: StandardInput
  /** The catalog and the operator's own APIs, with the prices and data files of a configuration. */
  loadApis(config: Config): Promise<{
    readonly apis: readonly PreparedApi[]
    /** Own APIs that cannot be used. */
    readonly problems: readonly { readonly name: string; readonly problem: string }[]
  }>
  readonly ownApis: OwnApiFolders
  /**
   * Reads the lists of a folder for `--data`. Returns them and the other built-in lists, which have no file. Throws ConfigError
   * for a list that cannot be used.
   */
  checkData(directory: string): Promise<readonly { list: string; file: string | null; date: string | null }[]>
  readonly safekeeping: Safekeeping
  /** Prepares calls in this process. */
  createLocalCalls(config: Config): LocalCalls
}

/** Options for requests to stop the process. */
export interface StopOptions {
  /** Whether the end of standard input is such a request too. A worker's always is. */
  readonly stdin?: boolean
  /** Called when the process is asked again: it should stop without waiting for others. */
  readonly onAgain?: () => void
}

/** A service that listens. */
interface RunningService {
  readonly server: { readonly url: string; readonly adminUrl: string | null }
  /** Reads certificate and key again. If they cannot be used, this is logged, and the old ones stay. */
  reloadCertificate(): Promise<void>
  /** Whether someone has an admin key, is signed in to the console, or got a link to it. */
  hasAdmin(): Promise<boolean>
  /** Reads the configuration again. Mistakes are logged, and the old one stays. */
  readonly configuration: { reloadLogged(): Promise<void> }
  /** Serves on for the time of `--drain` or until `drainEnds` resolves, then stops. */
  stop(options: { readonly drainEnds: Promise<void> }): Promise<void>
}

/** Makes and tries own APIs of the operator. */
interface OwnApiFolders {
  /** Writes a first API into a folder, and returns the written files. Throws an error with a message for the operator. */
  writeNew(directory: string, name: string): Promise<readonly string[]>
  /** Loads all APIs of a folder and tries their examples. */
  check(directory: string): Promise<{
    readonly usable: readonly { readonly id: string; readonly examples: number }[]
    readonly problems: readonly { readonly name: string; readonly problem: string }[]
  }>
}

/** A mock that listens. */
interface RunningMock {
  readonly url: string
  /** The key whose plan `--plan` sets. */
  readonly key: string
  /** The authority's certificate (PEM) when the mock serves TLS; otherwise null. */
  readonly ca: string | null
  /** The webhook of `--webhook`; null without it. */
  readonly webhook: MockWebhook | null
  /** The webhooks at the start, of accounts too, to which nothing is sent. */
  readonly unsent: readonly MockWebhook[]
  /** How it differs from the service of `--like`, a sentence each; undefined without that. */
  readonly differences?: readonly string[] | undefined
  /** The present state as a seed file. */
  seed(): Promise<string>
  /** Prepares the first answer, which takes some milliseconds. Changes nothing. */
  warmUp(): Promise<void>
  stop(): Promise<void>
}

/** Copies the data file to a new file and back, makes it smaller, and copies everything from one kind of store to another. */
interface Safekeeping {
  backUp(config: Config, file: string, onStep: OnStep): Copied
  /** Checks a backup without changing it. */
  checkBackup(file: string): Copied
  /** Replaces the data file by a backup; `replaced` names the file that keeps the old data. */
  restore(config: Config, file: string, onStep: OnStep): Copied & { readonly replaced: string | null }
  /** Gives the space of deleted rows of the data file back to the disk; sizes in bytes. */
  compact(config: Config): { readonly file: string; readonly bytesBefore: number; readonly bytes: number }
  /** Deletes audit records older than `--keep-audit`. */
  pruneAudit(config: Config): Promise<{ readonly before: string; readonly deleted: number }>
  /** Copies everything from a data file, or the URL of a database, to an empty one. */
  move(config: Config, from: string, to: string): Promise<Moved>
}

/** A move: the stores, and counts and sums as exact decimal text. */
export interface Moved {
  readonly from: string
  readonly to: string
  readonly [sum: string]: string
}

/** Called before each step of a copy. */
export type OnStep = (step: "copy" | "check", file: string, bytes: number) => void

/** A copy of a data file. */
export interface Copied {
  readonly file: string
  readonly bytes: number
  readonly storeVersion: number
  readonly accounts: number
  readonly keys: number
}

/** A configuration without mistakes. */
export interface CheckedSettings {
  /** The name of its file; null without one. */
  readonly file: string | null
  /** Settings that will not work as they seem to be meant, a sentence each. */
  readonly warnings: readonly string[]
}
