/** Mistakes of an operator with a PostgreSQL database: every command says what to change, without the password. */
import { beforeAll, describe, expect, onTestFinished, test } from "bun:test"
import { join } from "node:path"
import { runSql } from "../support/any-store.ts"
import { runCliForTest } from "../support/cli.ts"
import { startPostgres, usePostgres } from "../support/postgres.ts"
import { tempDir } from "../support/temp.ts"

const secret = "s3cret"
const dir = tempDir()
const server = usePostgres()
let url: string
let roles = 0

beforeAll(async () => {
  url = await server.createDatabase()
  await expectDone(["account", "list"], url)
}, 300_000)

/** Everything that opens a database. */
const commands: readonly (readonly string[])[] = [
  ["serve", "--port", "0"],
  ["account", "create", "--name", "Ann"],
  ["account", "list"],
  ["account", "close", "acc_1"],
  ["key", "create", "--account", "acc_1"],
  ["key", "list", "--json"],
  ["usage", "acc_1"],
  ["notices"],
]

let turns = 0

/** The command that serves and another one, each of the others in its turn: they all open a database in the same way. */
function someCommands(): readonly (readonly string[])[] {
  const other = 1 + (turns++ % (commands.length - 1))
  return commands.filter((_, index) => index === 0 || index === other)
}

describe("every command says what to change, without the password", () => {
  const wrong: readonly (readonly [string, () => string, string | RegExp])[] = [
    ["a URL without a user", () => "postgres://127.0.0.1/x", "it names no user"],
    ["a URL without a database", () => `postgres://ann:${secret}@127.0.0.1`, "it names no database"],
    ["a port that is too large", () => `postgres://ann:${secret}@db:99999/x`, "'db:99999' is not a host"],
    ["a password with / and @", () => `postgres://ann:x@${secret}/y@db/x`, "write %40 for '@'"],
    ["a password with a question mark", () => `postgres://ann:x?${secret}@db/x`, "write %40 for '@'"],
    ["a password with %", () => `postgres://ann:${secret}%@db/x`, "begins no percent-encoded byte"],
    ["an unknown parameter", () => `postgres://ann@db/x?password=${secret}`, "'password'; these are known"],
    ["an unknown sslmode", () => `postgres://ann:${secret}@db/x?sslmode=on`, "it must be one of disable"],
    ["a missing file of a password", () => "postgres://ann@db/x?passfile=/none", "The file /none, which"],
    ["another kind of database", () => `mysql://ann:${secret}@db/x`, "neither a data file nor a PostgreSQL"],
    ["a slash too few", () => `postgres:/ann:${secret}@db/x`, "neither a data file nor a PostgreSQL"],
    ["keywords instead of a URL", () => `host=db password=${secret}`, "neither a data file nor a PostgreSQL"],
    ["a wrong password", () => as("postgres", secret), /refuses the user or the password.*28P01/],
    ["no such database", () => as("postgres", undefined, "none"), /no such database. Create it.*3D000/],
    ["a port without a server", () => `postgres://ann:${secret}@127.0.0.1:1/x`, "Check the host, the port"],
    ["a host without an address", () => `postgres://ann:${secret}@db.invalid/x`, "Check the host, the port"],
    ["TLS with a server that has none", () => `${url}?sslmode=require`, "Server does not support SSL"],
  ]
  /** One mistake that is found without a server, and one that the server finds. */
  const ofEveryCommand = ["a URL without a user", "a wrong password"]
  test.each(wrong)("%s", async (name, db, text) => {
    for (const command of ofEveryCommand.includes(name) ? commands : someCommands())
      await expectRefused(command, db(), text)
  })

  test("a URL without an '@' is not shown, since it may hold a password", async () => {
    const env = { PGUSER: "ann" }
    const command = ["account", "list"]
    await expectRefused(command, `postgres://ann:${secret}/x`, "what follows '://' is not a host", env)
  })

  test("a database of another program stays unchanged", async () => {
    const db = await server.createDatabase({ isEmpty: true })
    await runSql(db, "CREATE TABLE accounts (id integer)")
    for (const command of commands) await expectRefused(command, db, "has tables of another program")
    for (const table of ["keys", "secrets", "ledger", "meta"])
      await runSql(db, `CREATE TABLE ${table} (id integer)`)
    for (const command of someCommands()) await expectRefused(command, db, "has tables of another program")
    const count = "SELECT count(*)::integer AS n FROM pg_tables WHERE schemaname = 'public'"
    expect(await runSql(db, count)).toEqual([{ n: 5 }])
  })

  test("a schema of a newer version that this one cannot use; one that it can use is used", async () => {
    const db = await server.createDatabase()
    await expectDone(["account", "list"], db)
    await runSql(db, "UPDATE meta SET value = 99 WHERE name IN ('store_version', 'oldest')")
    for (const command of commands)
      await expectRefused(command, db, /newer penknife \(store version 99; this one knows/)
    await runSql(db, "UPDATE meta SET value = 1 WHERE name = 'oldest'")
    await expectDone(["account", "create", "--name", "Ann"], db)
    const version = "SELECT value::integer AS n FROM meta WHERE name = 'store_version'"
    expect(await runSql(db, version)).toEqual([{ n: 99 }])
  })

  test("a database whose encoding cannot keep every text", async () => {
    await runSql(url, "CREATE DATABASE penknife_ascii ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0")
    for (const command of someCommands())
      await expectRefused(command, as("postgres", undefined, "penknife_ascii"), "ENCODING 'UTF8'")
  })

  test("no connection left", async () => {
    const role = await createRole("CONNECTION LIMIT 0")
    for (const command of someCommands())
      await expectRefused(command, as(role), /no connection left. Raise.*53300/)
  })

  test("a standby takes no changes", async () => {
    const standby = await startPostgres([], { standby: true })
    onTestFinished(standby.stop)
    for (const command of someCommands())
      await expectRefused(command, standby.url, "is a standby, which takes no changes")
  })
})

test("a role without rights may not read", async () => {
  const role = await createRole()
  for (const command of someCommands()) await expectRefused(command, as(role), /Grant the rights.*42501/)
})

test("a role without rights may not write: a service does not start, and a change says so", async () => {
  const role = await createRole()
  await runSql(url, `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`)
  await expectDone(["account", "list"], as(role))
  const lacking = "lacks rights: INSERT on meta, UPDATE on meta, INSERT on accounts"
  await expectRefused(["serve", "--port", "0"], as(role), lacking)
  await expectRefused(["account", "create", "--name", "Ann"], as(role), /Grant the rights.*42501/)
})

test("a role without rights may not make tables", async () => {
  const role = await createRole()
  const db = new URL(await server.createDatabase({ isEmpty: true })).pathname.slice(1)
  const said = "must be made or changed, which this user may not do"
  for (const command of someCommands()) await expectRefused(command, as(role, undefined, db), said)
})

test("a role without rights may use no schema", async () => {
  const db = await server.createDatabase()
  await runSql(db, "REVOKE ALL ON SCHEMA public FROM PUBLIC")
  const role = await createRole()
  const name = new URL(db).pathname.slice(1)
  await expectRefused(["account", "list"], as(role, undefined, name), /may use no schema.*3F000/)
})

test("a database that is set to read only: a service does not start, and a change says so", async () => {
  const role = await createRole("SUPERUSER")
  await runSql(url, `ALTER ROLE ${role} SET default_transaction_read_only = on`)
  const said = "is set to read only (default_transaction_read_only)"
  await expectRefused(["serve", "--port", "0"], as(role), said)
  await expectRefused(["account", "create", "--name", "Ann"], as(role), /set to read only.*25006/)
})

test("a full disk is named by the command that meets it", async () => {
  const db = await server.createDatabase()
  await expectDone(["account", "list"], db)
  await runSql(
    db,
    `CREATE FUNCTION fill_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$`,
  )
  const trigger = "CREATE TRIGGER fill_disk BEFORE INSERT ON accounts FOR EACH ROW EXECUTE FUNCTION"
  await runSql(db, `${trigger} fill_disk()`)
  const full = /disk of the database is full. Free some space. \(53100/
  await expectRefused(["account", "create", "--name", "Ann"], db, full)
  await expectDone(["account", "list"], db)
})

test("names of 200 characters are kept whole, longer ones are refused", async () => {
  const name = "ä".repeat(200)
  const { id } = await expectDone(["account", "create", "--name", name, "--json"], url)
  const key = await expectDone(["key", "create", "--account", id, "--name", name, "--json"], url)
  expect((await expectDone(["account", "show", id, "--json"], url)).name).toBe(name)
  const keys = await expectDone(["key", "list", "--account", id, "--json"], url)
  expect(keys).toMatchObject([{ id: key.id, name }])
  const { code, err } = await runCliForTest(["account", "create", "--name", `${name}ä`, "--db", url])
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("at most 200 characters") })
})

