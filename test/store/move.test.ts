/** `move`: everything from one kind of store to the other, all or nothing. */
import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Timer } from "../../src/apis/contract.ts"
import { keepAliveTimer } from "../../src/ports/timer.ts"
import { copyRows, move } from "../../src/store/move.ts"
import type { MoveTarget } from "../../src/store/move-tables.ts"
import { withoutPassword } from "../../src/values/text.ts"
import { adminKeyOf, changeOf } from "../support/admin-store.ts"
import { openAnyStore, useStoreKinds } from "../support/any-store.ts"
import { runCliForTest } from "../support/cli.ts"
import {
  closeAndWait,
  dump,
  endConnections,
  expectEmpty,
  fill,
  idOf,
  noticed,
  openSource,
  openTarget,
  options,
} from "../support/move.ts"
import { accountOf, chargeOf } from "../support/store.ts"
import { tempDir } from "../support/temp.ts"
import { inTurn } from "../support/turns.ts"

const [file, postgres] = useStoreKinds()
if (!file || !postgres) throw new Error("a kind of store is missing")
/** Waits a twentieth of the time between attempts. Time limits of a second or more stay as they are. */
const impatientTimer: Timer = {
  ...keepAliveTimer,
  after: (delayMs, run) => keepAliveTimer.after(delayMs < 1_000 ? delayMs / 20 : delayMs, run),
}
const dir = tempDir()
/** More rows than a page has. */
const many = 210

/** Each kind of store once on each side: how one is read does not depend on how another is written. */
const toAnotherKind = [
  ["a data file to PostgreSQL", file, postgres],
  ["PostgreSQL to a data file", postgres, file],
] as const
const toTheSameKind = [
  ["a data file to a data file", file, file],
  ["PostgreSQL to PostgreSQL", postgres, postgres],
] as const

test.each([...toAnotherKind, ...inTurn(toTheSameKind, 2)])(
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
    for (const [db, ms] of Object.entries({ [from]: 7_000, [to]: 9_000 })) {
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
    const until = [await admin.usageMonthsUntil(), await retention.foldedUntil()]
    expect(until).toEqual(["2025-03-01", "2025-02-01"])
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
    await target[Symbol.asyncDispose]()
    await source[Symbol.asyncDispose]()
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
    const said = "differs from what was read (usage_rows, calls, credits)"
    await expect(copyRows(source, losing)).rejects.toThrow(said)
    await target[Symbol.asyncDispose]()
    await source[Symbol.asyncDispose]()
    await expectEmpty(to)
  })

  test("a store that a service works on is neither read nor written", async () => {
    const [from, to] = [await fromKind.create(), await toKind.create()]
    await fill(from, 1)
    for (const db of [from, to]) {
      const service = await openAnyStore(db, () => {}, { serving: { onChange() {} } })
      await service.store.ping()
      const busy = move(from, to, { ...options, timer: impatientTimer })
      await expect(busy).rejects.toThrow(/is in use.*[Ss]top/)
      await closeAndWait(service.store, db)
    }
    await expectEmpty(to)
    for (const db of [from, to]) await noticed(db)
    await move(from, to, options)
  })
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
    await source[Symbol.asyncDispose]()
  }
})

test.each([
  ["a data file", file],
  ["PostgreSQL", postgres],
])("a move to %s that is killed leaves it empty", async (_, kind) => {
  const [from, to] = [await file.create(), await kind.create()]
  await fill(from, many)
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "../support/half-move.ts"), from, to], {
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
  await target[Symbol.asyncDispose]()
  await source[Symbol.asyncDispose]()
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
