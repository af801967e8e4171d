/** A charge that was answered with 503 must never be made, however late its statement goes on. */
import { expect, test } from "bun:test"
import { systemClock } from "../../src/ports/clock.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { keepAliveTimer } from "../../src/ports/timer.ts"
import { readAddress } from "../../src/store/postgres/address.ts"
import { createConnection } from "../../src/store/postgres/connection.ts"
import { openPostgresStore } from "../../src/store/postgres/open-postgres.ts"
import { ChargeUnknown, StoreUnavailable } from "../../src/store/store.ts"
import { useOpenStores } from "../support/any-store.ts"
import { withChanges } from "../support/changes.ts"
import { usePostgres } from "../support/postgres.ts"
import { createRelay } from "../support/postgres-relay.ts"
import { accountOf, chargeOf } from "../support/store.ts"
import { createManualTimer } from "../support/timer.ts"
import { until } from "../support/until.ts"

const postgres = usePostgres()
const open = useOpenStores()

test.each([
  ["locks", "SELECT 1 FROM ledger WHERE account_id = 'acc_1' FOR UPDATE"],
  ["changes", "UPDATE ledger SET bonus = bonus + 1 WHERE account_id = 'acc_1'"],
])(
  "a charge that waits for a session that %s its account is given up in the database too",
  async (_, statement) => {
    const url = await postgres.createDatabase()
    const { store } = await open(url, undefined, { limitMs: 1_000 })
    await using other = new Bun.SQL(url, { max: 1 })
    await store.createAccount(accountOf())
    const charge = () => store.charge([chargeOf()])
    // On a busy machine the first ones may be too late.
    await until(async () => (await charge())[0]?.charged === true)
    const used = (await store.findAccount("acc_1"))?.used
    await other.begin(async (transaction) => {
      await transaction.unsafe(statement)
      expect(await charge()).toEqual([{ charged: false, cause: expect.any(StoreUnavailable) }])
    })
    await until(async () => {
      const [row] = await other`SELECT count(*)::integer AS busy FROM pg_stat_activity
      WHERE state = 'active' AND pid <> pg_backend_pid() AND backend_type = 'client backend'`
      return row.busy === 0
    })
    expect(await store.findAccount("acc_1")).toMatchObject({ used })
  },
)

test("a statement whose time ended before there was a connection is never sent", async () => {
  const url = await postgres.createDatabase()
  await using relay = createRelay(url)
  relay.holdAnswers()
  const connection = createConnection({
    address: readAddress(relay.url, {}),
    clock: systemClock,
    timer: keepAliveTimer,
    preferred: { index: 0 },
    connectLimitMs: 60_000,
    statementLimitMs: 60_000,
  })
  try {
    const late = connection.run("CREATE TABLE made ()", [], 20)
    expect(await late.catch(String)).toContain("did not answer within 0.02 s")
    relay.release()
    expect(await connection.run("SELECT to_regclass('made')::text AS made", [])).toEqual([{ made: null }])
  } finally {
    await connection.close()
  }
})

test("a call whose charge was made while its answer was lost is told that it may have been charged", async () => {
  const url = await postgres.createDatabase()
  await using relay = createRelay(url)
  const timer = createManualTimer()
  const options = { timer, clock: systemClock, random: systemRandom, limitMs: 60_000 }
  const { store } = withChanges(await openPostgresStore(relay.url, options))
  await using other = new Bun.SQL(url, { max: 1 })
  await store.createAccount(accountOf())
  expect(await store.charge([chargeOf()])).toMatchObject([{ charged: true }])
  relay.holdAnswers()
  const charging = store.charge([chargeOf()])
  await until(async () => (await other`SELECT used::integer FROM ledger`)[0]?.used === 2)
  timer.fire()
  expect(await charging).toEqual([{ charged: false, cause: expect.any(ChargeUnknown) }])
  relay.release()
  expect(await store.findAccount("acc_1")).toMatchObject({ used: 2 })
  expect(await store.charge([chargeOf()])).toMatchObject([{ charged: true, used: 3 }])
  await store.close()
})

test("the time for a connection of a server follows the time of its calls", async () => {
  await using relay = createRelay(await postgres.createDatabase())
  relay.holdAnswers()
  const options = { timer: keepAliveTimer, clock: systemClock, random: systemRandom, limitMs: 50 }
  const opening = openPostgresStore(relay.url, { ...options, serving: { onChange() {} } })
  await expect(opening).rejects.toThrow(/timeout after 100ms|within 0\.2 s/)
  relay.release()
})
