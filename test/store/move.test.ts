/** `move`: everything from one kind of store to the other, all or nothing. */
import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Timer } from "../../src/apis/contract.ts"
import { systemClock } from "../../src/ports/clock.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { keepAliveTimer } from "../../src/ports/timer.ts"
import type { Mutation } from "../../src/store/admin-store.ts"
import { latencyColumns } from "../../src/store/history.ts"
import { firstRowAt } from "../../src/store/kept-requests.ts"
import { copyRows, move } from "../../src/store/move.ts"
import type { MoveTarget } from "../../src/store/move-tables.ts"
import { isPostgresUrl, openStore } from "../../src/store/open.ts"
import { openPostgresSource, openPostgresTarget } from "../../src/store/postgres/postgres-move.ts"
import { openSqliteSource, openSqliteTarget } from "../../src/store/sqlite/sqlite-move.ts"
import { withoutPassword } from "../../src/values/text.ts"
import { adminKeyOf, auditOf, changeOf, firstPage, replayOf } from "../support/admin-store.ts"
import { openAnyStore, useStoreKinds } from "../support/any-store.ts"
import { attemptsOf, changesOf } from "../support/changes.ts"
import { runCliForTest } from "../support/cli.ts"
import { keptRequestOf } from "../support/kept-request.ts"
import { passkeyOf } from "../support/passkeys.ts"
import { accountOf, chargeOf, keyOf } from "../support/store.ts"
import { tempDir } from "../support/temp.ts"
import { until } from "../support/until.ts"

const [file, postgres] = useStoreKinds()
if (!file || !postgres) throw new Error("a kind of store is missing")
const options = { timer: keepAliveTimer, clock: systemClock }
/** Waits a twentieth of the time between attempts. Time limits of a second or more stay as they are. */
const impatientTimer: Timer = {
  ...keepAliveTimer,
  after: (delayMs, run) => keepAliveTimer.after(delayMs < 1_000 ? delayMs / 20 : delayMs, run),
}
const dir = tempDir()
/** More rows than a page has. */
const many = 210
const few = 3
const everHour = { fromMs: 0, toMs: 3_600_000, stepMs: 60_000 }
const idOf = (i: number) => `acc_${String(i).padStart(4, "0")}`

/** Each kind of store once on each side: how one is read does not depend on how another is written. */
const toAnotherKind = [
  ["a data file to PostgreSQL", file, postgres],
  ["PostgreSQL to a data file", postgres, file],
] as const
const toTheSameKind = [
  ["a data file to a data file", file, file],
  ["PostgreSQL to PostgreSQL", postgres, postgres],
] as const

test.each([...toAnotherKind, ...toTheSameKind])(
  "from %s everything arrives, and the old store stays",
  async (_, fromKind, toKind) => {
    const [from, to] = [await fromKind.create(), await toKind.create()]
    await fill(from, many)
    const before = await dump(from)
    const { code, out, err } = await runCliForTest(["move", "--from", from, "--to", to, "--json"])
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(JSON.parse(out)).toEqual({
      from: withoutPassword(from),
      to: withoutPassword(to),
      accounts: many,
      keys: many,
      secrets: many + 1,
      balances: many,
      usage_rows: 2,
      key_usage_rows: 0,
      notices: 3,
      passkeys: 1,
      people: 1,
      attempts: 1,
      admin_keys: 1,
      // For each account and key: a rotation, a webhook and the event that is made by hand.
      audit_records: 2 * many + 3,
      replays: 1,
      history_calls: 3,
      history_errors: 2,
      history_credits: 7,
      used: 99 + (many - 1),
      bonus: many * 5,
      debt: 0,
      adjustments: many,
      adjusted: many * 5,
      plan_terms: 0,
      mails: 0,
      call_replays: 1,
      kept_requests: 1,
      kept_names: 5,
      kept_marks: 1,
      calls: many + 3,
      credits: 99 + 20 + 2 + (many - 1),
    })
    expect(out).not.toContain("password")
    expect(await dump(to)).toEqual(before)
    expect(await dump(from)).toEqual(before)
  },
)

