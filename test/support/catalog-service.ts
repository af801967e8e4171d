import { afterAll } from "bun:test"
import { join } from "node:path"
import { Type } from "@sinclair/typebox"
import { defaultPlans } from "../../src/accounts/plan.ts"
import { type ApiDefinition, defineApi, type Ports, type RunContext } from "../../src/apis/contract.ts"
import { createAdmission, sunsetsOf } from "../../src/call/admission.ts"
import { createCharges } from "../../src/call/charges.ts"
import { prepareApi } from "../../src/call/prepared-api.ts"
import { createScheduler, type Scheduler } from "../../src/call/scheduler.ts"
import { createUnsentAnswers } from "../../src/call/unsent.ts"
import { createCounts } from "../../src/observe/counts.ts"
import { createObserver } from "../../src/observe/observer.ts"
import { noRequestLog } from "../../src/observe/request-log.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { systemTimer } from "../../src/ports/timer.ts"
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite.ts"
import type { HttpParts } from "../../src/surfaces/http/app.ts"
import { createRequestIds } from "../../src/surfaces/http/request.ts"
import { type HttpAppSettings, startHttpServer } from "../../src/surfaces/http/server.ts"
import { createTestAccounts, type TestAccounts } from "./accounts.ts"
import { answerCheckFor, checkedFetch } from "./answer-check.ts"
import { tempDir } from "./temp.ts"
import { portsFor } from "./zone-ports.ts"

/** The common parts of APIs for tests that cost 1 credit. */
export const testApi = <Id extends string>(id: Id) =>
  ({ id, title: id, description: `For tests (${id}).`, method: "POST", credits: 1, examples: [] }) as const

/** An API for tests: a text goes in as `what` and comes out as `done`. It costs 1 credit. */
export function echoApi(
  id: string,
  run: (
    input: { readonly what: string },
    context: RunContext,
  ) => { done: string } | Promise<{ done: string }>,
  credits = 1,
): ApiDefinition {
  return defineApi({
    ...testApi(id),
    credits,
    input: Type.Object({ what: Type.String({ description: "The text." }) }),
    output: Type.Object({ done: Type.String({ description: "The same text." }) }),
    run,
  })
}

interface CatalogService {
  readonly url: string
  readonly accounts: TestAccounts
  /** The log's lines, each with its message. */
  readonly logged: readonly string[]
  /** The bytes of answers that are made or not read yet. */
  unsentBytes(): number
  /** Requests whose clients still wait. */
  openRequests(): number
  createKey(plan: string): Promise<{ account: string; key: string }>
  post(path: string, body: unknown, key: string): Promise<Response>
}

/** The parts of an app with the test's own APIs, on a real store, which the caller closes. */
export function catalogParts(
  definitions: readonly ApiDefinition[],
  more: Partial<Ports> = {},
  {
    maxUnsent = Number.POSITIVE_INFINITY,
    maxCalls = 2_048,
    toScheduler = (scheduler: Scheduler): Scheduler => scheduler,
  } = {},
) {
  const ports: Ports = { ...portsFor({}), ...more }
  const opened = openSqliteStore(join(tempDir(), "store.db"), { timer: systemTimer })
  const { store } = opened
  const plans = new Map(defaultPlans.map((plan) => [plan.name, plan]))
  const logged: string[] = []
  const admission = createAdmission(store, plans, ports, sunsetsOf(definitions))
  const parts: HttpParts = {
    apis: definitions.map((definition) => prepareApi(definition)),
    pipeline: {
      admission,
      charges: createCharges(store, admission, ports, { error: (message) => logged.push(message) }),
      scheduler: toScheduler(createScheduler(ports)),
      ports,
      unsent: createUnsentAnswers(maxUnsent, () => {}),
      log: { error: (message) => logged.push(message), warn() {}, info() {}, debug() {} },
    },
    requestIdFor: createRequestIds(systemRandom, () => false),
    observer: createObserver(createCounts([]), noRequestLog, ports.clock, [], {
      feed: { isWatched: false, offer() {} },
      accounts: { add() {} },
      kept: { isOn: () => false, offer() {} },
    }),
    readMetrics: null,
    ping: () => store.ping(),
    admin: null,
    portal: null,
    unsubscribes: null,
    version: "0.0.0-test",
  }
  const links = { contact: null, terms: null, privacy: null, status: null }
  const settings: HttpAppSettings = {
    tls: null,
    trustedProxies: [],
    maxBodyBytes: 2_097_152,
    bodyTimeoutMs: 20_000,
    maxCalls,
    graphql: true,
    publicUrl: null,
    mcp: { loopbackOnly: true, publicHost: null },
    metricsToken: null,
    plans,
    brand: { title: "penknife", color: null, logo: null, favicon: null },
    offer: { plans: [], signUp: null, signUpPlan: null, ...links },
  }
  return { opened, ports, plans, parts, settings, logged }
}

/** A service with APIs of the test's own on a real store and a real socket. It stops after the file's tests. */
export function startCatalogService(...given: Parameters<typeof catalogParts>): CatalogService {
  const [definitions] = given
  const { opened, ports, plans, parts, settings, logged } = catalogParts(...given)
  const { store, admin, outbox } = opened
  const { apis } = parts
  const place = { admin: "off", host: "127.0.0.1", port: 0, sharedPort: false, tls: null } as const
  const server = startHttpServer(parts, { ...settings, ...place })
  const key = definitions.map(({ id, title }) => `${id} ${title}`).join()
  const checked = checkedFetch(
    server.url,
    answerCheckFor(key, () => ({
      apis,
      version: "",
      graphql: true,
      mcp: true,
      publicUrl: null,
      metrics: "off",
      maxBodyBytes: 2_097_152,
      title: "penknife",
      logo: null,
      plans,
    })),
  )
  afterAll(async () => {
    await server.stop(1_000)
    await store.close()
  })
  const accounts = createTestAccounts({
    admin,
    outbox,
    plans,
    clock: ports.clock,
    random: systemRandom,
    auditRandom: systemRandom,
    prices: new Map(definitions.map(({ id, credits }) => [id, credits])),
  })
  return {
    url: server.url,
    accounts,
    logged,
    unsentBytes: parts.pipeline.unsent.bytes,
    openRequests: server.openRequests,
    async createKey(plan) {
      const { id: account } = await accounts.create("test", plan)
      return { account, ...(await accounts.createKey({ accountId: account })) }
    },
    post: (path, body, key) =>
      checked(path, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": key },
        body: JSON.stringify(body),
      }),
  }
}
