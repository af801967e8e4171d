/** Stores that are moved: how they are filled, opened and compared. */
import { expect } from "bun:test"
import { systemClock } from "../../src/ports/clock.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { keepAliveTimer } from "../../src/ports/timer.ts"
import type { Mutation } from "../../src/store/admin-store.ts"
import { latencyColumns } from "../../src/store/history.ts"
import { firstRowAt } from "../../src/store/kept-requests.ts"
import { isPostgresUrl, openStore } from "../../src/store/open.ts"
import { openPostgresSource, openPostgresTarget } from "../../src/store/postgres/postgres-move.ts"
import { openSqliteSource, openSqliteTarget } from "../../src/store/sqlite/sqlite-move.ts"
import { adminKeyOf, auditOf, changeOf, firstPage, replayOf } from "./admin-store.ts"
import { openAnyStore } from "./any-store.ts"
import { attemptsOf, changesOf } from "./changes.ts"
import { keptRequestOf } from "./kept-request.ts"
import { passkeyOf } from "./passkeys.ts"
import { accountOf, chargeOf, keyOf } from "./store.ts"
import { until } from "./until.ts"

export const options = { timer: keepAliveTimer, clock: systemClock }
const few = 3
const everHour = { fromMs: 0, toMs: 3_600_000, stepMs: 60_000 }
export const idOf = (i: number) => `acc_${String(i).padStart(4, "0")}`

const accountSet = { externalId: "customer 7", metadata: '{"a":"ä"}', events: ["key.created"] }
const keySet = { disabledMs: 7_000, externalId: "x", metadata: '{"b":[1]}' }
const raised = { type: "key.created", data: '{"key":"key_0"}', nowMs: 1 }

/** Changes that only the administration makes. */
const adminMutations = (lastAccountId: string): readonly Mutation[] => [
  { kind: "account.update", id: idOf(0), version: 1, set: accountSet },
  { kind: "key.update", id: "key_0", version: 2, set: keySet },
  { kind: "adminKey.insert", adminKey: adminKeyOf(), hash: "a1" },
  {
    kind: "person.insert",
    person: {
      ...{ id: "psn_1", name: "Ann", permissions: ["keys.*"], held: ["keys.*", "audit.read"] },
      ...{ createdMs: 1_000, removedMs: null },
    },
  },
  { kind: "passkey.insert", passkey: passkeyOf(), most: 1 },
  // Its account has no webhook, unless it is the only one.
  { kind: "notice.insert", id: "msg_1", accountId: lastAccountId, ...raised },
]

const keptRequest = keptRequestOf({
  ...{ row: firstRowAt(5), requestId: "AbCd.7", ownId: { prefix: "AbCd", count: 7 }, api: "hmac,ä" },
})

/** Accounts with keys and usage; the first one has all that an account can have. */
export async function fill(db: string, count = few): Promise<void> {
  const { store, admin, outbox, history, requests } = await openAnyStore(db)
  await requests.add({ process: "p1", requests: [keptRequest] })
  const key = keyOf({ expiresMs: 9_000, allowApis: ["hmac"], rateLimit: 10 })
  const indexes = Array.from({ length: count }, (_, i) => i)
  await Promise.all(
    indexes.map((i) => store.createAccount(accountOf({ id: idOf(i), name: `"'\\{}$1 ä ${i}`, bonus: 5 }))),
  )
  await Promise.all(
    indexes.map((i) => {
      const secret = { hash: i === 0 ? "rotated" : `hash ${i}`, prefix: "p", createdMs: 1 }
      return store.createKey({ ...key, id: `key_${i}`, accountId: idOf(i) }, secret)
    }),
  )
  await store.rotateKey("key_0", { hash: "current", prefix: "q", createdMs: 2 }, 5_000)
  const webhook = { url: "https://example.com/", secret: "whsec_AAAA", allowPrivate: true }
  await outbox.setWebhook(idOf(0), webhook)
  const first = { accountId: idOf(0), allowance: 100 }
  await store.charge([
    chargeOf({ ...first, credits: 20, idempotent: { keyHash: "k", inputHash: "i", nowMs: 5 } }),
    chargeOf({ ...first, day: "2025-01-02", credits: 2 }),
  ])
  const items = [
    { api: "__proto__", calls: 1, credits: 9 },
    { api: "hmac", calls: 1, credits: 90 },
  ]
  await store.charge([chargeOf({ ...first, periodStartMs: 2_000, day: "2025-01-02", items })])
  await store.charge(
    Array.from({ length: count - 1 }, (_, i) => chargeOf({ accountId: idOf(i + 1), periodStartMs: 1_000 })),
  )
  const more = { audit: auditOf({ id: "aud_1" }), replay: replayOf() }
  expect(await admin.apply(changeOf(adminMutations(idOf(count - 1)), more))).toBe("applied")
  await admin.keepAnswer("admin-key:adm_1", "again", '{"name":"\\u0000"}')
  const times = { nowMs: systemClock.now(), leaseMs: 1_000, maxWaitMs: 3_600_000 }
  const due = await outbox.claim({ ...times, busyHosts: [], untriedOnly: false })
  if (!due) throw new Error("no notice is due")
  const attempt = { atMs: times.nowMs, durationMs: 2, status: 500, error: "no" }
  await outbox.record(due, attempt, { kind: "retry", delayMs: 60_000 })
  const sum = { atMs: 60_000, api: "hmac", calls: 3, errors: 2, charged: 1, credits: 7 }
  await history.add({
    process: "p1",
    number: 1,
    calls: [{ ...sum, latency: latencyColumns.map((_, index) => index) }],
    faults: [{ atMs: 60_000, api: "hmac", fault: "internal", calls: 2, firstMs: 60_001, lastMs: 60_002 }],
    credits: [{ atMs: 60_000, account: idOf(0), calls: 1, credits: 7 }],
  })
  await closeAndWait(store, db)
}

