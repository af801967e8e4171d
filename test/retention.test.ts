/** Deletion of old records: their age, the steps, and the answers of the admin API afterwards. */
import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { statSync } from "node:fs"
import { join } from "node:path"
import { createCleaner } from "../src/retention/cleaner.ts"
import { hourMs } from "../src/store/history.ts"
import { StoreUnavailable } from "../src/store/store.ts"
import { openAnyStore } from "./support/any-store.ts"
import { runCliForTest } from "./support/cli.ts"
import { createManualClock } from "./support/clock.ts"
import { tempDir } from "./support/temp.ts"
import { createManualTimer } from "./support/timer.ts"

const iso = "2027-03-15T12:34:56Z"
const start = Date.parse(iso)
const dayMs = 86_400_000

describe("the cleaner", () => {
  test("deletes what is older than is kept, once an hour, each part until little is left", async () => {
    const { cleaner, asked, state } = newCleaner()
    state.rows = { fold: [4, 3], deleteBefore: [3], deleteCredits: [7, 8], deleteNotices: [4, 8, 1] }
    await cleaner.run()
    const at = (text: string) => Date.parse(text)
    expect(asked).toEqual([
      ["fold", at("2027-03-14T11:00:00Z")],
      ["fold", at("2027-03-14T11:00:00Z")],
      ["deleteBefore", at("2026-12-15T12:00:00Z")],
      ["deleteCredits", at("2026-12-15")],
      ["deleteCredits", at("2026-12-15")],
      ["deleteNotices", start - 60 * dayMs],
      ["deleteNotices", start - 60 * dayMs],
      ["deleteNotices", start - 60 * dayMs],
      ["deleteReplays", start],
      ["setMonthsUntil", "2026-02-01"],
      ["deleteRequests", start - 30 * dayMs],
    ])
    expect(state.logged).toEqual([
      ["old records deleted", { notices: 13, usage: 0, history: 18, requests: 0, replays: 0 }],
    ])
    asked.length = 0
    await cleaner.run()
    expect(asked).toEqual([])
  })

  test("adds days up to months an hour after queries know of it, and starts again where a process ended", async () => {
    const { cleaner, asked, state, clock } = newCleaner()
    state.days = { history: 0, keepNotices: 60, keepUsage: 400, keepRequests: 30 }
    await cleaner.run()
    expect(asked.at(-2)).toEqual(["setMonthsUntil", "2026-02-01"])
    asked.length = 0
    clock.advance(hourMs)
    state.rows = { foldUsage: [9, 0], deleteNotices: new StoreUnavailable("no answer") }
    await cleaner.run()
    expect([asked, state.logged.at(-1)?.[0]]).toEqual([
      [["deleteNotices", start + hourMs - 60 * dayMs]],
      "old records not deleted; this is tried again in an hour",
    ])
    asked.length = 0
    clock.advance(hourMs)
    state.rows = { foldUsage: [9, 0] }
    await cleaner.run()
    const folded: [string, unknown] = ["foldUsage", "2026-02-01"]
    expect(asked.slice(2, -1)).toEqual([folded, folded, ["setFoldedUntil", "2026-02-01"]])
    asked.length = 0
    clock.advance(hourMs)
    await cleaner.run()
    expect(asked.map(([name]) => name)).toEqual(["deleteNotices", "deleteReplays", "deleteRequests"])
  })

  test("pauses after each step for nineteen times as long, makes steps smaller that take long, and stops at once", async () => {
    const { cleaner, limits, state, timer } = newCleaner()
    state.days = { history: 0, keepNotices: 60, keepUsage: 400, keepRequests: 30 }
    state.rows = { deleteNotices: Array.from({ length: 100 }, () => 9_999) }
    state.tookMs = 1
    const running = cleaner.run()
    for (let step = 0; step < 7; step++) {
      await timer.asked()
      expect(timer.waiting).toEqual([19 * state.tookMs])
      if (step === 2) state.tookMs = 6
      timer.fire()
    }
    await timer.asked()
    expect(limits).toEqual([4, 8, 16, 32, 16, 8, 4, 4])
    await cleaner.stop()
    await running
    expect([limits.length, timer.waiting]).toEqual([8, []])
  })

  test("waits while the store has no room for what it writes", async () => {
    const { cleaner, asked, state, timer } = newCleaner()
    state.hasRoom = false
    const running = cleaner.run()
    for (let second = 0; second < 3; second++) {
      await timer.asked()
      expect([timer.waiting, asked]).toEqual([[1_000], []])
      timer.fire()
    }
    await timer.asked()
    state.hasRoom = true
    timer.fire()
    await running
    expect(asked.length).toBeGreaterThan(3)
  })
})

