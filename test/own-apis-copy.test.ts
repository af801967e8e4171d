/** The copy of a folder of own APIs that is loaded. */
import { expect, test } from "bun:test"
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import { copyFolder } from "../src/plugins/copy-folder.ts"
import { folderOf, writeFiles } from "./support/own-apis.ts"

test("it has every file whole, without packages, hidden files and pipes", async () => {
  const large = "0123456789abcdef".repeat(50_000)
  const folder = folderOf({
    "a/index.ts": "1",
    "a/deep/er.json": large,
    "node_modules/b/index.js": "2",
    ".git/c": "3",
  })
  Bun.spawnSync(["mkfifo", join(folder, "a/pipe")])
  const copy = await copyFolder(folder)
  expect(readdirSync(copy.folder)).toEqual(["a"])
  expect(readdirSync(join(copy.folder, "a")).sort()).toEqual(["deep", "index.ts"])
  expect(readFileSync(join(copy.folder, "a/deep/er.json"), "utf8")).toBe(large)
  copy.remove()
  expect(() => readdirSync(copy.folder)).toThrow("ENOENT")
})

test("its fingerprint is that of the files and their names", async () => {
  const folder = folderOf({ "a/index.ts": "1" })
  const fingerprint = async () => {
    const copy = await copyFolder(folder)
    copy.remove()
    return copy.fingerprint
  }
  const first = await fingerprint()
  expect(await fingerprint()).toBe(first)
  writeFiles(folder, { "a/index.ts": "2" })
  const second = await fingerprint()
  expect(second).not.toBe(first)
  rmSync(join(folder, "a/index.ts"))
  writeFiles(folder, { "a/index.js": "2" })
  expect([first, second]).not.toContain(await fingerprint())
})

test("files that change all the time make it begin again, and are refused in the end", async () => {
  const nameOf = (change: number) => String(change).padStart(9, "0")
  const folder = folderOf({ "a/index.ts": "x".repeat(2_000_000), "a/last.ts": nameOf(0) })
  const last = openSync(join(folder, "a/last.ts"), "r+")
  let isChanging = true
  let changes = 0
  const edits = (async () => {
    while (isChanging) {
      // In one step: a file that is emptied first would be read as the same each time.
      writeSync(last, nameOf(++changes), 0)
      await new Promise((resolve) => setImmediate(resolve))
    }
  })()
  await expect(copyFolder(folder)).rejects.toThrow(
    `The folder ${folder} cannot be read: its files change while they are read; try again when they stay the same.`,
  )
  isChanging = false
  await edits
  closeSync(last)
  const copy = await copyFolder(folder)
  expect(readFileSync(join(copy.folder, "a/last.ts"), "utf8")).toBe(nameOf(changes))
  copy.remove()
})

test("a folder that is missing, and a file in its place, are said with what to change", async () => {
  const folder = folderOf({ "a/index.ts": "1" })
  await expect(copyFolder(join(folder, "none"))).rejects.toThrow(
    `The folder ${join(folder, "none")} cannot be read: it does not exist. Check the path, or create the folder.`,
  )
  await expect(copyFolder(join(folder, "a/index.ts"))).rejects.toThrow(
    "cannot be read: it is a file. Name the folder that the file is in.",
  )
})

test("a link that leads to itself is named", async () => {
  const folder = folderOf({ "a/index.ts": "1" })
  symlinkSync(join(folder, "a/link.ts"), join(folder, "a/link.ts"))
  const message = "a/link.ts is a link that leads back to itself. Remove it."
  await expect(copyFolder(folder)).rejects.toThrow(message)
})

test("a link to nothing is named", async () => {
  const folder = folderOf({ "a/index.ts": "1" })
  symlinkSync(join(folder, "nothing"), join(folder, "a/link.ts"))
  await expect(copyFolder(folder)).rejects.toThrow(
    /cannot be read: .*a\/link\.ts is missing, or a link to nothing\. Remove the link, or make its target\.$/,
  )
})

test.each([
  [
    "bytes",
    "holds 60 MB; 50 MB are allowed",
    (folder: string) => writeFileSync(join(folder, "big"), new Uint8Array(60_000_000)),
  ],
  ["files", "holds 10001 files; 10000 are allowed", manyFiles],
])("too many %s are refused", async (_, message, fill) => {
  const folder = folderOf({})
  fill(folder)
  await expect(copyFolder(folder)).rejects.toThrow(message)
})

/** 73 files that are found in 137 places: links are followed. */
function manyFiles(folder: string): void {
  mkdirSync(join(folder, "many"))
  for (let file = 0; file < 73; file++) writeFileSync(join(folder, "many", String(file)), "")
  for (let link = 1; link < 137; link++) symlinkSync(join(folder, "many"), join(folder, `link-${link}`))
}
