import { expect, test } from "bun:test"
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { tempDir } from "../../test/support/temp.ts"
import { createConfigSource } from "./file.ts"
import { loadConfig } from "./load.ts"

function newFile(text: string) {
  const dir = tempDir()
  const name = join(dir, "penknife.toml")
  writeFileSync(name, text)
  return { dir, name, source: createConfigSource(name, (file) => loadConfig({ flags: {}, env: {}, file })) }
}

test("a file that is a symbolic link stays one", () => {
  const { dir, name, source } = newFile("")
  rmSync(name)
  mkdirSync(join(dir, "real"))
  writeFileSync(join(dir, "real/other.toml"), "max_calls = 1\n")
  symlinkSync(join(dir, "real/other.toml"), name)
  source.replaceText("max_calls = 1\n", "max_calls = 2\n")
  expect(lstatSync(name).isSymbolicLink()).toBe(true)
  expect(readFileSync(join(dir, "real/other.toml"), "utf8")).toBe("max_calls = 2\n")
})

test("a file with another text than the expected one stays, and nothing is left beside it", () => {
  const { dir, name, source } = newFile("max_calls = 1\n")
  expect(() => source.replaceText("max_calls = 9\n", "max_calls = 2\n")).toThrow("was changed meanwhile")
  expect([readFileSync(name, "utf8"), readdirSync(dir)]).toEqual(["max_calls = 1\n", ["penknife.toml"]])
})

test("a file that is read-only, or gone, is refused with what to do", () => {
  const { name, source } = newFile("")
  chmodSync(name, 0o444)
  expect(() => source.requireReplaceable()).toThrow("Let the service's user write to it")
  expect(() => source.replaceText("", "a = 1\n")).toThrow("read-only")
  rmSync(name)
  expect(() => source.replaceText("", "a = 1\n")).toThrow("cannot be read")
})

test("a reader sees the whole old text or the whole new one", async () => {
  const [old, next] = ["1", "2"].map((digit) => `# ${digit.repeat(100_000)}\n`)
  const { name, source } = newFile(String(old))
  // Another process, so that it reads at any moment.
  const code = `const fs = require("fs"); let wrong = 0
    for (let count = 0; count < 100; count++) {
      const text = fs.readFileSync(${JSON.stringify(name)}, "utf8")
      if (text.length !== 100003 || new Set(text).size !== 4) wrong++
    }
    process.stdout.write("wrong: " + wrong)`
  const reader = Bun.spawn([process.execPath, "-e", code], { stdout: "pipe" })
  let [present, other] = [String(old), String(next)]
  while (reader.exitCode === null) {
    source.replaceText(present, other)
    ;[present, other] = [other, present]
    await new Promise(setImmediate)
  }
  expect(await reader.stdout.text()).toBe("wrong: 0")
})

test("a file that another process replaces all the while can be replaced at any moment", async () => {
  const { name, source } = newFile("max_calls = 1\n")
  const code = `const fs = require("fs"); const name = ${JSON.stringify(name)}
    process.stdout.write("begun")
    for (;;) {
      fs.writeFileSync(name + ".next", "max_calls = 1\\n")
      fs.renameSync(name + ".next", name)
    }`
  const other = Bun.spawn([process.execPath, "-e", code], { stdout: "pipe" })
  await other.stdout.getReader().read()
  for (let looks = 0; looks < 20_000; looks++) source.requireReplaceable()
  other.kill()
  await other.exited
})
