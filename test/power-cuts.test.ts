/** The parts of `bun run exactness powercuts`: they must find what they look for, or the trial says nothing. */
import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { checkImage } from "../scripts/exactness/power/check-image.ts"
import { createDisk } from "../scripts/exactness/power/disk.ts"
import { readRecord } from "../scripts/exactness/power/disk-record.ts"
import type { Call } from "../scripts/exactness/traffic.ts"
import { tempDir } from "./support/temp.ts"

const dir = tempDir()
const hex = (text: string) => text.replaceAll(/./g, (letter) => `\\x${letter.charCodeAt(0).toString(16)}`)
const file = `7<${hex("/data/a.db")}>`

/** A disk with a file of eight letters `o`, after the calls that `strace` recorded. */
const diskAfter = (...calls: string[]) => diskOf(calls.map((call, number) => `9 ${number}.5 ${call}`))

function diskOf(lines: readonly string[]) {
  const record = join(dir, "record")
  writeFileSync(record, lines.join("\n"))
  const disk = createDisk(new Map([["a.db", Buffer.from("oooooooo")]]), "data")
  for (const event of readRecord(record)) disk.apply(event)
  return disk
}

const write = (text: string, offset: number) =>
  `pwrite64(${file}, "${hex(text)}", ${text.length}, ${offset}) = ${text.length}`

test("a disk has what was flushed, and any version of each block since then", () => {
  const disk = diskAfter(write("aa", 0), `fdatasync(${file}) = 0`, write("bb", 1), write("cc", 1))
  const image = (kept: "all" | "nothing" | number, random: (below: number) => number) =>
    disk.image("a.db", kept, random)?.toString()
  expect(image("nothing", () => 0)).toBe("aaoooooo")
  expect(image("all", () => 0)).toBe("accooooo")
  const oldest = () => 0
  const newest = (below: number) => below - 1
  expect([image(2, oldest), image(2, newest), image(2, (below) => below - 2)]).toEqual([
    "aaoooooo",
    "accooooo",
    "abbooooo",
  ])
  let turn = 0
  expect(image(2, (below) => (turn++ === 0 ? 0 : below - 1))).toBe("aacooooo")
})

test("a flush is not for a write that had not ended when it began, and one that failed is for none", () => {
  const overlapping = `pwrite64(${file}, "${hex("bb")}", 2, 0 <unfinished ...>`
  const flush = `2 2.0 fdatasync(${file}) = 0`
  const disk = diskOf([`1     1.0 ${overlapping}`, flush, "1 3.0 <... pwrite64 resumed>) = 2"])
  expect(disk.image("a.db", "nothing", () => 0)?.toString()).toBe("oooooooo")
  // The second was ended by the kill.
  for (const end of ["-1 EIO (Input/output error)", "?"]) {
    const failed = diskAfter(write("aa", 0), `fdatasync(${file}) = ${end}`)
    expect(failed.image("a.db", "nothing", () => 0)?.toString()).toBe("oooooooo")
  }
})

test("a new file may be missing until its folder is flushed", () => {
  const create = `openat(AT_FDCWD<${hex("/data")}>, "${hex("/data/new")}", O_RDWR|O_CREAT, 0600) = 8<${hex("/data/new")}>`
  expect(diskAfter(create).image("new", "all", () => 0)).toBe(null)
  const flushed = diskAfter(create, `fsync(9<${hex("/data")}>) = 0`)
  expect(flushed.image("new", "all", () => 0)).toEqual(Buffer.alloc(0))
})

test("a record that is not understood is an error", () => {
  expect(() => diskAfter("pwrite64(7, ...")).toThrow("not understood")
  // The kill came before the call was read, so it was not carried out.
  const killed = diskAfter(
    write("aa", 0),
    "???( <unfinished ...>",
    "<... ??? resumed>) = ?",
    "+++ killed by SIGKILL +++",
  )
  expect(killed.image("a.db", "all", () => 0)?.toString()).toBe("aaoooooo")
  expect(() => diskAfter("???(7, 8) = 0")).toThrow("not understood")
})

test("an image that is damaged, lost a charge or has one too many is found", () => {
  const data = join(dir, "books.db")
  const database = new Database(data)
  database.run("CREATE TABLE ledger (account_id TEXT PRIMARY KEY, used INTEGER)")
  database.run("CREATE TABLE all_usage (account_id TEXT, credits INTEGER)")
  database.run("CREATE INDEX by_credits ON all_usage (credits)")
  database.run("INSERT INTO ledger VALUES ('acc_1', 2)")
  database.run("INSERT INTO all_usage VALUES ('acc_1', 2)")
  database.close()
  const bytes = readFileSync(data)
  const call = (endMs: number): Call => ({
    customer: { id: "acc_1", keyId: "", key: "" },
    ...{ instance: 0, cost: 1, startMs: endMs - 1, endMs, status: 200, failure: null, credits: 1 },
    ...{ isUncertain: false, isOfInstance: true },
  })
  const check = (calls: readonly Call[], image = bytes) => {
    const books = new Map<string, number>()
    const cutMs = performance.timeOrigin + 100
    return checkImage(join(dir, "image.db"), { data: image, log: null }, books, calls, cutMs)
  }
  expect(check([call(10), call(20)])).toEqual({ problem: null, oldestLostMs: null })
  const lost = check([call(10), call(20), call(30), call(40)])
  expect(lost).toEqual({ problem: null, oldestLostMs: performance.timeOrigin + 30 })
  expect(check([call(10)]).problem).toContain("acc_1 was charged 2, and its answers say 1 + 0")
  // Later calls prove nothing about this moment.
  expect(check([call(10), call(200)]).problem).toContain("was charged 2")
  const torn = Buffer.from(bytes)
  torn.fill(0, bytes.length - 4_096)
  expect(check([call(10), call(20)], torn).problem).toMatch(/damaged|cannot be opened/)
})