describe("commands of the owner", () => {
  const dir = tempDir()
  const run = async (...words: string[]) => {
    const { code, out, err } = await runCliForTest(words)
    return { code, err, answer: code === 0 ? JSON.parse(out) : null }
  }
  async function newFile(name: string): Promise<string> {
    const db = join(dir, name)
    expect(
      await run("account", "create", "--name", "Ann", "--plan", "free", "--json", "--db", db),
    ).toMatchObject({ code: 0 })
    return db
  }

  test("'audit prune' deletes old audit records alone, and records by whom, before it deletes any", async () => {
    const db = await newFile("audit.db")
    {
      using database = new Database(db)
      database.run(
        `INSERT INTO audit (id, at_ms, actor, actor_name, operation, target_kind, target_id, source, request_id)
         WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 449)
         SELECT 'aud_old' || n, n, 'cli:ann', 'ann', 'keys.create', 'key', 'k', 'host', 'r' FROM n`,
      )
    }
    expect(await run("audit", "prune", "--db", db)).toMatchObject({
      code: 2,
      err: expect.stringContaining("--keep-audit"),
    })
    expect(await run("audit", "prune", "--keep-audit", "30", "--json", "--db", db)).toMatchObject({
      answer: { deleted: 450 },
    })
    expect(await run("audit", "prune", "--keep-audit", "30", "--json", "--db", db)).toMatchObject({
      answer: { deleted: 0 },
    })
    const { answer: data } = await run("audit", "--json", "--db", db)
    expect(data.map(({ operation }: { operation: string }) => operation)).toEqual([
      "audit.prune",
      "audit.prune",
      "accounts.create",
    ])
    expect(data[0]).toMatchObject({ actor: expect.stringMatching(/^cli:./), after: { keep_audit: 30 } })
    expect(Date.now() - Date.parse(data[0].after.deleted_before)).toBeGreaterThan(29.9 * dayMs)
  })

  test("'compact' gives space back to the disk, and refuses while a service works on the file", async () => {
    const db = await newFile("compact.db")
    const opened = await openAnyStore(db, () => {}, { serving: { onChange() {} } })
    {
      using database = new Database(db)
      database.run(
        `INSERT INTO history_credits WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 20000)
         SELECT n * ${hourMs}, 'acc', 1, 1 FROM n`,
      )
      database.run("DELETE FROM history_credits")
    }
    const refused = await run("compact", "--json", "--db", db)
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringContaining("Stop the server, then compact, then start it again."),
    })
    await opened.store.close()
    const { answer: compacted } = await run("compact", "--json", "--db", db)
    expect(compacted).toMatchObject({ file: db, bytes: statSync(db).size })
    expect(compacted.bytes_before).toBeGreaterThan(3 * compacted.bytes)
    expect((await run("account", "list", "--json", "--db", db)).answer).toHaveLength(1)
    expect(await run("compact", "--db", join(dir, "none.db"))).toMatchObject({
      code: 1,
      err: expect.stringContaining("There is no data file"),
    })
    const postgres = await run("compact", "--db", "postgres://ann:secret@127.0.0.1:1/x")
    expect([postgres.code, postgres.err]).toEqual([1, expect.stringContaining("autovacuum")])
    expect(postgres.err).not.toContain("secret")
  })
})

/** A cleaner of a store that writes down what it is asked. */
function newCleaner() {
  const clock = createManualClock(iso)
  const timer = createManualTimer()
  const asked: (readonly [string, unknown])[] = []
  const limits: number[] = []
  const marks = { hour: Number.NaN, monthsUntil: null as string | null, foldedUntil: null as string | null }
  const state = {
    days: { history: 90, keepNotices: 60, keepUsage: 400, keepRequests: 30 },
    rows: {} as Record<string, number[] | Error>,
    tookMs: 0,
    hasRoom: true,
    logged: [] as [string, object][],
  }
  function take(name: string, before: unknown, limit: number): number {
    asked.push([name, before])
    limits.push(limit)
    clock.advance(state.tookMs)
    const rows = state.rows[name] ?? []
    if (rows instanceof Error) throw rows
    return rows.shift() ?? 0
  }
  const step = (name: string) => async (before: unknown, limit: number) => take(name, before, limit)
  /** Two accounts. */
  const pass = (name: string) => async (before: unknown, place: string, limit: number) => {
    return { rows: take(name, before, limit), next: place === "" ? "acc_1" : null }
  }
  const cleaner = createCleaner({
    store: {
      history: { fold: step("fold"), deleteBefore: step("deleteBefore") },
      requests: {
        deleteBefore: async (before, limit) => ({ rows: take("deleteRequests", before, limit), next: null }),
      },
      retention: {
        stepMs: 3,
        hasRoom: () => state.hasRoom,
        takeBackup: async () => true,
        async takeHour(startMs) {
          if (marks.hour === startMs) return false
          marks.hour = startMs
          return true
        },
        monthsUntil: async () => marks.monthsUntil,
        foldedUntil: async () => marks.foldedUntil,
        async setMonthsUntil(day) {
          asked.push(["setMonthsUntil", day])
          marks.monthsUntil = day
        },
        async setFoldedUntil(day) {
          asked.push(["setFoldedUntil", day])
          marks.foldedUntil = day
        },
        auditFromMs: async () => null,
        setAuditFromMs: async () => {},
        mayDeleteAudit: async () => false,
        deleteAudit: async () => 0,
        deleteNotices: step("deleteNotices"),
        deleteReplays: step("deleteReplays"),
        deleteCredits: pass("deleteCredits"),
        foldUsage: pass("foldUsage"),
      },
    },
    kept: () => state.days,
    clock,
    timer,
    log: {
      warn: (message, fields) => state.logged.push([message, fields]),
      info: (message, fields) => state.logged.push([message, fields]),
    },
  })
  return { cleaner, asked, limits, state, clock, timer }
}
