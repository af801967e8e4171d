import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { existsSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { tempDir } from "../../../test/support/temp.ts"
import { createManualTimer } from "../../../test/support/timer.ts"
import { toAdminFault } from "../../admin/administration.ts"
import { ReadRefused, StoreUnavailable } from "../store.ts"
import { noWatch } from "./file-watch.ts"
import { createReads } from "./read.ts"
import { aliveAt } from "./statement.ts"

const dir = tempDir()
let files = 0

/** Counts for ever, and asks whether it may. */
const endless = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n WHERE ${aliveAt("i")}`
/** Takes about a second, and does not ask. */
const deaf =
  "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 8000000) SELECT count(*) FROM n"

function setUp(more: { watch?: typeof noWatch } = {}) {
  const file = join(dir, `reads-${++files}.db`)
  const writer = new Database(file)
  writer.run("PRAGMA journal_mode = WAL")
  writer.run("CREATE TABLE a (id INTEGER PRIMARY KEY, text TEXT)")
  const timer = createManualTimer()
  const warnings: string[] = []
  const log = { warn: (message: string) => warnings.push(message) }
  const reads = createReads(file, { timer, watch: noWatch, log, ...more })
  const end = async () => {
    await reads.stop()
    writer.close()
  }
  return { file, writer, timer, warnings, ...reads, [Symbol.asyncDispose]: end }
}

test("sees what was committed before, and answers several reads in their order", async () => {
  await using set = setUp()
  const { read, writer, timer } = set
  writer.run("INSERT INTO a VALUES (1, 'ä'), (2, NULL)")
  const [all, one, none] = await Promise.all([
    read("SELECT * FROM a ORDER BY id", []),
    read("SELECT text FROM a WHERE id = $1::bigint AND text = $2::text", [1, "ä"]),
    read("SELECT id::float8 AS id FROM a WHERE id > $1::bigint", [2]),
  ])
  const rows = [1, 2].map((id) => ({ id, text: id === 1 ? "ä" : null }))
  expect([all, one, none]).toEqual([rows, [{ text: "ä" }], []])
  writer.run("DELETE FROM a")
  expect(await read("SELECT * FROM a", [])).toEqual([])
  expect(timer.waiting).toEqual([])
})

test("a read that takes too long is ended and says so; meanwhile changes are committed, and the next read works", async () => {
  await using set = setUp()
  const { read, writer, timer, warnings } = set
  const late = read(endless, [])
  await timer.asked()
  expect(timer.waiting).toEqual([2_000])
  for (let n = 0; n < 100; n++) writer.run("INSERT INTO a VALUES (NULL, 'x')")
  const next = read<{ n: number }>("SELECT count(*) AS n FROM a", [])
  timer.fire()
  await expect(late).rejects.toThrow(ReadRefused)
  await expect(late).rejects.toThrow("longer than 2 s")
  expect(await next).toEqual([{ n: 100 }])
  expect(warnings).toEqual([])
})

test("a read that cannot be ended is left alone, with a warning, and another thread goes on", async () => {
  await using set = setUp()
  const { read, timer, warnings } = set
  const late = read(deaf, [])
  await timer.asked()
  timer.fire()
  timer.fire()
  await expect(late).rejects.toThrow(ReadRefused)
  expect(warnings).toEqual(["a read could not be ended; its thread is left alone"])
  expect(await read("SELECT 1 AS one", [])).toEqual([{ one: 1 }])
})

test("nothing can be changed, mistakes are told as such, and a damaged file as unavailable", async () => {
  await using set = setUp()
  const { file, read, renew } = set
  await expect(read("INSERT INTO a VALUES (1, 'x')", [])).rejects.toThrow("SQLITE_READONLY")
  const mistake = read("SELECT missing FROM a", [])
  await expect(mistake).rejects.toThrow("no such column")
  await expect(mistake).rejects.not.toThrow(StoreUnavailable)
  expect(await read("SELECT * FROM a", [])).toEqual([])
  for (const end of ["-wal", "-shm"]) renameSync(file + end, `${file}.old${end}`)
  writeFileSync(`${file}.other`, "no database ".repeat(100))
  renameSync(`${file}.other`, file)
  await renew()
  await expect(read("SELECT * FROM a", [])).rejects.toThrow(StoreUnavailable)
})

test("after the file was replaced, the next read opens the new one", async () => {
  await using set = setUp()
  const { file, read, renew } = set
  await read("SELECT * FROM a", [])
  const other = new Database(`${file}.other`)
  other.run("CREATE TABLE a (id INTEGER PRIMARY KEY, text TEXT)")
  other.run("INSERT INTO a VALUES (7, 'new')")
  other.close()
  for (const end of ["-wal", "-shm"]) renameSync(file + end, `${file}.old${end}`)
  renameSync(`${file}.other`, file)
  expect(await read("SELECT * FROM a", [])).toEqual([])
  await renew()
  expect(await read("SELECT * FROM a", [])).toEqual([{ id: 7, text: "new" }])
})

test("nothing is read while the file is missing", async () => {
  const require = () => {
    throw new StoreUnavailable("the file was deleted")
  }
  await using set = setUp({ watch: { ...noWatch, require } })
  await expect(set.read("SELECT 1", [])).rejects.toThrow("the file was deleted")
})

test("more reads than a queue has room for are refused, and the end ends the read under way", async () => {
  await using set = setUp()
  const { read, stop, timer } = set
  const all = Array.from({ length: 257 }, () => read(endless, []).catch((cause) => cause))
  const refused = await all.at(-1)
  expect(refused).toBeInstanceOf(ReadRefused)
  expect(toAdminFault(refused)).toMatchObject({
    code: "unavailable",
    message: "Too many lists and searches wait for the data file. Ask again in a moment.",
  })
  await timer.asked()
  await stop()
  const causes = await Promise.all(all)
  expect(causes[0]).toBeInstanceOf(ReadRefused)
  expect(String(causes[1])).toContain("is closed")
  expect(timer.waiting).toEqual([])
})

test("stopping closes the file, so that no log is left beside it", async () => {
  const { file, writer, read, stop } = setUp()
  writer.run("INSERT INTO a VALUES (1, 'erased')")
  expect(await read("SELECT id FROM a", [])).toEqual([{ id: 1 }])
  await stop()
  writer.close()
  expect(existsSync(`${file}-wal`)).toBe(false)
})
