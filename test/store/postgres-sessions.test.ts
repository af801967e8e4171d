/** The sessions of a server in PostgreSQL: their settings, their number, and what a locked table does to them. */
import { expect, onTestFinished, test } from "bun:test"
import { systemClock } from "../../src/ports/clock.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { keepAliveTimer } from "../../src/ports/timer.ts"
import { openStore } from "../../src/store/open.ts"
import { readAddress } from "../../src/store/postgres/address.ts"
import { createConnection } from "../../src/store/postgres/connection.ts"
import { StoreUnavailable } from "../../src/store/store.ts"
import { accountDetailsOf, changeOf } from "../support/admin-store.ts"
import { useOpenStores } from "../support/any-store.ts"
import { usePostgres } from "../support/postgres.ts"
import { createRelay } from "../support/postgres-relay.ts"
import { accountOf, chargeOf } from "../support/store.ts"
import { until } from "../support/until.ts"

const postgres = usePostgres()
const open = useOpenStores()

test("a pooler that drops the settings of a connection loses no notice", async () => {
  const url = await postgres.createDatabase()
  await using relay = createRelay(url, { dropSettings: true })
  const raised: (number | null)[] = []
  const { store, outbox } = await open(relay.url, (notices) =>
    raised.push(...notices.map(({ threshold }) => threshold)),
  )
  await store.createAccount(accountOf())
  for (let used = 1; used <= 20; used++)
    expect(await store.charge([chargeOf({ allowance: 20 })])).toMatchObject([{ charged: true, used }])
  expect((await outbox.list()).map(({ threshold }) => threshold).toSorted()).toEqual([80, 95])
})

test.each([
  ["42P05", "PREPARE shared AS SELECT 1"],
  ["26000", "EXECUTE nothing"],
])(
  "the error %s of sessions that share a connection says what to set in PgBouncer",
  async (state, statement) => {
    const connection = createConnection({
      address: readAddress(await postgres.createDatabase(), {}),
      clock: systemClock,
      timer: keepAliveTimer,
      preferred: { index: 0 },
      connectLimitMs: 5_000,
      statementLimitMs: 5_000,
    })
    onTestFinished(connection.close)
    // As another session on the same connection has.
    await connection.run("PREPARE shared AS SELECT 1", [])
    const failure = await connection.run(statement, []).catch((cause: unknown) => cause)
    expect(failure).toBeInstanceOf(StoreUnavailable)
    expect(String(failure)).toContain("With PgBouncer, set pool_mode to session.")
    expect(String(failure)).toContain(`(${state}: prepared statement`)
  },
)

test("probes write more than a charge, so that they find out whether a table can grow, and leave nothing behind", async () => {
  const url = await postgres.createDatabase()
  const { store } = await open(url)
  for (let probe = 0; probe < 6; probe++) await store.ping()
  await using sql = new Bun.SQL(url, { max: 1 })
  const [table] =
    await sql`SELECT pg_relation_size('usage_changes')::integer AS bytes, count(*)::integer AS rows FROM usage_changes`
  expect(table).toEqual({ bytes: 3 * 8_192, rows: 0 })
})

/** Opens a store as a machine does whose clock is ahead of the database's, or behind it. */
function openWithClock(url: string, aheadMs: () => number) {
  const clock = { ...systemClock, now: () => systemClock.now() + aheadMs() }
  return openStore(url, { timer: keepAliveTimer, clock, random: systemRandom, limitMs: 30_000 })
}

