/**
 * A test-only program for the conformance suite of MCP: the service's own endpoint `/mcp`, with the tools, prompts and resources
 * that the suite asks for instead of the catalog. The suite can send no key, so a request without one gets the key of one
 * account. Prints its address as one line.
 */
import { InMemoryServerEventBus } from "@modelcontextprotocol/server"
import { createProgramAccounts } from "../../../src/admin/program-accounts.ts"
import { createAdmission } from "../../../src/call/admission.ts"
import { createCharges } from "../../../src/call/charges.ts"
import { createScheduler } from "../../../src/call/scheduler.ts"
import { createUnsentAnswers } from "../../../src/call/unsent.ts"
import { loadConfig } from "../../../src/config/load.ts"
import { systemClock } from "../../../src/ports/clock.ts"
import { createZoneDns } from "../../../src/ports/dns/zone.ts"
import { systemRandom } from "../../../src/ports/random.ts"
import { systemTimer } from "../../../src/ports/timer.ts"
import { webOff } from "../../../src/ports/web/fixed-web.ts"
import { openSqliteStore } from "../../../src/store/sqlite/open-sqlite.ts"
import { createCallsInProgress, createClosing } from "../../../src/surfaces/http/calls.ts"
import { createFrame } from "../../../src/surfaces/http/frame.ts"
import { listen } from "../../../src/surfaces/http/listener.ts"
import { mcpFeature } from "../../../src/surfaces/http/mcp.ts"
import { createMcpHttp } from "../../../src/surfaces/http/mcp-server.ts"
import { createListeningApp, createRequestIds } from "../../../src/surfaces/http/request.ts"
import { createFixtureServer } from "./fixtures.ts"

const host = "127.0.0.1"
const clock = systemClock
const timer = systemTimer
const file = {
  name: "conformance.toml",
  values: {
    plans: { open: { monthly_credits: "unlimited", requests_per_minute: "unlimited", premium: true } },
  },
}
const { plans, maxBodyBytes } = loadConfig({ flags: { plan: "open" }, env: {}, file })
const ports = { clock, random: systemRandom, dns: createZoneDns({}), web: webOff, timer }
const opened = openSqliteStore(":memory:", { timer, notices: { thresholds: [], now: clock.now } })
const { store } = opened
const prices = new Map<string, number>()
const auditRandom = systemRandom
const accounts = createProgramAccounts({ ...opened, clock, random: systemRandom, auditRandom, plans, prices })
const { id: accountId } = await accounts.create("conformance", "open")
const { key: ownKey } = await accounts.createKey({ accountId })
const admission = createAdmission(store, plans, ports, new Map())
const log = { debug() {}, info() {}, warn() {}, error: (...entry: unknown[]) => console.error(...entry) }
const observer = { nowMs: clock.now, recorderFor: () => () => {} }
const pipeline = {
  admission: { ...admission, identify: (key: string | null) => admission.identify(key ?? ownKey) },
  charges: createCharges(store, admission, ports, log),
  scheduler: createScheduler({ clock, timer }),
  ports,
  log,
  unsent: createUnsentAnswers(maxBodyBytes * 100, () => {}),
}
const changes = new InMemoryServerEventBus()
const serving = { serverFor: () => createFixtureServer(changes), changes }
const { base, context } = createFrame(
  { apis: [], pipeline, requestIdFor: createRequestIds(systemRandom, () => false), observer },
  {
    tls: null,
    trustedProxies: [],
    publicUrl: null,
    maxBodyBytes,
    bodyTimeoutMs: 10_000,
    maxCalls: 1_000,
    closing: createClosing(timer),
    strict: true,
  },
  createCallsInProgress(),
  () => app.server,
)
const app = createListeningApp()
  .use(base)
  .use(
    mcpFeature(base, context, {
      version: "1",
      title: "test",
      names: { loopbackOnly: true, publicHost: null },
      load: async (shared, record) => createMcpHttp(shared, record, { catalog: serving, search: serving }),
    }),
  )
const { port } = listen(app, { host, port: 0, shared: false, tls: null, idleSeconds: 30 }, timer)
process.stdout.write(`http://${host}:${port}/mcp\n`)
