import { afterAll } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { NewKey } from "../../src/admin/program-accounts.ts"
import type { ApiDefinition, Ports } from "../../src/apis/contract.ts"
import { catalog } from "../../src/app/prepare.ts"
import { type Service, startService } from "../../src/app/service.ts"
import { programParts } from "../../src/app/service-parts.ts"
import { version } from "../../src/app/version.ts"
import { prepareApi } from "../../src/call/prepared-api.ts"
import type { ConfigSource } from "../../src/config/file.ts"
import { createConfigSource } from "../../src/config/file.ts"
import { type Config, loadConfig } from "../../src/config/load.ts"
import type { RunOwnCommand } from "../../src/ports/own-process.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { systemTimer } from "../../src/ports/timer.ts"
import { openStore } from "../../src/store/open.ts"
import { toDocInput } from "../../src/surfaces/openapi/json-object.ts"
import { createTestAccounts, createTestNotices, type TestAccounts, type TestNotices } from "./accounts.ts"
import { type AnswerCheck, answerCheckFor, checkedFetch } from "./answer-check.ts"
import { createManualClock, type ManualClock } from "./clock.ts"
import { type KeyedRequest, postWith, withKey } from "./keyed-request.ts"
import { createMemoryLog } from "./log.ts"
import { briefTimer } from "./timer.ts"
import { portsFor } from "./zone-ports.ts"

export interface TestOptions {
  readonly clock?: ManualClock
  readonly ports?: Partial<Ports>
  /** Settings as flags would give them. */
  readonly flags?: Readonly<Record<string, unknown>>
  /** Settings as a TOML file would give them. */
  readonly file?: Readonly<Record<string, unknown>>
  /** Environment variables. */
  readonly env?: Readonly<Record<string, string>>
  /** The text of a configuration file that the service may change. */
  readonly configText?: string
  /** Returns the values of the TOML file that a reload reads. It is read at the start too. */
  readonly readFile?: () => Readonly<Record<string, unknown>>
  readonly runOwnCommand?: RunOwnCommand
  /** How long a call waits for a database on a server; 30,000 by default, since the machine may be busy. */
  readonly databaseLimitMs?: number
  /** How far the clock may be from that of a database on a server. A clock that the test moves may be anywhere. */
  readonly maxSkewMs?: number
}

/**
 * A whole service on a real SQLite file and a real socket, with a clock that the test moves. It stops after the test that started
 * it, or after the file's tests.
 */
export interface TestService extends Service {
  readonly accounts: TestAccounts
  readonly notices: TestNotices
  /** The log. */
  logged(): string
  readonly url: string
  readonly db: string
  /** The name of the configuration file, which exists when the test gave its text. */
  readonly configFile: string
  readonly config: Config
  readonly clock: ManualClock
  /** Makes an account on `plan` with one key. */
  createKey(plan: string, key?: Partial<NewKey>): Promise<{ account: string; id: string; key: string }>
  /** Sends a request. Throws when the answer does not fit the OpenAPI document. */
  fetch(path: string, init?: KeyedRequest): Promise<Response>
  /** Sends a body with POST: text and bytes as they are, anything else as JSON. */
  post(path: string, body: unknown, init?: KeyedRequest): Promise<Response>
  /** Calls an API as a client would: `GET` with a query, or `POST` with a JSON body. */
  call(api: ApiDefinition, input: Readonly<Record<string, unknown>>, more: CallOptions): Promise<Response>
}

interface CallOptions {
  readonly key?: string
  readonly format?: string
  readonly headers?: Readonly<Record<string, string>>
}

