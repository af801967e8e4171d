/** The service with metering off, which the product cannot do: no key is looked up, nothing is held or charged. */
import { balanceOf } from "../src/accounts/credits.ts"
import { openLog } from "../src/app/observability.ts"
import { catalog, version } from "../src/app/service.ts"
import { Caller } from "../src/call/caller.ts"
import { type Charges, Hold } from "../src/call/charge.ts"
import { faultCodes } from "../src/call/fault.ts"
import type { Gate } from "../src/call/gate.ts"
import { createKnownAccounts } from "../src/call/known.ts"
import { prepareApi } from "../src/call/prepare.ts"
import { creditHeaders, monthHeaders, noStanding } from "../src/call/standing.ts"
import { loadConfig } from "../src/config/load.ts"
import { createCounts } from "../src/observe/counts.ts"
import { createObserver } from "../src/observe/observer.ts"
import { createRequestLog } from "../src/observe/request-log.ts"
import { systemClock } from "../src/ports/clock.ts"
import { createSystemDns } from "../src/ports/dns/system-dns.ts"
import { systemRandom } from "../src/ports/random.ts"
import { systemTimer } from "../src/ports/timer.ts"
import { startHttpServer } from "../src/surfaces/http/server.ts"
import { toAccount, toKey } from "./seed.ts"

const config = loadConfig({ flags: { port: "0" }, env: {}, file: null })
const plan = config.plans.get("mega")
if (!plan) throw new Error("there is no plan 'mega'")

const account = toAccount("acc_bench", Date.now())
const key = toKey("key_bench", account, "pk_bench")
const caller = new Caller({ key, account, secretUntilMs: null, revision: 1, caller: null }, plan)
const balance = balanceOf(account, plan, Date.now())
const gate: Gate = {
  identify: async () => caller,
  requireAddress() {},
  requireApi() {},
  requireRate: () => noStanding,
}
const known = createKnownAccounts().find(account, caller.revision)
const stable = monthHeaders(balance, plan)
const charges: Charges = {
  hold: (caller, credits) => new Hold(caller, known, credits),
  async settle() {},
  // The credit headers are part of the answer, so they are still written.
  standing: () => ({ changing: creditHeaders(balance), stable }),
  balance: () => balance,
  report: async () => ({ balance, rows: [] }),
}

// Requests are watched as the service watches them: only the metering is left out.
const { log, ...opened } = openLog(config, { clock: systemClock }, {})
const { logSample: sample } = config
const requestLog = createRequestLog({ ...opened, sample, clock: systemClock, random: systemRandom })
const apiIds = catalog.map(({ id }) => id)

const server = startHttpServer(
  {
    apis: catalog.map((definition) => prepareApi(definition)),
    road: {
      gate,
      charges,
      ports: {
        clock: systemClock,
        random: systemRandom,
        dns: createSystemDns([], { clock: systemClock, random: systemRandom, timer: systemTimer }),
        timer: systemTimer,
      },
      log,
    },
    random: systemRandom,
    observer: createObserver(createCounts(faultCodes), requestLog, systemClock, apiIds),
    readMetrics: null,
    ping: async () => {},
    version,
  },
  {
    host: config.host,
    port: config.port,
    sharedPort: false,
    tls: null,
    trustedProxies: [],
    maxBodyBytes: config.maxBodyBytes,
    bodyTimeoutMs: config.bodyTimeoutSeconds * 1_000,
    maxCalls: config.maxCalls,
    graphql: true,
    metricsToken: null,
  },
)
console.log(JSON.stringify({ event: "listening", url: server.url }))
process.once("SIGTERM", () => process.exit(0))