describe.each(toAnotherKind)("from %s", (_, fromKind, toKind) => {
  test("the new store goes on where the old one was", async () => {
    const [from, to] = [await fromKind.create(), await toKind.create()]
    await fill(from)
    await move(from, to, options)
    const { store, outbox } = await openAnyStore(to)
    expect(await store.findKey("rotated")).toMatchObject({
      secretUntilMs: 5_000,
      account: { id: idOf(0), used: 99, bonus: 5 },
      key: { allowApis: ["hmac"], blockApis: [], rateLimit: 10, expiresMs: 9_000 },
    })
    // One credit of the month and five of the bonus are left.
    const charges = Array.from({ length: 7 }, () =>
      chargeOf({ accountId: idOf(0), allowance: 100, periodStartMs: 2_000 }),
    )
    const outcomes = await store.charge(charges)
    expect(outcomes.map(({ charged }) => charged)).toEqual([true, true, true, true, true, true, false])
    // Its thresholds were passed before the move.
    expect((await outbox.list(idOf(0))).map(({ threshold, state }) => [threshold, state]).sort()).toEqual([
      [80, "pending"],
      [95, "pending"],
    ])
    await store.close()
  })

  test("events of the time between the last look at the old store and the first one at the new store are raised, and months stay months", async () => {
    const [from, to] = [await fromKind.create(), await toKind.create()]
    await fill(from, 1)
    // A service may have looked at the new store while it was empty.
    for (const [db, ms] of [
      [from, 7_000],
      [to, 9_000],
    ] as const) {
      const { store, timedEvents, retention } = await openAnyStore(db)
      await timedEvents.keepLookedUntilMs(ms)
      if (db === from) {
        await retention.setMonthsUntil("2025-03-01")
        await retention.setFoldedUntil("2025-02-01")
        await retention.setAuditFromMs(5)
      }
      await closeAndWait(store, db)
    }
    await move(from, to, options)
    const { store, timedEvents, retention, admin } = await openAnyStore(to)
    expect(await timedEvents.lookedUntilMs()).toBe(7_000)
    expect([await admin.usageMonthsUntil(), await retention.foldedUntil()]).toEqual([
      "2025-03-01",
      "2025-02-01",
    ])
    expect(await retention.auditFromMs()).toBe(5)
    await store.close()
  })

  test("a store with accounts is not written to", async () => {
    const [from, to] = [await fromKind.create(), await toKind.create()]
    for (const db of [from, to]) await fill(db, 1)
    const before = await dump(to)
    await expect(move(from, to, options)).rejects.toThrow("is not empty: it has accounts. Name a new")
    expect(await dump(to)).toEqual(before)
  })

  test("a store that only has an admin key and its audit record is not written to", async () => {
    const [from, to] = [await fromKind.create(), await toKind.create()]
    await fill(from, 1)
    const { store, admin } = await openAnyStore(to)
    await admin.apply(changeOf([{ kind: "adminKey.insert", adminKey: adminKeyOf(), hash: "a1" }]))
    await closeAndWait(store, to)
    await expect(move(from, to, options)).rejects.toThrow("is not empty: it has admin_keys. Name a new")
  })

  test("a failure in the middle leaves the new store empty, and the move can be done again", async () => {
    const [from, to] = [await fromKind.create(), await toKind.create()]
    await fill(from)
    const source = await openSource(from)
    const target = await openTarget(to)
    const failing: MoveTarget = {
      ...target,
      async write(table, rows) {
        if (table.name === "notice_attempts") throw new Error("interrupted")
        await target.write(table, rows)
      },
    }
    await expect(copyRows(source, failing)).rejects.toThrow("interrupted")
    await target.close()
    await source.close()
    for (const db of [from, to]) await noticed(db)
    await expectEmpty(to)
    await move(from, to, options)
    expect(await dump(to)).toEqual(await dump(from))
  })

  test("sums that differ are told, and nothing is moved", async () => {
    const [from, to] = [await fromKind.create(), await toKind.create()]
    await fill(from, 2)
    const source = await openSource(from)
    const target = await openTarget(to)
    const losing: MoveTarget = {
      ...target,
      write: (table, rows) => target.write(table, table.name === "usage" ? rows.slice(1) : rows),
    }
    await expect(copyRows(source, losing)).rejects.toThrow(
      "differs from what was read (usage_rows, calls, credits)",
    )
    await target.close()
    await source.close()
    await expectEmpty(to)
  })

  test("a store that a service works on is neither read nor written", async () => {
    const [from, to] = [await fromKind.create(), await toKind.create()]
    await fill(from, 1)
    for (const db of [from, to]) {
      const service = await openAnyStore(db, () => {}, { serving: { onChange() {} } })
      await service.store.ping()
      await expect(move(from, to, { ...options, timer: impatientTimer })).rejects.toThrow(
        /is in use.*[Ss]top/,
      )
      await closeAndWait(service.store, db)
    }
    await expectEmpty(to)
    for (const db of [from, to]) await noticed(db)
    await move(from, to, options)
  })
})