export async function startTestService(options: TestOptions = {}): Promise<TestService> {
  const dir = mkdtempSync(join(tmpdir(), "penknife-test-"))
  const clock = options.clock ?? createManualClock()
  const { readFile = () => options.file, env = {} } = options
  const flags = { port: "0", db: join(dir, "store.db"), ...options.flags }
  const inMemory: ConfigSource = {
    requireReplaceable() {},
    replaceText() {},
    readText: () => JSON.stringify(readFile() ?? null),
    read(text) {
      const values = JSON.parse(text ?? "null")
      return loadConfig({ flags, env, file: values ? { name: "test.toml", values } : null })
    },
  }
  const configFile = join(dir, "penknife.toml")
  if (options.configText !== undefined) writeFileSync(configFile, options.configText)
  const configSource =
    options.configText === undefined
      ? inMemory
      : createConfigSource(configFile, (file) => loadConfig({ flags, env, file }))
  const config = configSource.read(configSource.readText())
  const ports: Ports = { ...portsFor({}), clock, timer: briefTimer, ...options.ports }
  const log = createMemoryLog()
  const service = await startService(config, {
    ports,
    logOutput: log,
    databaseLimitMs: options.databaseLimitMs ?? 30_000,
    maxSkewMs: options.maxSkewMs ?? (options.ports?.clock ? undefined : Number.POSITIVE_INFINITY),
    configSource,
    runOwnCommand: options.runOwnCommand ?? null,
  })
  const { url } = service.server
  // As a command beside the service: the service learns of its changes from the store.
  const beside = await openStore(config.db, {
    ...{ clock, random: systemRandom, timer: systemTimer, mustExist: true },
    ...{ limitMs: 30_000, maxSkewMs: Number.POSITIVE_INFINITY },
  })
  const parts = programParts(beside, config, ports)
  const accounts = createTestAccounts(parts)
  const checked = checkedFetch(url, answerCheckOf(config))
  const fetchPath: TestService["fetch"] = (path, init) => checked(path, withKey(init))
  let stopped: Promise<void> | null = null
  const stop: Service["stop"] = (how = { atOnce: true }) => {
    stopped ??= Promise.all([beside.store.close(), service.stop(how)]).then(() =>
      rmSync(dir, { recursive: true, force: true }),
    )
    return stopped
  }
  afterAll(() => stop())
  return {
    ...service,
    accounts,
    notices: createTestNotices(parts),
    url,
    db: config.db,
    configFile,
    config,
    clock,
    logged: log.text,
    async createKey(plan, key) {
      const { id: account } = await accounts.create("test", plan)
      return { account, ...(await accounts.createKey({ accountId: account, ...key })) }
    },
    fetch: fetchPath,
    post: (path, body, init) => fetchPath(path, postWith(body, init)),
    call: (api, input, { key, format, headers }) => {
      const { path, init } = toRequest(api, input, format)
      return fetchPath(path, { ...init, headers: { ...headers, ...init.headers }, key })
    },
    stop,
  }
}

/** The check of what a service with this configuration answers. */
export function answerCheckOf(config: Config): AnswerCheck {
  const { credits, maxBodyBytes, noGraphql, noMetrics, metricsToken } = config
  const differences = [[...credits], maxBodyBytes, noGraphql, noMetrics, metricsToken]
  return answerCheckFor(JSON.stringify(differences), () =>
    toDocInput(config, {
      apis: catalog.map((api) => prepareApi(api, credits.get(api.id))),
      version,
      logo: null,
    }),
  )
}

/** The HTTP request for a call. */
export function toRequest(api: ApiDefinition, input: Readonly<Record<string, unknown>>, format?: string) {
  const query = new URLSearchParams(format === undefined ? {} : { format })
  if (api.method === "GET")
    for (const [name, value] of Object.entries(input))
      for (const item of [value].flat()) query.append(name, String(item))
  const path = `/v1/${api.id}${query.size > 0 ? `?${query}` : ""}`
  const headers: Record<string, string> = api.method === "POST" ? { "content-type": "application/json" } : {}
  const body = api.method === "POST" ? JSON.stringify(input) : null
  return { path, init: { method: api.method, headers, body } }
}
