/** An instance whose clock, plans or connections are not as those of the others on the same database. */
import { expect, test } from "bun:test"
import { systemClock } from "../src/ports/clock.ts"
import { systemRandom } from "../src/ports/random.ts"
import { keepAliveTimer } from "../src/ports/timer.ts"
import { migrate, schemaSteps, schemaVersion } from "../src/store/postgres/migrations.ts"
import { openPostgresStore } from "../src/store/postgres/open-postgres.ts"
import { createTestAdminKey } from "./support/admin.ts"
import { readAnswer } from "./support/answer.ts"
import { runSql } from "./support/any-store.ts"
import { linesWith, requestsIn } from "./support/log.ts"
import { usePostgres } from "./support/postgres.ts"
import { startTestService } from "./support/service.ts"
import { briefTimer } from "./support/timer.ts"
import { until } from "./support/until.ts"

const postgres = usePostgres()

test("a clock that differs a little is logged once; one that differs more charges nothing until it is right again", async () => {
  const db = await postgres.createDatabase()
  let aheadMs = 10_000
  const clock = { ...systemClock, now: () => systemClock.now() + aheadMs }
  const service = await startTestService({ ports: { clock }, flags: { db } })
  const { account, key } = await service.createKey("pro")
  const admin = await createTestAdminKey(db)
  const call = () => service.fetch("/v1/bluetoothlookup?companyid=76", { key })
  const told = () => linesWith("clocks differ", service.logged())
  expect([(await call()).status, (await service.fetch("/ready")).status]).toEqual([200, 200])
  expect(told()).toMatchObject([
    {
      level: "warn",
      consequence:
        "Credit months, days and expiry follow this machine's clock; limits per minute follow the database's.",
    },
  ])
  expect(Math.abs(Number(told()[0]?.secondsAheadOfDatabase) - 10)).toBeLessThan(5)

  const { period } = (await service.accounts.show(account)).balance
  for (const days of [32, -32]) {
    aheadMs = days * 86_400_000
    const refused = await call()
    expect(refused.status).toBe(503)
    expect((await readAnswer(refused)).error).toContain("Nothing was charged")
    const change = await service.fetch(`/admin/v1/accounts/${account}/credits`, {
      method: "POST",
      headers: { "x-admin-key": admin.key, "content-type": "application/json" },
      body: JSON.stringify({ credits: 5 }),
    })
    expect(change.status).toBe(503)
    expect(await change.text()).toMatch(/The clock of this machine is \d+ s .* the database's/)
    await until(async () => (await service.fetch("/ready")).status === 503)
  }
  const told32Days = { consequence: expect.stringContaining("refused until the clocks agree") }
  expect(told()).toMatchObject([{}, told32Days])
  expect(service.logged()).toMatch(
    /this machine is \d+ s ahead of the database's.*this machine is \d+ s behind/s,
  )

  aheadMs = 0
  expect((await call()).status).toBe(200)
  await until(async () => (await service.fetch("/ready")).status === 200)
  expect((await service.accounts.show(account)).balance).toMatchObject({ used: 2, period })
})

test("an account with a plan that this instance does not know is refused without a charge; the other instance serves it", async () => {
  const db = await postgres.createDatabase()
  const plans = { plans: { team: { monthly_credits: 5, premium: false } } }
  const knows = await startTestService({ ports: { clock: systemClock }, flags: { db }, file: plans })
  const knowsNot = await startTestService({ ports: { clock: systemClock }, flags: { db } })
  const { account, key } = await knowsNot.createKey("free")
  await knows.accounts.setPlan(account, "team")
  const answer = await knowsNot.fetch("/v1/bluetoothlookup?companyid=76", { key })
  expect(answer.status).toBe(500)
  const { error } = await readAnswer(answer)
  expect(error).toContain("The plan of this account, 'team', is not configured here")
  expect(knowsNot.logged()).toContain(`Account ${account} has the plan 'team', which is not configured`)
  expect(requestsIn(knowsNot.logged())).toMatchObject([{ fault: "planMissing", account }])
  expect((await knows.accounts.show(account)).balance.used).toBe(0)
  expect((await knows.fetch("/v1/bluetoothlookup?companyid=76", { key })).status).toBe(200)
  expect((await knows.accounts.show(account)).balance.used).toBe(1)
  const later = await startTestService({ ports: { clock: systemClock }, flags: { db } })
  expect(later.logged()).toContain("plans are missing")
  expect(later.logged()).toContain(`The accounts are in ${db.replace(":password@", "@")}.`)
})

test("without a connection left calls are refused, the log says why without the password, and calls go on afterwards", async () => {
  const admin = await postgres.createDatabase()
  const role = `penknife_limited_${process.pid}`
  await runSql(admin, `CREATE ROLE ${role} LOGIN SUPERUSER PASSWORD 's3cret'`)
  const db = admin.replace("postgres:password@", `${role}:s3cret@`)
  const service = await startTestService({ ports: { clock: systemClock }, flags: { db } })
  const { account, key } = await service.createKey("pro")
  const call = () => service.fetch("/v1/bluetoothlookup?companyid=76", { key })
  expect((await call()).status).toBe(200)

  // A superuser is not limited.
  await runSql(admin, `ALTER ROLE ${role} NOSUPERUSER CONNECTION LIMIT 0`)
  await runSql(admin, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`)
  // The first calls may still send their charge on a connection that is just ending, and then nobody knows whether it was booked.
  let unknown = 0
  await until(async () => {
    const refused = await call()
    expect(refused.status).toBe(503)
    const { error } = await readAnswer(refused)
    const isUnknown = error?.includes("may have been charged") === true
    if (isUnknown) unknown++
    else expect(error).toContain("Nothing was charged")
    return !isUnknown && service.logged().includes("no connection left. Raise its max_connections")
  })
  expect((await service.fetch("/ready")).status).toBe(503)
  expect(service.logged()).not.toContain("s3cret")

  await runSql(admin, `ALTER ROLE ${role} SUPERUSER CONNECTION LIMIT -1`)
  await until(async () => (await call()).status === 200)
  const { used } = (await service.accounts.show(account)).balance
  expect(used).toBeGreaterThanOrEqual(2)
  expect(used).toBeLessThanOrEqual(2 + unknown)
})

test("while the database's disk is full, calls and probes are refused and the log says why", async () => {
  const db = await postgres.createDatabase()
  const service = await startTestService({ ports: { clock: systemClock }, flags: { db } })
  const { account, key } = await service.createKey("pro")
  const call = () => service.fetch("/v1/bluetoothlookup?companyid=76", { key })
  // Rows that exist can be changed: only new pages find no room.
  await runSql(
    db,
    `CREATE FUNCTION fill_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
     CREATE TRIGGER fill_disk BEFORE INSERT ON usage_changes EXECUTE FUNCTION fill_disk()`,
  )
  expect((await service.fetch("/ready")).status).toBe(503)
  const refused = await call()
  expect(refused.status).toBe(503)
  expect((await readAnswer(refused)).error).toContain("Nothing was charged")
  expect(service.logged()).toContain("The disk of the database is full. Free some space. (53100")

  await runSql(db, "DROP TRIGGER fill_disk ON usage_changes")
  await until(async () => (await call()).status === 200)
  await until(async () => (await service.fetch("/ready")).status === 200)
  expect((await service.accounts.show(account)).balance.used).toBe(1)
})

test("an instance is not ready while a table of its calls is locked, and ready while one of its other work is", async () => {
  const db = await postgres.createDatabase()
  const service = await startTestService({
    ports: { clock: systemClock },
    // So that a table is given up soon, and a busy machine is not taken for a locked table.
    databaseLimitMs: 2_000,
    flags: { db },
  })
  const { key } = await service.createKey("pro")
  const call = async () => (await service.fetch("/v1/bluetoothlookup?companyid=76", { key })).status
  const isReady = async () => (await service.fetch("/ready")).status === 200
  await until(async () => (await call()) === 200)
  await using sql = new Bun.SQL(db, { max: 1 })
  for (const table of ["ledger", "rates", "secrets"]) {
    await sql.begin(async (transaction) => {
      await transaction.unsafe(`LOCK TABLE ${table}`)
      await until(async () => !(await isReady()))
    })
    await until(isReady)
  }
  await sql.begin(async (transaction) => {
    await transaction.unsafe("LOCK TABLE notices")
    const metrics = service.fetch("/metrics")
    const waiting = "SELECT count(*)::integer AS waiting FROM pg_locks WHERE NOT granted"
    await until(async () => (await transaction.unsafe(waiting))[0].waiting > 0)
    expect([await isReady(), await call()]).toEqual([true, 200])
    await metrics
  })
})

const addColumn = "ALTER TABLE accounts ADD COLUMN of_the_newer_version text"

test("a roll-out: an instance goes on when a newer version changes the tables, and says what it found", async () => {
  const db = await postgres.createDatabase()
  const start = () => startTestService({ ports: { clock: systemClock }, flags: { db } })
  const running = await start()
  const { account, key } = await running.createKey("pro")
  const statusOf = async (service: typeof running) =>
    (await service.fetch("/v1/bluetoothlookup?companyid=76", { key })).status
  expect(await statusOf(running)).toBe(200)
  expect(running.logged()).not.toContain("newer version")

  const newer = `"tables":${schemaVersion + 1},"known":${schemaVersion},"advice":"This instance goes on`
  await migrateToNewer(db, [addColumn])
  await until(() => running.logged().includes(newer))
  const started = await start()
  expect(started.logged()).toContain(newer)
  expect(await Promise.all([running, started].map(statusOf))).toEqual([200, 200])
  await started.accounts.grant(account, 7)
  expect((await running.accounts.show(account)).balance).toMatchObject({ used: 3, bonus: 7 })

  const requireNewer = `UPDATE meta SET value = ${schemaVersion + 1} WHERE name = 'oldest'`
  await expect(migrateToNewer(db, [addColumn, requireNewer])).rejects.toThrow(
    "An older version of penknife works on",
  )
  // As for an instance that was not connected at that moment.
  const [version, oldest] = [schemaVersion + 2, schemaVersion + 1]
  await runSql(db, `UPDATE meta SET value = ${version} WHERE name = 'store_version'`)
  await runSql(db, requireNewer)
  await runSql(db, `SELECT pg_notify('penknife_migrated', '${version} ${oldest}')`)
  for (const { logged } of [running, started]) {
    await until(() => logged().includes("This instance cannot work with them. Replace it now."))
    // It stands there once, however often the version was read.
    expect(logged().split(newer)).toHaveLength(2)
  }
  await expect(start()).rejects.toThrow(
    `(store version ${schemaVersion + 2}; this one knows ${schemaVersion})`,
  )
})

test("an instance that hears nothing yet learns of a newer version when it begins to hear", async () => {
  const db = await postgres.createDatabase()
  const heard = Promise.withResolvers<void>()
  const timer = { ...briefTimer, turn: () => heard.promise }
  const told: unknown[] = []
  const { store, listen } = await openPostgresStore(db, {
    ...{ clock: systemClock, random: systemRandom, timer, limitMs: 30_000 },
    log: { warn: (message, fields) => void told.push({ message, ...fields }) },
    notices: { thresholds: [80], now: () => 0 },
  })
  listen({ onRaised() {}, onMessage() {}, onConnected() {} })
  await migrateToNewer(db, [addColumn])
  heard.resolve()
  await until(() => told.length > 0)
  await store.close()
  expect(told).toEqual([
    {
      ...{ message: "tables of a newer version", tables: schemaVersion + 1, known: schemaVersion },
      advice: expect.stringContaining("This instance goes on"),
    },
  ])
})

/** Changes the tables as newer versions of the program would. */
async function migrateToNewer(db: string, changes: readonly string[]): Promise<void> {
  const steps = [...schemaSteps, ...changes.map((change) => ({ change }))]
  await using sql = new Bun.SQL(db, { max: 1 })
  await migrate(sql, db, { timer: keepAliveTimer, steps })
}