test("there and back again ends as it began", async () => {
  const [first, second, third] = [await file.create(), await postgres.create(), await file.create()]
  await fill(first)
  await move(first, second, options)
  await noticed(second)
  await move(second, third, options)
  expect(await dump(third)).toEqual(await dump(first))
})

test("a name with U+0000, which PostgreSQL cannot keep, arrives with another character in its place", async () => {
  const [from, to] = [await file.create(), await postgres.create()]
  const { store } = await openAnyStore(from)
  await store.createAccount(accountOf({ name: "a\0b" }))
  await closeAndWait(store, from)
  await move(from, to, options)
  const moved = await openAnyStore(to)
  expect(await moved.store.findAccount("acc_1")).toMatchObject({ name: "a\uFFFDb" })
  await moved.store.close()
})

test("only one page of a table is in memory", async () => {
  for (const db of [await file.create(), await postgres.create()]) {
    await fill(db, many)
    const source = await openSource(db)
    const sizes: number[] = []
    for await (const rows of source.read({ name: "accounts", columns: ["id"] })) sizes.push(rows.length)
    expect(sizes).toEqual([200, 10])
    await source.close()
  }
})

test.each([
  ["a data file", file],
  ["PostgreSQL", postgres],
])("a move to %s that is killed leaves it empty", async (_, kind) => {
  const [from, to] = [await file.create(), await kind.create()]
  await fill(from, many)
  const child = Bun.spawn(["bun", join(import.meta.dir, "../support/half-move.ts"), from, to], {
    stdin: "pipe",
    stdout: "pipe",
  })
  for await (const text of child.stdout) {
    if (new TextDecoder().decode(text).includes("half")) break
  }
  child.kill("SIGKILL")
  await child.exited
  await expectEmpty(to)
  await move(from, to, options)
  expect(await dump(to)).toEqual(await dump(from))
})

test("a connection that is lost in the middle ends the move, and what is written later is not kept", async () => {
  const [from, to] = [await file.create(), await postgres.create()]
  await fill(from)
  const source = await openSource(from)
  const target = await openTarget(to)
  let pages = 0
  const cut: MoveTarget = {
    ...target,
    async write(table, rows) {
      if (++pages === 4) await endConnections(to)
      await target.write(table, rows)
    },
  }
  await expect(copyRows(source, cut)).rejects.toThrow(/connection|terminat|reach|told to end/i)
  await expect(target.write({ name: "accounts", columns: ["id"] }, [{ id: "late" }])).rejects.toThrow()
  await target.close()
  await source.close()
  await expectEmpty(to)
})

