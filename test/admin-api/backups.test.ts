/** Backups over the admin API and on the command line: only in the operator's directory, beside calls that go on. */
import { expect, test } from "bun:test"
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { HttpFailure } from "../../src/ports/http-client.ts"
import { adminClient, adminOf, createTestAdminKey } from "../support/admin.ts"
import { runLine, runLineJson, scripted } from "../support/admin-cli.ts"
import { ownCommand, pretendCommand } from "../support/own-command.ts"
import { usePostgres } from "../support/postgres.ts"
import { startTestService } from "../support/service.ts"
import { tempDir } from "../support/temp.ts"

const dir = tempDir()
const postgres = usePostgres()
let folders = 0

async function withFolder(runOwnCommand = ownCommand) {
  const backupDir = join(dir, `backups-${folders++}`)
  mkdirSync(backupDir)
  const service = await startTestService({ flags: { backupDir }, runOwnCommand })
  return { service, backupDir, admin: await adminOf(service) }
}

test("a backup is made while calls go on, listed, verified, and has its audit record", async () => {
  const { service, backupDir, admin } = await withFolder()
  const { key } = await service.createKey("pro")
  const making = admin("POST", "/backups")
  const call = () => service.fetch("/v1/bluetoothlookup?companyid=76", { key })
  expect((await call()).status).toBe(200)
  const made = await making
  expect(made).toMatchObject({ status: 201, body: { accounts: 1, keys: 1 } })
  const name = String(made.body.name)
  expect(name).toMatch(/^penknife-\d{8}T\d{6}Z-[0-9a-f]{8}\.db$/)
  expect(readdirSync(backupDir).filter((file) => file.endsWith(".db"))).toEqual([name])

  const { bytes, made: at } = made.body
  expect((await admin("GET", "/backups")).body.data).toEqual([{ name, bytes, made: at }])
  const before = readFileSync(join(backupDir, name))
  expect((await admin("GET", `/backups/${name}/verify`)).body).toEqual(made.body)
  expect(readFileSync(join(backupDir, name)).equals(before)).toBe(true)
  expect((await admin("GET", "/audit?operation=backups.create")).body.data).toMatchObject([
    { target: name, after: { name } },
  ])
})

test("the health of the service says how old the newest backup is", async () => {
  const { service, backupDir, admin } = await withFolder()
  const age = async () => {
    const { last_backup, last_backup_age_seconds } = (await admin("GET", "/health")).body
    return [last_backup, last_backup_age_seconds]
  }
  expect(await age()).toEqual([null, null])
  const file = join(backupDir, "old.db")
  writeFileSync(file, "SQLite")
  const madeMs = service.clock.now() - 90_000
  utimesSync(file, madeMs / 1_000, madeMs / 1_000)
  expect(await age()).toEqual([new Date(madeMs).toISOString(), 90])
})

test("a list goes on where its page ended", async () => {
  const { backupDir, admin } = await withFolder()
  for (const name of ["a.db", "b.db", "c.db"]) {
    writeFileSync(join(backupDir, name), "SQLite")
    utimesSync(join(backupDir, name), 1, 1)
  }
  const first = (await admin("GET", "/backups?limit=2")).body
  expect(first).toMatchObject({ data: [{ name: "c.db" }, { name: "b.db" }], has_more: true })
  const second = (await admin("GET", `/backups?limit=2&after=${first.next}`)).body
  expect(second).toMatchObject({ data: [{ name: "a.db" }], has_more: false, next: null })
})

