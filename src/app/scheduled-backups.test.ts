import { expect, test } from "bun:test"
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openAdministration } from "../../test/support/administration.ts"
import { createManualClock } from "../../test/support/clock.ts"
import { ownCommand, pretendCommand } from "../../test/support/own-command.ts"
import { tempDir } from "../../test/support/temp.ts"
import { createManualTimer } from "../../test/support/timer.ts"
import { loadConfig } from "../config/load.ts"
import type { RunOwnCommand } from "../ports/own-process.ts"
import { systemRandom } from "../ports/random.ts"
import { systemTimer } from "../ports/timer.ts"
import { openSqliteStore } from "../store/sqlite/open-sqlite.ts"
import { createBackups } from "./backups.ts"
import { createScheduledBackups } from "./scheduled-backups.ts"

const hourMs = 3_600_000

/** Processes of a service on one data file, with a directory for backups. */
function prepare({ keep = 2, processes = 1, command = pretendCommand as RunOwnCommand } = {}) {
  const dir = tempDir()
  const backupDir = join(dir, "backups")
  mkdirSync(backupDir)
  const db = join(dir, "store.db")
  const config = loadConfig({ flags: { db, backupDir }, env: {}, file: null })
  const clock = createManualClock("2026-11-23T22:30:00Z")
  const errors: string[] = []
  const started = Array.from({ length: processes }, () => {
    const opened = openSqliteStore(db, { timer: systemTimer })
    const backups = createBackups(config, command)
    const admin = openAdministration(opened, backups)
    const timer = createManualTimer()
    const schedule = createScheduledBackups({
      ...{ administration: admin.administration, backups, timer, clock, random: systemRandom },
      takeBackup: opened.retention.takeBackup,
      config: { backupEverySeconds: 24 * 3_600, backupKeep: keep },
      host: "host",
      log: { info() {}, error: (message) => errors.push(message) },
    })
    schedule.start()
    return { timer, schedule, admin }
  })
  /** Lets each process do what is due. */
  async function due(): Promise<void> {
    for (const { timer } of started) timer.fire()
    for (const { timer } of started) await timer.asked()
  }
  const files = () =>
    readdirSync(backupDir)
      .filter((name) => name.endsWith(".db"))
      .sort()
  return { started, due, files, clock, errors, backupDir, admin: started[0]?.admin }
}

test("a backup is made a minute after the start, then at each multiple of the interval, with an audit record", async () => {
  const { started, due, files, clock, admin } = prepare({ command: ownCommand })
  const timer = started[0]?.timer
  expect(timer?.waiting).toEqual([60_000])
  expect(files()).toEqual([])
  await due()
  expect(files()).toEqual([expect.stringMatching(/^scheduled-20261123T223000Z-[\da-f]{8}\.db$/)])
  // Until midnight.
  expect(timer?.waiting).toEqual([1.5 * hourMs])
  const audit = (await admin?.audit()) ?? []
  expect(audit).toMatchObject([{ actor: "service", actorName: "schedule", operation: "backups.create" }])
  clock.advance(1.5 * hourMs)
  await due()
  expect(files()).toHaveLength(2)
})

test("of several processes one makes it, and none after a restart", async () => {
  const { due, files, clock } = prepare({ processes: 3, keep: 9 })
  await due()
  expect(files()).toHaveLength(1)
  await due()
  expect(files()).toHaveLength(1)
  clock.advance(24 * hourMs)
  await due()
  expect(files()).toHaveLength(2)
})

test("older ones of its own are deleted, and no other file", async () => {
  const { due, files, clock, backupDir } = prepare({ keep: 2 })
  const others = [
    ..."before-the-update.db penknife-20260101T000000Z-1f2e3d4c.db scheduled-mine.db".split(" "),
    "scheduled-20260101T000000Z-1f2e3d4c.db.db",
  ]
  for (const name of others) writeFileSync(join(backupDir, name), "kept")
  for (let day = 0; day < 5; day++) {
    await due()
    clock.advance(24 * hourMs)
  }
  expect(files().filter((name) => !others.includes(name))).toHaveLength(2)
  expect(files()).toEqual(expect.arrayContaining(others))
})

test("older ones stay when the new one fails, which is tried again in ten minutes", async () => {
  let isBroken = false
  const command: RunOwnCommand = (args) =>
    isBroken
      ? Promise.resolve({ exitCode: 1, output: "", errors: "penknife: the disk is full" })
      : pretendCommand(args)
  const { started, due, files, clock, errors } = prepare({ keep: 1, command })
  await due()
  const [first] = files()
  isBroken = true
  clock.advance(24 * hourMs)
  await due()
  expect(files()).toEqual([String(first)])
  expect(errors).toEqual(["scheduled backup failed; it is tried again in ten minutes"])
  expect(started[0]?.timer.waiting).toEqual([600_000])
  isBroken = false
  await due()
  expect(files()).toHaveLength(1)
  expect(files()).not.toEqual([String(first)])
})

test("settings that cannot work name what to change", () => {
  const load = (flags: Record<string, string>) => () => loadConfig({ flags, env: {}, file: null })
  expect(load({ backupEverySeconds: "24h" })).toThrow("--backup-every needs --backup-dir")
  const dir = { backupDir: "/tmp" }
  const daily = { ...dir, backupEverySeconds: "24h" }
  expect(load({ ...daily, db: "postgres://db/x" })).toThrow("PostgreSQL has backups of its own")
  expect(load({ ...daily, db: ":memory:" })).toThrow("a store in memory has no backups")
  expect(load({ ...dir, backupEverySeconds: "1s" })).toThrow("must be a time from 10m to 366d")
  expect(load({ ...dir, backupKeep: "0" })).toThrow("whole number from 1")
  expect(load({ ...dir, backupEverySeconds: "24h" })()).toMatchObject({ backupKeep: 7 })
})