test.each([
  ["backup", "copy.db"],
  ["restore", "copy.db"],
])("%s with a URL names what PostgreSQL has for it", async (command, file) => {
  const stored = [command, as("ann", secret), "--db", join(dir, "x.db")]
  for (const argv of [[command, file, "--db", as("ann", secret)], stored]) {
    const { code, out, err } = await runCliForTest([...argv, "--json"])
    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(err).toContain("pg_basebackup")
    expect(err).toContain("point-in-time recovery")
    expect(err).not.toContain(secret)
  }
})

/** Runs a command that must fail with a message, and neither a stack nor a password. */
async function expectRefused(
  command: readonly string[],
  db: string,
  text: string | RegExp,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { code, out, err } = await runCliForTest([...command, "--db", db], { env })
  expect({ command, code, out }).toEqual({ command, code: 1, out: "" })
  expect(err).toMatch(/^penknife: .+\n$/)
  expect(err).toMatch(text)
  expect(err).not.toContain(secret)
  expect(err).not.toContain("password@")
}

async function expectDone(command: readonly string[], db: string) {
  const { code, out, err } = await runCliForTest([...command, "--db", db])
  expect({ code, err: err.replace(/^No accounts.*\n/, "") }).toEqual({ code: 0, err: "" })
  return command.includes("--json") ? JSON.parse(out) : out
}

/** The test's database with another user, password or database. */
function as(user: string, password = "password", database?: string): string {
  const changed = new URL(url)
  changed.username = user
  changed.password = password
  if (database !== undefined) changed.pathname = `/${database}`
  return changed.href
}

async function createRole(options = ""): Promise<string> {
  const role = `penknife_role_${process.pid}_${++roles}`
  await runSql(url, `CREATE ROLE ${role} LOGIN PASSWORD 'password' ${options}`)
  return role
}
