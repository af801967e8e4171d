/**
 * Charges as fast as it can for a while, and prints the charges a second: `bun charger.ts KIND DB ACCOUNTS HOT SECONDS`. KIND is
 * `store`, or `naive` for one UPDATE per charge on a pool of connections. HOT of 100 charges go to one of the accounts.
 *
 * 64 callers charge through the layer that every metered call charges through. Each begins its next charge when its own answer
 * comes.
 */
import { SQL } from "bun"
import { maxCredits, type Plan } from "../../src/accounts/plan.ts"
import { createAdmission } from "../../src/call/admission.ts"
import type { Caller } from "../../src/call/caller.ts"
import { createCharges } from "../../src/call/charges.ts"
import { systemClock } from "../../src/ports/clock.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { keepAliveTimer } from "../../src/ports/timer.ts"
import { isPostgresUrl, openStore } from "../../src/store/open.ts"
import type { ChargeOutcome, Store } from "../../src/store/store.ts"

const callersAtOnce = 64
const naivePool = 16
/** Statements under load are slower than a service would wait for, on a small machine with a slow disk. */
const limitMs = 10_000

const [kind, db = "", accounts = "1", hot = "0", seconds = "1"] = process.argv.slice(2)
const ports = { timer: keepAliveTimer, clock: systemClock, random: systemRandom }
const notices = { thresholds: [80, 95], now: systemClock.now }
const { store: opened, listen } = await openStore(db, { ...ports, limitMs, notices })
listen({ onRaised() {}, onMessage() {}, onConnected() {} })
const store = kind === "naive" ? chargingNaively(opened) : opened
const plan: Plan = {
  name: "mega",
  monthlyCredits: maxCredits,
  signUpBonus: 0,
  requestsPerMinute: null,
  premium: true,
  graphqlApis: null,
  portalKeys: 0,
  portal: [],
  price: null,
  description: null,
  highlight: false,
}
const admission = createAdmission(store, new Map([[plan.name, plan]]), ports)
const charges = createCharges(store, admission, ports, { error: console.error })
const revision = await findRevision()
const callers = Array.from({ length: Number(accounts) }, (_, index) => toCaller(`acc_${index}`))
const items = [{ api: "hmac", calls: 1, credits: 1 }]
const request = { hasLeft: () => false }

// The first compilation and planning is not measured.
await chargeUntil(performance.now() + 500)
const startMs = performance.now()
const made = await chargeUntil(startMs + Number(seconds) * 1_000)
console.log(made / ((performance.now() - startMs) / 1_000))
await store.close()
process.exit(0)

async function chargeUntil(endMs: number): Promise<number> {
  const each = await Promise.all(
    Array.from({ length: callersAtOnce }, async () => {
      let count = 0
      for (; performance.now() < endMs; count++) {
        const hold = charges.hold(anyCaller(), 1)
        await charges.settle(hold, items, request)
      }
      return count
    }),
  )
  return each.reduce((sum, count) => sum + count, 0)
}

function anyCaller(): Caller {
  const isHot = Math.random() * 100 < Number(hot)
  const caller = callers[isHot ? 0 : Math.floor(Math.random() * callers.length)]
  if (!caller) throw new Error("there must be an account")
  return caller
}

function toCaller(id: string): Caller {
  const times = { createdMs: 1_000, closedMs: null, periodStartMs: 1_000 }
  const limits = {
    expiresMs: null,
    revokedMs: null,
    allowApis: null,
    blockApis: [],
    allowIps: null,
    rateLimit: null,
    disabledMs: null,
  }
  return {
    key: { id: "key", ...limits },
    account: { id, plan: plan.name, ...times, used: 0, bonus: 0 },
    revision,
    plan,
    secretHash: "",
  }
}

/** All accounts were made in the same way, so they have the same one. A data file asks for none. */
async function findRevision(): Promise<number> {
  if (!isPostgresUrl(db)) return 1
  const sql = new SQL(db, { max: 1 })
  const [row]: { revision: number }[] =
    await sql`SELECT revision::float8 AS revision FROM ledger WHERE account_id = 'acc_0'`
  await sql.close()
  if (!row) throw new Error("there must be an account acc_0")
  return row.revision
}

/** Charges one by one, as a service without batches would. */
function chargingNaively(store: Store): Store {
  const sql = new SQL(db, { max: naivePool })
  return {
    ...store,
    async charge(charges, onDecided) {
      return Promise.all(
        charges.map(async ({ accountId, items }, index) => {
          const credits = items.reduce((sum, item) => sum + item.credits, 0)
          const rows: { used: string }[] = await sql`
            UPDATE ledger SET used = used + ${credits}::bigint WHERE account_id = ${accountId}
              AND used + ${credits}::bigint <= ${maxCredits}::bigint RETURNING used`
          if (!rows[0]) throw new Error("a charge was refused")
          const used = Number(rows[0].used)
          const outcome: ChargeOutcome = { charged: true, used, bonus: 0, periodStartMs: 1_000 }
          onDecided?.(outcome, index)
          return outcome
        }),
      )
    },
    async close() {
      await Promise.all([sql.close(), store.close()])
    },
  }
}