test("with a clock that is 32 days ahead nothing is deleted because of its age, no event is raised, and nothing is changed", async () => {
  let aheadMs = 32 * 86_400_000
  const clock = { now: () => systemClock.now() + aheadMs }
  const opened = await openWithClock(await postgres.createDatabase(), () => aheadMs)
  const { store, admin, history, retention, timedEvents } = opened
  const terms = { plan: "free", fromMs: clock.now(), price: null, monthlyCredits: 1 }
  const work = [
    () => admin.apply(changeOf([{ kind: "account.insert", account: accountDetailsOf() }])),
    () => admin.addPlanTerms(terms),
    () => history.deleteBefore(clock.now(), 10),
    () => history.fold(clock.now(), 10),
    () => retention.deleteNotices(clock.now(), 10),
    () => timedEvents.keepLookedUntilMs(clock.now()),
  ]
  onTestFinished(store.close)
  for (const step of work)
    expect(await step().catch(String)).toMatch(/is 27648\d\d s ahead of the database's/)
  aheadMs = 0
  for (const step of work) await step()
})

test("instances whose clocks differ lease no notice and no mail that another one is sending; one that is far off leases none", async () => {
  const url = await postgres.createDatabase()
  const webhook = { url: "https://example.com/hook", secret: "whsec_AAAA", allowPrivate: false }
  const opened = await Promise.all(
    [0, 55, -55, 7_200, -7_200].map((seconds) => openWithClock(url, () => seconds * 1_000)),
  )
  const [right] = opened
  if (!right) throw new Error("a store must be open")
  try {
    const nowMs = systemClock.now()
    const about = { accountId: "acc_1", nowMs: nowMs - 60_000, data: "{}" }
    await right.admin.apply(
      changeOf([
        { kind: "account.insert", account: accountDetailsOf() },
        { kind: "webhook.set", accountId: "acc_1", webhook },
        ...["msg_1", "msg_2"].map((id) => ({ kind: "notice.insert", id, type: "test", ...about }) as const),
        ...["mail_1", "mail_2"].map((id) => {
          const mail = { id, recipient: "ann@example.com", template: "notice", ...about } as const
          return { kind: "mail.insert", mail: { ...mail, expiresMs: null } } as const
        }),
      ]),
    )
    const dues = opened.flatMap(({ outbox, mails }, place) => {
      const aheadMs = [0, 55_000, -55_000, 7_200_000, -7_200_000][place] ?? 0
      const given = { leaseMs: 60_000, maxWaitMs: 3_670_000, untriedOnly: false }
      const due = { ...given, nowMs: nowMs + aheadMs }
      return [() => outbox.claim({ ...due, busyHosts: [] }), () => mails.claim(due)]
    })
    const leased: string[] = []
    // A clock that is far behind takes a lease for misdated.
    for (const due of [...dues.toReversed(), ...dues]) leased.push((await due())?.id ?? "none")
    expect(leased.filter((id) => id !== "none").toSorted()).toEqual(["mail_1", "mail_2", "msg_1", "msg_2"])
    expect(leased.slice(0, 4)).toEqual(["none", "none", "none", "none"])
  } finally {
    for (const { store } of opened) await store.close()
  }
})

test("statements that wait for a locked table are given up by the database, so that they do not use up its connections", async () => {
  const url = await postgres.createDatabase()
  await using relay = createRelay(url, { dropSettings: true })
  // A connection may take twice as long, and a busy machine needs more than a second for ten of them.
  const { store } = await open(relay.url, () => {}, { serving: { onChange() {} }, limitMs: 2_000 })
  await using other = new Bun.SQL(url, { max: 1 })
  await using watching = new Bun.SQL(url, { max: 1 })
  const count = async (which = "true") => {
    const [row] = await watching.unsafe(
      `SELECT count(*)::integer AS sessions FROM pg_stat_activity
       WHERE application_name LIKE 'penknife tables %' AND datname = current_database() AND ${which}`,
    )
    return row.sessions
  }
  await other.begin(async (transaction) => {
    await transaction.unsafe("LOCK TABLE rates, secrets, accounts")
    for (let round = 0; round < 4; round++) {
      const bucket = { id: "acc_1", perMinute: 60 }
      const asked = [
        store.takeRates([{ buckets: [bucket] }], Date.now),
        store.findKey(`hash ${round}`),
        store.findAccount("acc_1"),
      ]
      const outcomes = await Promise.allSettled(asked)
      expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"])
    }
    await until(async () => (await count("wait_event_type = 'Lock'")) === 0)
    expect(await count()).toBeLessThanOrEqual(10)
  })
  const find = async () => store.findKey("none")
  await until(async () => (await count()) > 0 && (await find().catch(() => undefined)) === null)
})