test("names with a path, links and other files are refused, and nothing is overwritten", async () => {
  const { service, backupDir, admin } = await withFolder()
  const others = "../out.db /tmp/out.db a/b.db .hidden.db -x.db x a\0.db".split(" ")
  for (const name of [...others, `${"a".repeat(100)}.db`]) {
    const answer = await admin("POST", "/backups", { body: { name } })
    expect([name, answer.status, answer.body.parameter]).toEqual([name, 400, "name"])
    const verified = await admin("GET", `/backups/${encodeURIComponent(name)}/verify`)
    expect([name, verified.status]).toEqual([name, 400])
    const sent = await admin("GET", `/backups/${encodeURIComponent(name)}/file`)
    expect([name, sent.status]).toEqual([name, 400])
  }
  symlinkSync(service.db, join(backupDir, "link.db"))
  mkdirSync(join(backupDir, "folder.db"))
  writeFileSync(join(backupDir, "kept.db"), "kept")
  writeFileSync(join(backupDir, "notes.txt"), "notes")
  writeFileSync(join(backupDir, "being-made.db"), "")
  expect((await admin("GET", "/backups")).body.data).toMatchObject([{ name: "kept.db" }])
  for (const name of ["link.db", "folder.db", "kept.db"])
    expect([name, (await admin("POST", "/backups", { body: { name } })).status]).toEqual([name, 409])
  for (const name of ["link.db", "folder.db", "being-made.db", "none.db"]) {
    expect([name, (await admin("GET", `/backups/${name}/verify`)).status]).toEqual([name, 404])
    expect([name, (await admin("GET", `/backups/${name}/file`)).status]).toEqual([name, 404])
  }
  // An operator may have set the directory of the data file, or a second name for it.
  linkSync(service.db, join(backupDir, "data.db"))
  expect((await admin("GET", "/backups/data.db/file")).status).toBe(404)
  const damaged = await admin("GET", "/backups/kept.db/verify")
  expect([damaged.status, damaged.body.detail]).toEqual([
    409,
    expect.stringContaining("is damaged, or not a data file"),
  ])
  expect(readFileSync(join(backupDir, "kept.db"), "utf8")).toBe("kept")
  for (const operation of ["create", "download"])
    expect((await admin("GET", `/audit?operation=backups.${operation}`)).body.data).toEqual([])
})

test("a backup is downloaded whole by who may do that, and each download has its audit record", async () => {
  const { service, backupDir, admin } = await withFolder(pretendCommand)
  const { name } = (await admin("POST", "/backups")).body
  const may = async (...permissions: string[]) => {
    const { key } = (await admin("POST", "/admins", { body: { name: "robot", may: permissions } })).body
    return fetch(`${service.url}/admin/v1/backups/${name}/file`, { headers: { "x-admin-key": String(key) } })
  }
  const refused = await may("backups.read", "backups.write")
  expect([refused.status, await refused.json()]).toEqual([
    403,
    expect.objectContaining({ detail: "This needs the permission 'backups.download'." }),
  ])
  expect((await admin("GET", "/audit?operation=backups.download")).body.data).toEqual([])

  const file = readFileSync(join(backupDir, String(name)))
  for (const answer of [await may("backups.download"), await may("*")]) {
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "content-disposition": `attachment; filename="${name}"`,
      "cache-control": "no-store",
    })
    expect(file.equals(await answer.bytes())).toBe(true)
  }
  const record = { target: name, actor_name: "robot", after: { name, bytes: file.length } }
  expect((await admin("GET", "/audit?operation=backups.download")).body.data).toMatchObject([record, record])
})

test("a download goes on to its end when the backup is deleted meanwhile", async () => {
  const { service, backupDir } = await withFolder()
  const { key } = await createTestAdminKey(service.db)
  // More than the sockets hold.
  const bytes = Buffer.alloc(40_000_000, "SQLite")
  writeFileSync(join(backupDir, "large.db"), bytes)
  const headers = { "x-admin-key": key }
  const answer = await fetch(`${service.url}/admin/v1/backups/large.db/file`, { headers })
  unlinkSync(join(backupDir, "large.db"))
  expect(bytes.equals(await answer.bytes())).toBe(true)
})

test("there is one backup at a time, and a copy that fails says why and leaves nothing", async () => {
  const begun = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const { backupDir, admin } = await withFolder(async () => {
    begun.resolve()
    await ended.promise
    return { exitCode: 1, output: "", errors: "penknife: No space is left on the disk.\n" }
  })
  const first = admin("POST", "/backups")
  await begun.promise
  const second = await admin("POST", "/backups")
  const detail = "A backup is being made. Wait until it is finished."
  expect([second.status, second.body.detail]).toEqual([409, detail])
  ended.resolve()
  expect(await first).toMatchObject({ status: 503, body: { detail: "No space is left on the disk." } })
  expect(readdirSync(backupDir).filter((file) => file.endsWith(".db"))).toEqual([])
})

