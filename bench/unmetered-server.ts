/** The service without metering, which the product cannot do: no key is looked up, nothing is held or charged. */
import { balanceOf } from "../src/accounts/credits.ts"
import { startService } from "../src/app/service.ts"
import type { Caller } from "../src/call/caller.ts"
import type { Hold } from "../src/call/charges.ts"
import { loadConfig } from "../src/config/load.ts"
import { toAccount, toKey } from "./seed.ts"

const config = loadConfig({ flags: { port: "0", db: ":memory:" }, env: {}, file: null })
const plan = config.plans.get("mega")
if (!plan) throw new Error("there is no plan 'mega'")

const account = toAccount("acc_bench", Date.now())
const key = toKey("key_bench", account, "pk_bench")
const caller: Caller = { key, account, revision: 1, plan }
const balance = balanceOf(account, plan, Date.now())
const { id, createdMs, periodStartMs, used, bonus } = account
const hold: Hold = {
  caller,
  credits: 0,
  snapshot: {
    id,
    revision: 1,
    createdMs,
    periodStartMs,
    used,
    bonus,
    heldCredits: 0,
    period: null,
    reportedMs: null,
  },
  release() {},
}

const service = await startService(config, {
  changePipeline: (pipeline) => ({
    ...pipeline,
    gate: { identify: () => caller, requireAddress() {}, requireApi() {}, takeRate: () => null },
    charges: {
      hold: () => hold,
      async settle() {},
      // The usage headers are part of the answer, so they are still written.
      status: (_caller, rate) => ({ plan: plan.name, balance, rate }),
      report: async () => ({ balance, rows: [] }),
    },
  }),
})
console.log(JSON.stringify({ event: "listening", url: service.server.url }))
process.once("SIGTERM", () => process.exit(0))