test("mistakes are told without a password", async () => {
  const db = join(dir, "missing.db")
  const url = "postgres://ann:s3cret@127.0.0.1:1/x"
  const wrong: readonly (readonly [string, string, string])[] = [
    [db, url, "There is no data file"],
    [url, db, "cannot be reached"],
    [url, url, "name the same store"],
    [url, url.replace("s3cret", "other"), "name the same store"],
    [db, join(dir, "x/../missing.db"), "name the same store"],
    [":memory:", url, "in memory"],
    ["mysql://ann:s3cret@db/x", db, "neither a data file nor a PostgreSQL"],
  ]
  for (const [from, to, text] of wrong) {
    const { code, out, err } = await runCliForTest(["move", "--from", from, "--to", to, "--json"])
    expect({ code, out, err }).toEqual({ code: 1, out: "", err: expect.stringMatching(/^penknife: .+\n$/) })
    expect(err).toContain(text)
    expect(err).not.toContain("s3cret")
  }
  expect([db, `${db}-lock`].filter((file) => existsSync(file))).toEqual([])
  expect(await runCliForTest(["move", "--from", db])).toMatchObject({ code: 2 })
})

/** Changes that only the administration makes. */
const adminMutations = (lastAccountId: string): readonly Mutation[] => [
  {
    kind: "account.update",
    id: idOf(0),
    version: 1,
    set: { externalId: "customer 7", metadata: '{"a":"ä"}', events: ["key.created"] },
  },
  {
    kind: "key.update",
    id: "key_0",
    version: 2,
    set: { disabledMs: 7_000, externalId: "x", metadata: '{"b":[1]}' },
  },
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
  {
    kind: "notice.insert",
    id: "msg_1",
    accountId: lastAccountId,
    type: "key.created",
    data: '{"key":"key_0"}',
    nowMs: 1,
  },
]

const keptRequest = keptRequestOf({
  ...{ row: firstRowAt(5), requestId: "AbCd.7", ownId: { prefix: "AbCd", count: 7 }, api: "hmac,ä" },
})

/** Accounts with keys and usage; the first one has all that an account can have. */
async function fill(db: string, count = few): Promise<void> {
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
    chargeOf({ ...first, credits: 20, once: { keyHash: "k", inputHash: "i", nowMs: 5 } }),
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

async function closeAndWait({ close }: { close(): Promise<void> }, db: string): Promise<void> {
  await close()
  await noticed(db)
}

/** Waits until the server has noticed that connections are closed, which can take longer than `move` waits on a busy machine. */
async function noticed(db: string): Promise<void> {
  if (!isPostgresUrl(db)) return
  const sql = new Bun.SQL(db, { max: 1 })
  await until(async () => {
    const [row] = await sql`SELECT count(*)::integer AS open FROM pg_stat_activity
      WHERE datname = current_database() AND application_name LIKE 'penknife%'`
    return row.open === 0
  })
  await sql.close()
}

async function endConnections(url: string): Promise<void> {
  const sql = new Bun.SQL(url, { max: 1 })
  await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'penknife move'`
  await sql.close()
}

const openSource = (db: string) =>
  isPostgresUrl(db) ? openPostgresSource(db, options) : openSqliteSource(db)
const openTarget = (db: string) =>
  isPostgresUrl(db) ? openPostgresTarget(db, options) : openSqliteTarget(db)

/** Without notices no charges are prepared, so that fewer connections are opened. */
// A busy machine may take longer than a call would wait.
const openForReading = (db: string) => openStore(db, { ...options, random: systemRandom, limitMs: 30_000 })

/** Everything that can be read about the first and the last accounts, and the lists of all. */
async function dump(db: string): Promise<unknown> {
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

async function expectEmpty(db: string): Promise<void> {
  const { store, admin } = await openForReading(db)
  expect(await admin.accounts({}, firstPage)).toEqual([])
  expect(await admin.keys({}, firstPage)).toEqual([])
  await closeAndWait(store, db)
}
