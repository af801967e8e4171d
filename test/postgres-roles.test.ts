/** The roles of docs/postgres-roles.sql: the one of the service can do everything that a service does, and nothing else. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { systemClock } from "../src/ports/clock.ts"
import { neededRights } from "../src/store/postgres/rights.ts"
import { runSql } from "./support/any-store.ts"
import { runCliForTest } from "./support/cli.ts"
import { ownCommand } from "./support/own-command.ts"
import { usePostgres } from "./support/postgres.ts"
import { startReceiver } from "./support/receiver.ts"
import { startTestService } from "./support/service.ts"

const postgres = usePostgres()
const script = readFileSync(join(import.meta.dir, "../docs/postgres-roles.sql"), "utf8")

/** A database whose roles and tables were made as the script says; their URLs. */
async function prepare() {
  const admin = await postgres.createDatabase({ isEmpty: true })
  await runScript(admin)
  await runSql(
    admin,
    "ALTER ROLE penknife_owner PASSWORD 'owner'; ALTER ROLE penknife_service PASSWORD 'service'",
  )
  const owner = admin.replace("postgres:password@", "penknife_owner:owner@")
  return { admin, owner, service: admin.replace("postgres:password@", "penknife_service:service@") }
}

test("the service's role serves, and runs every command", async () => {
  const { admin, owner, service: db } = await prepare()
  const refused = await runCliForTest(["serve", "--port", "0", "--db", db])
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("which this user may not do") })
  await done(["account", "list", "--db", owner])
  const unready = await runCliForTest(["serve", "--port", "0", "--db", db])
  expect(unready.code).toBe(1)
  expect(unready.err).toContain("Grant the rights of docs/postgres-roles.sql")
  await runScript(admin)

  const receiver = startReceiver()
  // Ahead of the database, since notices are due by its clock.
  let aheadMs = 60_000
  const clock = { ...systemClock, now: () => systemClock.now() + aheadMs }
  // The bonus pays for the last call: the service may hear seconds later of the credits that are granted beside it.
  const tiny = { monthly_credits: 10, sign_up_bonus: 5, requests_per_minute: 1_000 }
  const file = { plans: { tiny } }
  const service = await startTestService({
    ports: { clock },
    maxSkewMs: Number.POSITIVE_INFINITY,
    file,
    flags: { db },
  })
  const { account, id, key } = await service.createKey("tiny")
  await service.notices.setWebhook(account, receiver.url, { allowPrivate: true })
  const call = () => service.fetch("/v1/bluetoothlookup?companyid=76", { key })
  for (let i = 0; i < 8; i++) expect((await call()).status).toBe(200)
  await receiver.count(1)
  // It waits for their end: each connection that ends while it is used costs a call.
  await runSql(
    admin,
    "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE usename = 'penknife_service'",
  )
  expect((await call()).status).toBe(200)
  aheadMs += 24 * 3_600_000
  expect((await call()).status).toBe(200)
  expect((await service.fetch("/ready")).status).toBe(200)
  expect((await service.fetch("/metrics")).status).toBe(200)
  await service.accounts.grant(account, 5)
  await service.accounts.setPlan(account, "pro")
  await service.accounts.renew(account)
  await service.accounts.rotateKey(id, 60_000)
  expect((await call()).status).toBe(200)
  await service.accounts.revokeKey(id)
  expect((await call()).status).toBe(401)
  await done(["usage", account, "--db", db])
  await done(["notices", "--log", "--db", db])
  await service.accounts.closeAccount(account)
  const prune = ["audit", "prune", "--keep-audit", "1", "--db"]
  const kept = await runCliForTest([...prune, db])
  expect(kept).toMatchObject({
    code: 1,
    err: expect.stringContaining("Name the owner of the tables in --db"),
  })
  // A process of its own ends when nothing keeps it running, however much is left to delete.
  const pruned = await ownCommand([...prune, owner, "--json"])
  expect(pruned).toMatchObject({ exitCode: 0, output: expect.stringContaining('"deleted":') })
})

test("the service's role has the rights that a start asks for, and no others", async () => {
  const { admin, owner, service } = await prepare()
  await done(["account", "list", "--db", owner])
  await runScript(admin)
  const granted = await runSql(
    admin,
    `SELECT table_name AS name, array_agg(privilege_type ORDER BY privilege_type)::text AS rights
     FROM information_schema.role_table_grants WHERE grantee = 'penknife_service' GROUP BY table_name ORDER BY table_name`,
  )
  const needed = Object.entries(neededRights).map(([name, rights]) => ({
    name,
    rights: `{${[...rights].sort().join(",")}}`,
  }))
  expect(granted).toEqual(needed.sort((a, b) => (a.name < b.name ? -1 : 1)))
  for (const statement of [
    ..."CREATE TABLE mine (id integer)|DROP TABLE accounts|TRUNCATE usage|DELETE FROM ledger".split("|"),
    ..."DELETE FROM accounts|DELETE FROM audit|ALTER TABLE ledger DISABLE TRIGGER ALL".split("|"),
    ..."CREATE TEMPORARY TABLE mine (id integer)|SELECT * FROM pg_authid|CREATE ROLE another".split("|"),
  ])
    await expect(runSql(service, statement)).rejects.toThrow(/permission denied|must be owner/)
})

test("no other role of the server may connect", async () => {
  const { admin } = await prepare()
  const stranger = `penknife_stranger_${process.pid}`
  await runSql(admin, `CREATE ROLE ${stranger} LOGIN PASSWORD 'stranger'`)
  const url = admin.replace("postgres:password@", `${stranger}:stranger@`)
  expect(await runCliForTest(["account", "list", "--db", url])).toMatchObject({
    code: 1,
    err: expect.stringContaining("permission denied for database"),
  })
})

async function done(argv: readonly string[]): Promise<void> {
  expect(await runCliForTest(argv)).toMatchObject({ code: 0 })
}

const runScript = (url: string) => runSql(url, script)
