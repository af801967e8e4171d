/** The commands for APIs of an operator's own. */
import { expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { runCliForTest } from "./support/cli.ts"
import { apiSource, folderOf, writeFiles } from "./support/own-apis.ts"
import { program } from "./support/own-command.ts"
import { runProgram } from "./support/run-program.ts"
import { tempDir } from "./support/temp.ts"

test("a new API works as it is written, and its types are those of the program", async () => {
  const apis = join(tempDir(), "apis")
  const made = await runCliForTest(["api", "new", "hello", "--apis", apis])
  expect(made).toMatchObject({ code: 0, err: "", out: expect.stringContaining(join(apis, "hello/index.ts")) })
  const result = await runCliForTest(["api", "check", apis])
  expect(result).toEqual({ code: 0, err: "", out: "hello: 1 example is right.\n" })
  const called = await runCliForTest(["call", "hello", "--apis", apis, "--text", "one two", "--json"])
  expect(called).toEqual({ code: 0, err: "", out: '{"words":2,"longest":3}\n' })
  const tsc = join(import.meta.dir, "../node_modules/typescript/bin/tsc")
  expect(Bun.spawnSync([process.execPath, tsc, "-p", apis]).stdout.toString()).toBe("")
  // A second one keeps the settings of the first.
  writeFiles(apis, { "tsconfig.json": "{}" })
  expect((await runCliForTest(["api", "new", "second", "--apis", apis, "--json"])).out).toBe(
    `${JSON.stringify({ files: [join(apis, "second/index.ts")] })}\n`,
  )
  expect(readFileSync(join(apis, "tsconfig.json"), "utf8")).toBe("{}")
}, 300_000)

test.each([
  ["Hello", "The name 'Hello' cannot be used"],
  ["../up", "The name '../up' cannot be used"],
  ["hmac", "The name 'hmac' cannot be used: the id 'hmac' belongs to another API"],
  ["usage", "The name 'usage' cannot be used: the id 'usage' would take the path /v1/usage from the service"],
])("the name %s is refused", async (name, message) => {
  const apis = join(tempDir(), "apis")
  const refused = await runCliForTest(["api", "new", name, "--apis", apis])
  expect(refused).toEqual({ code: 1, out: "", err: expect.stringContaining(message) })
  expect(existsSync(apis)).toBe(false)
})

test("an API with a package is refused with the command that bundles it, and works when it is bundled", async () => {
  const source = apiSource("shout", {
    first: 'import { louder } from "louder"',
    ...{ run: "return { shouted: louder(text) }", shouted: "HELLO!" },
  })
  const folder = folderOf({
    "node_modules/louder/package.json": '{ "name": "louder", "main": "index.js" }',
    "node_modules/louder/index.js": 'exports.louder = (text) => text.toUpperCase() + "!"',
    "src/shout.ts": source,
  })
  // Run from its sources the program would find the package beside it, as the executable does not.
  const unbundled = folderOf({
    "shout/index.ts": source,
    "required/index.ts": 'export default require("louder")',
  })
  const wrong = await runCliForTest(["api", "check", unbundled])
  expect(wrong.code).toBe(1)
  const apis = join(folder, "apis")
  for (const api of ["shout", "required"])
    expect(wrong.err).toContain(
      `${api}/index.ts imports the package 'louder', which is not found by its name. Bundle it: bun build SOURCE.ts --target=bun --external penknife/plugin --outfile ${join(unbundled, api)}/index.js`,
    )
  const given = readFileSync(join(import.meta.dir, "../docs/own-apis.md"), "utf8")
  const [, command = ""] = /^bun (build .*wordcount.*)$/m.exec(given) ?? []
  const argv = command.replaceAll("wordcount", "shout").split(" ")
  const bundled = Bun.spawnSync([process.execPath, ...argv], { cwd: folder, stderr: "pipe" })
  expect(bundled.stderr.toString()).toBe("")
  rmSync(join(folder, "node_modules"), { recursive: true })
  const right = { ...{ code: 0, err: "" }, out: "shout: 1 example is right.\n" }
  expect(await runCliForTest(["api", "check", apis])).toEqual(right)
})

test("check says what is wrong and goes on with the others", async () => {
  const apis = folderOf({
    "good/index.ts": apiSource("good"),
    "wrong/index.ts": apiSource("wrong", { shouted: "HELLo" }),
  })
  expect(await runCliForTest(["api", "check", apis])).toEqual({
    code: 1,
    out: "good: 1 example is right.\n",
    err: expect.stringMatching(
      /wrong\/index\.ts:12: the example 'One word' is wrong.*1 of 2 APIs cannot be used/s,
    ),
  })
  const asJson = await runCliForTest(["api", "check", apis, "--json"])
  expect(JSON.parse(asJson.out)).toMatchObject({ usable: [{ id: "good" }], problems: [{ name: "wrong" }] })
  const listed = await runCliForTest(["api", "list", "--apis", apis, "--json"])
  expect(JSON.parse(listed.out).slice(-2)).toEqual([
    { id: "good", title: "Shout", method: "POST", credits: 1, origin: "own" },
    { id: "wrong", origin: "refused" },
  ])
  // Another command leaves it out and says so.
  const document = await runCliForTest(["openapi", "--apis", apis])
  expect(Object.keys(JSON.parse(document.out).paths)).toContain("/v1/good")
  expect(document.err).toContain("This API is left out")
  expect(JSON.stringify(Object.keys(JSON.parse(document.out).paths))).not.toContain("wrong")
  expect((await runCliForTest(["schema", "--apis", apis])).out).toContain("input: GoodInput!")
})

test("a folder without an API says how to make one", async () => {
  const empty = tempDir()
  expect(await runCliForTest(["api", "check", empty])).toEqual({
    code: 1,
    out: "",
    err: expect.stringContaining("has no folder with an index.ts. Make one with 'penknife api new NAME'."),
  })
})

test("a command leaves no copy of the folder behind", async () => {
  const temporary = tempDir()
  const apis = folderOf({ "good/index.ts": apiSource("good") })
  const command = [...program, "call", "good", "--apis", apis, "--text", "a"]
  const { out, err, code } = await runProgram(command, { env: { ...process.env, TMPDIR: temporary } })
  expect({ out: JSON.parse(out), err, code }).toEqual({ out: { shouted: "A" }, err: "", code: 0 })
  expect(readdirSync(temporary).filter((name) => name.startsWith("penknife-apis-"))).toEqual([])
}, 300_000)