test("the same Idempotency-Key makes one backup", async () => {
  const { backupDir, admin } = await withFolder(pretendCommand)
  const headers = { "idempotency-key": "nightly" }
  const first = await admin("POST", "/backups", { headers })
  const second = await admin("POST", "/backups", { headers })
  expect([second.status, second.headers.get("idempotent-replayed")]).toEqual([201, "true"])
  expect(second.body).toEqual(first.body)
  expect(readdirSync(backupDir).filter((file) => file.endsWith(".db")).length).toBe(1)
})

test("without a directory, in a missing one, and on PostgreSQL the operations say what to do", async () => {
  const missing = join(dir, "missing")
  const cases = [
    [{}, "Set it with --backup-dir"],
    [{ backupDir: missing }, "Create it, or set another --backup-dir"],
    [{ backupDir: dir, db: await postgres.createDatabase() }, "pg_basebackup"],
  ] as const
  for (const [flags, advice] of cases) {
    mkdirSync(missing)
    const service = await startTestService({ flags, runOwnCommand: ownCommand })
    // The start needs it; a disk may be away later.
    rmSync(missing, { recursive: true, force: true })
    const { key } = await createTestAdminKey(service.config.db)
    const admin = adminClient(service.url, key)
    for (const [method, path] of [
      ["POST", "/backups"],
      ["GET", "/backups"],
      ["GET", "/backups/a.db/verify"],
      ["GET", "/backups/a.db/file"],
    ] as const) {
      const { status, body } = await admin(method, path)
      expect([path, status, body.detail]).toEqual([path, 409, expect.stringContaining(advice)])
    }
    expect((await admin("GET", "/health")).body.last_backup).toBeNull()
  }
})

test("the commands work on a data file and on a service", async () => {
  const { service, backupDir } = await withFolder()
  const { key } = await createTestAdminKey(service.db)
  const remote = `--server ${service.url} --admin-key ${key}`
  for (const place of [`--db ${service.db} --backup-dir ${backupDir}`, remote]) {
    const { name } = await runLineJson(`backups create ${place}`)
    expect(existsSync(join(backupDir, name))).toBe(true)
    expect((await runLineJson(`backups verify ${name} ${place}`)).name).toBe(name)
    const names = (await runLineJson(`backups list ${place}`)).map((file: { name: string }) => file.name)
    expect(names).toContain(name)

    const to = join(dir, `downloaded-${folders++}.db`)
    const { bytes } = await runLineJson(`backups download ${name} --to ${to} ${place}`)
    expect(readFileSync(to).equals(readFileSync(join(backupDir, name)))).toBe(true)
    expect([statSync(to).size, statSync(to).mode & 0o777]).toEqual([bytes, 0o600])
    const again = await runLine(`backups download ${name} --to ${to} ${place}`)
    expect([again.code, again.err]).toEqual([2, expect.stringContaining("it is not overwritten")])
    const none = await runLine(`backups download none.db --to ${join(dir, "none.db")} ${place}`)
    expect([none.code, none.err]).toEqual([1, expect.stringContaining("There is no backup 'none.db'")])
    expect(readdirSync(dir).filter((file) => /none|partial/.test(file))).toEqual([])
  }
  const { code, err } = await runLine(`backups verify ../x.db --db ${service.db} --backup-dir ${backupDir}`)
  expect([code, err]).toEqual([2, expect.stringContaining("must be a file name without a path")])
})

test("a download that breaks off leaves nothing and says so", async () => {
  async function* pieces() {
    yield Buffer.from("SQLite")
    throw new HttpFailure("broken", "The socket was closed", null)
  }
  const httpClient = {
    ...scripted().httpClient,
    open: async () => ({ status: 200, headers: new Headers(), pieces: pieces() }),
  }
  const to = join(dir, "broken.db")
  const { code, err } = await runLine(
    `backups download a.db --to ${to} --server http://127.0.0.1 --admin-key pka-x`,
    { httpClient },
  )
  expect([code, err]).toEqual([1, expect.stringContaining("The connection broke after 6 bytes")])
  expect(readdirSync(dir).filter((file) => file.includes("broken"))).toEqual([])
})
