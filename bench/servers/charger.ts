/**
 * Charges as fast as it can, and prints how many charges were made: `bun charger.ts KIND DB ACCOUNTS SECONDS`. KIND is `store`, or
 * `naive` for one UPDATE per charge on a pool of connections.
 */
import { SQL } from "bun"
import { createTurnBatch } from "../../src/call/turn-batch.ts"
import { systemClock } from "../../src/ports/clock.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { keepAliveTimer } from "../../src/ports/timer.ts"
import { openStore } from "../../src/store/open.ts"
import type { Charge } from "../../src/store/store.ts"

const inFlight = 64
const [kind, db = "", accounts = "1", seconds = "1"] = process.argv.slice(2)
const { charge, close } = kind === "naive" ? chargeNaively() : await chargeInStore()
const endMs = performance.now() + Number(seconds) * 1_000
let made = 0

async function chargeOn(): Promise<void> {
  while (performance.now() < endMs) {
    await charge(`acc_${Math.floor(Math.random() * Number(accounts))}`)
    made++
  }
}
const startMs = performance.now()
await Promise.all(Array.from({ length: inFlight }, chargeOn))
console.log(made / ((performance.now() - startMs) / 1_000))
await close()
process.exit(0)

/** Through the store, one batch for each turn of the event loop, as the service does it. */
async function chargeInStore() {
  const { store } = await openStore(db, {
    timer: keepAliveTimer,
    clock: systemClock,
    random: systemRandom,
    limitMs: 10_000,
  })
  const items = [{ api: "hmac", calls: 1, credits: 1 }]
  const submit = createTurnBatch(keepAliveTimer, async (batch: readonly Charge[]) => {
    const refused = (await store.charge(batch)).find((outcome) => !outcome.charged)
    if (refused?.charged === false) throw refused.cause ?? new Error("a charge was refused")
  })
  return {
    charge: (accountId: string) =>
      submit({ accountId, items, allowance: 2 ** 50, periodStartMs: 1_000, day: "2025-01-01" }),
    close: () => store.close(),
  }
}

/** What a service without batches does. */
function chargeNaively() {
  const sql = new SQL(db, { max: 16 })
  return {
    async charge(accountId: string) {
      await sql`UPDATE ledger SET used = used + 1 WHERE account_id = ${accountId} AND used + 1 <= ${2 ** 50} RETURNING used`
    },
    close: () => sql.close(),
  }
}