export async function closeAndWait({ close }: { close(): Promise<void> }, db: string): Promise<void> {
  await close()
  await noticed(db)
}

/** Waits until the server has noticed that connections are closed, which can take longer than `move` waits on a busy machine. */
export async function noticed(db: string): Promise<void> {
  if (!isPostgresUrl(db)) return
  const sql = new Bun.SQL(db, { max: 1 })
  await until(async () => {
    const [row] = await sql`SELECT count(*)::integer AS open FROM pg_stat_activity
      WHERE datname = current_database() AND application_name LIKE 'penknife%'`
    return row.open === 0
  })
  await sql.close()
}

export async function endConnections(url: string): Promise<void> {
  const sql = new Bun.SQL(url, { max: 1 })
  await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'penknife move'`
  await sql.close()
}

export const openSource = (db: string) =>
  isPostgresUrl(db) ? openPostgresSource(db, options) : openSqliteSource(db)
export const openTarget = (db: string) =>
  isPostgresUrl(db) ? openPostgresTarget(db, options) : openSqliteTarget(db)

/** Without notices no charges are prepared, so that fewer connections are opened. */
// A busy machine may take longer than a call would wait.
const openForReading = (db: string) => openStore(db, { ...options, random: systemRandom, limitMs: 30_000 })

/** Everything that can be read about the first and the last accounts, and the lists of all. */
export async function dump(db: string): Promise<unknown> {
  const { store, admin, outbox, history } = await openForReading(db)
  const { usage } = changesOf(admin)
  const listed = await admin.accounts({}, { ...firstPage, limit: 100_000 })
  const some = listed.slice(0, 5).concat(listed.slice(-5))
  const result = {
    accounts: listed,
    access: [await store.findKey("rotated"), await store.findKey("current")].map(
      (one) => one && { ...one, revision: 0 },
    ),
    usage: await Promise.all(some.map(({ id }) => usage(id))),
    months: await Promise.all(some.map(({ id }) => store.monthUsage(id, 2_000))),
    notices: [...(await outbox.list())].sort((a, b) => (a.id < b.id ? -1 : 1)),
    attempts: await attemptsOf(admin),
    webhook: await outbox.findWebhook(idOf(0)),
    keys: await admin.keys({}, { ...firstPage, limit: 100_000 }),
    adminKey: await admin.findAdminKey("a1"),
    person: await admin.findPerson("psn_1"),
    passkeys: await admin.passkeysOf("psn_1"),
    audit: await admin.audit({}, firstPage),
    replay: await admin.findReplay("admin-key:adm_1", "again"),
    history: {
      calls: await history.calls(everHour),
      charges: await history.charges(everHour),
      faults: await history.faults(everHour),
      credits: await history.credits(everHour, firstPage),
    },
  }
  await closeAndWait(store, db)
  return result
}

export async function expectEmpty(db: string): Promise<void> {
  const { store, admin } = await openForReading(db)
  expect(await admin.accounts({}, firstPage)).toEqual([])
  expect(await admin.keys({}, firstPage)).toEqual([])
  await closeAndWait(store, db)
}
