/** The archives and checksums that `build:all` makes. */
import { beforeAll, expect, test } from "bun:test"
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { unzipSync } from "fflate"
import { makeArchives } from "../scripts/archives.ts"
import { tempDir } from "./support/temp.ts"

const dir = tempDir()
const targets = ["linux-x64", "windows-x64"]
const texts = { LICENSE: "the licence", "THIRD-PARTY-NOTICES.txt": "the notices" }

async function make(name: string): Promise<string> {
  const folder = join(dir, name)
  mkdirSync(folder)
  writeFileSync(join(folder, "penknife-linux-x64"), "for Linux", { mode: 0o755 })
  writeFileSync(join(folder, "penknife-windows-x64.exe"), "for Windows", { mode: 0o755 })
  await makeArchives(folder, targets, texts)
  return folder
}

let made = ""
beforeAll(async () => {
  made = await make("made")
})

test("an archive unpacks to one folder with an executable that can be run, and its licences", async () => {
  const unpacked = join(dir, "unpacked")
  mkdirSync(unpacked)
  const tar = Bun.spawn(["tar", "-xzf", join(made, "penknife-linux-x64.tar.gz"), "-C", unpacked])
  expect(await tar.exited).toBe(0)
  const folder = join(unpacked, "penknife-linux-x64")
  expect(readdirSync(unpacked)).toEqual(["penknife-linux-x64"])
  expect(readdirSync(folder).sort()).toEqual(["LICENSE", "THIRD-PARTY-NOTICES.txt", "penknife"])
  expect(readFileSync(join(folder, "penknife"), "utf8")).toBe("for Linux")
  expect(readFileSync(join(folder, "LICENSE"), "utf8")).toBe("the licence")
  expect(statSync(join(folder, "penknife")).mode & 0o777).toBe(0o755)
  expect(statSync(join(folder, "LICENSE")).mode & 0o777).toBe(0o644)
})

test("the one for Windows is a zip with an .exe", () => {
  const files = unzipSync(readFileSync(join(made, "penknife-windows-x64.zip")))
  const folder = "penknife-windows-x64"
  const names = ["LICENSE", "THIRD-PARTY-NOTICES.txt", "penknife.exe"].map((name) => `${folder}/${name}`)
  expect(Object.keys(files).sort()).toEqual(names)
  expect(Buffer.from(files[`${folder}/penknife.exe`] ?? []).toString()).toBe("for Windows")
})

test("SHA256SUMS has a line for each executable and archive, as sha256sum writes and checks them", () => {
  const lines = readFileSync(join(made, "SHA256SUMS"), "utf8").trim().split("\n")
  const names = ["linux-x64", "linux-x64.tar.gz", "windows-x64.exe", "windows-x64.zip"]
  const sumOf = (name: string) =>
    new Bun.CryptoHasher("sha256").update(readFileSync(join(made, name))).digest("hex")
  expect(lines).toEqual(names.map((end) => `${sumOf(`penknife-${end}`)}  penknife-${end}`))
})

test("the same files give the same bytes", async () => {
  const again = await make("again")
  const sums = (folder: string) => readFileSync(join(folder, "SHA256SUMS"), "utf8")
  expect(sums(again)).toBe(sums(made))
})
