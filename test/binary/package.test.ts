/** The npm package as it would be published, in a project with no other dependency. */
import { beforeAll, describe, expect, test } from "bun:test"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { runProgram } from "../support/run-program.ts"
import { tempDir } from "../support/temp.ts"
import { hasTurn, inTurn, isAll } from "../support/turns.ts"
import { until } from "../support/until.ts"

const root = join(import.meta.dir, "../..")
const dir = tempDir()
const modules = join(root, "node_modules")
const node = Bun.which("node") ?? "node"

/** Runs a command in a project, without a PATH, so that it finds only a Bun that is installed there. */
async function runIn(project: string, command: readonly string[], env: Record<string, string> = {}) {
  const ran = await runProgram(command, { cwd: project, env: { PATH: "", NO_COLOR: "1", HOME: dir, ...env } })
  return { ...ran, text: ran.out + ran.err }
}

/** A project with the package unpacked as npm does it, links instead of its dependencies, and programs that use it. */
async function makeProject(name: string, links: Readonly<Record<string, string>>): Promise<string> {
  const project = join(dir, name)
  const packages = join(project, "node_modules")
  mkdirSync(packages, { recursive: true })
  const unpack = Bun.spawn(["tar", "-xzf", tarball, "-C", packages])
  expect(await unpack.exited).toBe(0)
  cpSync(join(packages, "package"), join(packages, "penknife"), { recursive: true })
  for (const [link, target] of Object.entries(links)) symlinkSync(target, join(packages, link))
  const scripts = { "package.json": "{}", "as-module.mjs": asModule, "as-required.cjs": asRequired }
  for (const [file, text] of Object.entries(scripts)) writeFileSync(join(project, file), text)
  return project
}

const program = `
const mock = await startMock({ plan: "free" })
const answer = await fetch(mock.url + "/v1/bluetoothlookup?companyid=76", { headers: { "x-api-key": mock.key } })
const { status } = await fetch(mock.url + "/docs/hmac.graphql")
if (status !== 200) console.log("no GraphQL schema:", status)
console.log(answer.headers.get("x-api-current-plan"), (await answer.json()).data.company)
await mock.stop()`
const asModule = `import { startMock } from "penknife/mock"\n${program}`
const asRequired = `const { startMock } = require("penknife/mock");(async () => {${program}})()`
const printed = { code: 0, out: "free Apple, Inc.\n", err: "" }

let tarball = ""
let files: string[] = []
let project = ""

beforeAll(async () => {
  const npm = Bun.spawn(["npm", "pack", "--json", "--ignore-scripts", "--pack-destination", dir], {
    cwd: join(root, "dist/package"),
    stdout: "pipe",
    stderr: "ignore",
    env: { ...process.env, npm_config_offline: "true", npm_config_update_notifier: "false" },
  })
  expect(await npm.exited).toBe(0)
  tarball = join(dir, readdirSync(dir).find((name) => name.endsWith(".tgz")) ?? "")
  const listed = await Bun.spawn(["tar", "-tzf", tarball], { stdout: "pipe" }).stdout.text()
  files = listed.trim().split("\n").sort()
  project = await makeProject("project", { bun: join(modules, "bun") })
}, 300_000)

test("holds the listed files and nothing else", () => {
  const scripts = "cli.js mock.cjs mock.js penknife.js plugin.js".split(" ")
  const matchers = ["bun", "expect", "jest", "vitest"].flatMap((name) => [`${name}.js`, `${name}.d.ts`])
  const required = ["expect.cjs", "expect.d.cts", "jest.cjs", "jest.d.cts"]
  const ofMock = ["mock.d.cts", "mock.d.ts", "mock-options.d.cts", "mock-options.d.ts"]
  const types = [...ofMock, "package.json", "plugin.d.ts"]
  const modules = [...scripts, ...matchers, ...required, ...types]
  const expected = [
    ...["LICENSE", "README.md", "THIRD-PARTY-NOTICES.txt", "bunfig.toml", ...modules],
    ...["plugins/worker.js", "store/sqlite/checkpoint-thread.js", "store/sqlite/read-thread.js"],
    ...["time-zones.zst", "vendors.zst"],
  ].sort()
  const isChunk = (file: string) => /-[0-9a-z]{8}\.(?:js|zst|(?:js|css|svg)\.(?:br|gzip))$/.test(file)
  expect(files.filter((file) => !isChunk(file))).toEqual(expected.map((name) => `package/${name}`))
  expect(basename(tarball)).toMatch(/^penknife-\d+\.\d+\.\d+\.tgz$/)
  const mentionsThisMachine = files.filter((file) =>
    readFileSync(join(project, "node_modules/penknife", file.replace("package/", "")), "utf8").includes(root),
  )
  expect(mentionsThisMachine).toEqual([])
  const notices = readFileSync(join(project, "node_modules/penknife/THIRD-PARTY-NOTICES.txt"), "utf8")
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const names = Object.entries(dependencies).map(([name, version]) => `${name} ${version} (`)
  expect(names.filter((name) => !notices.includes(name))).toEqual([])
  expect(notices).toContain(
    "src/apis/bluetoothlookup/companies.json\n\nCopyright (c) 2019 - 2020, Nordic Semiconductor ASA",
  )
  expect(notices).not.toContain("astronomy-engine")
  const manifest = JSON.parse(readFileSync(join(project, "node_modules/penknife/package.json"), "utf8"))
  const { devDependencies, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  expect(manifest).toMatchObject({ name: "penknife", version, dependencies: { bun: devDependencies.bun } })
  expect(Object.keys(manifest.dependencies)).toEqual(["bun"])
  expect(manifest).not.toHaveProperty("private")
  expect(manifest).not.toHaveProperty("scripts")
})

const ways: readonly (readonly [string, string[]])[] = [
  ["in Node, imported", [node, "as-module.mjs"]],
  ["in Node, required", [node, "as-required.cjs"]],
  ["in Bun, imported", [process.execPath, "as-module.mjs"]],
]
test.each(inTurn(ways, 3))("starts a mock: %s", async (_how, command) =>
  expect(await runIn(project, command)).toMatchObject(printed),
)

test("starts a mock in Bun, required", async () => {
  const script = 'console.log(typeof require("penknife/mock").startMock)'
  const ran = await runIn(project, [process.execPath, "-e", script])
  expect(ran).toMatchObject({ code: 0, out: "function\n" })
})

test.if(hasTurn(0, 2))("starts a mock: whatever settings the project has for Bun", async () => {
  const own = await makeProject("own-bun", { bun: join(modules, "bun") })
  writeFileSync(join(own, "bunfig.toml"), 'preload = ["./gone.ts"]\n')
  writeFileSync(join(own, ".env"), "PENKNIFE_PLAN=gold\nPENKNIFE_MAX_BODY=none\n")
  expect(await runIn(own, [node, "as-module.mjs"])).toMatchObject(printed)
})

test.if(hasTurn(1, 2))("starts a mock: where install scripts were not run", async () => {
  const bare = await makeProject("no-scripts", {})
  const { optionalDependencies } = JSON.parse(readFileSync(join(modules, "bun/package.json"), "utf8"))
  const [platform = ""] = Object.keys(optionalDependencies)
  const file = process.platform === "win32" ? "bun.exe" : "bun"
  mkdirSync(join(bare, "node_modules", platform, "bin"), { recursive: true })
  writeFileSync(join(bare, "node_modules", platform, "package.json"), "{}")
  symlinkSync(process.execPath, join(bare, "node_modules", platform, "bin", file))
  mkdirSync(join(bare, "node_modules/bun/bin"), { recursive: true })
  cpSync(join(modules, "bun/package.json"), join(bare, "node_modules/bun/package.json"))
  writeFileSync(join(bare, "node_modules/bun/bin/bun.exe"), "echo not run >&2; exit 1\n", { mode: 0o755 })
  expect(await runIn(bare, [node, "as-module.mjs"])).toMatchObject(printed)
})

test("starts a mock with a Bun on the PATH, and without one says what to do", async () => {
  const bare = await makeProject("no-bun", {})
  const none = await runIn(bare, [node, "as-module.mjs"])
  expect(none.code).toBe(1)
  expect(none.err).toContain(
    "Error: penknife runs under Bun, which was not found: install the package 'bun', put Bun on the PATH, or set PENKNIFE_BIN",
  )
  const bin = join(bare, "bin")
  mkdirSync(bin)
  symlinkSync(process.execPath, join(bin, "bun"))
  expect(await runIn(bare, [node, "as-module.mjs"], { PATH: bin })).toMatchObject(printed)
})

test("the command runs the program and ends with its exit code", async () => {
  const cli = join(project, "node_modules/penknife/cli.js")
  const called = await runIn(project, [node, cli, "call", "bluetoothlookup", "--companyid", "76"])
  expect([called.code, JSON.parse(called.out).company]).toEqual([0, "Apple, Inc."])
  const wrong = await runIn(project, [node, cli, "mock", "--plan", "gold"])
  expect([wrong.code, wrong.out]).toEqual([2, ""])
  expect(wrong.err).toStartWith("penknife: --plan must be one of")

  const child = Bun.spawn([node, cli, "mock", "--port", "0", "--json"], { cwd: project, stdout: "pipe" })
  const { value } = await child.stdout.getReader().read()
  const { pid } = JSON.parse(new TextDecoder().decode(value))
  child.kill("SIGTERM")
  expect(await child.exited).toBe(0)
  if (process.platform === "linux") expect(existsSync(`/proc/${pid}`)).toBe(false)
})

test.each(inTurn(["npx", "the shell that started it"], 2))(
  "the test double ends when %s is killed",
  async (killed) => {
    if (process.platform !== "linux") return
    const links = join(project, "node_modules/.bin")
    mkdirSync(links, { recursive: true })
    if (!existsSync(join(links, "penknife"))) symlinkSync("../penknife/cli.js", join(links, "penknife"))
    const npx = "npx --no penknife mock --port 0 --json"
    // The second command keeps the shell from replacing itself by the first.
    const command = killed === "npx" ? npx.split(" ") : ["sh", "-c", `${npx}; true`]
    const env = { ...process.env, npm_config_offline: "true", npm_config_update_notifier: "false" }
    const child = Bun.spawn(command, { cwd: project, stdout: "pipe", env })
    const { value } = await child.stdout.getReader().read()
    const { pid } = JSON.parse(new TextDecoder().decode(value))
    expect(existsSync(`/proc/${pid}`)).toBe(true)
    child.kill("SIGKILL")
    await until(() => !existsSync(`/proc/${pid}`))
  },
)

test("its types hold in a module and for require, without those of Node", async () => {
  const types = join(dir, "types")
  mkdirSync(types)
  symlinkSync(join(project, "node_modules"), join(types, "node_modules"))
  const use = `
    export async function use(): Promise<number> {
      await using mock = await startMock({ plan: "free", tls: ["api.example.com"] })
      await mock.fault({ api: "hmac", status: 503, times: 2 })
      // @ts-expect-error: no such option
      await mock.fault({ stauts: 503 })
      const { pass } = await mockMatchers.toHaveCalled(mock, { api: "hmac", count: 0 })
      if (!pass) await mock.verify({ order: [{ api: "hmac" }, { status: 503 }] })
      return (await mock.requests({ status: 503 }))[0]?.response?.status ?? 0
    }`
  const matchers = 'import { mockMatchers } from "penknife/mock/expect"\n'
  writeFileSync(join(types, "a.mts"), `${matchers}import { startMock } from "penknife/mock"\n${use}`)
  writeFileSync(
    join(types, "b.cts"),
    `${matchers}import mockModule = require("penknife/mock")\nconst { startMock } = mockModule\n${use}`,
  )
  const options = "--noEmit --strict --target es2022 --lib es2022 --module nodenext --types".split(" ")
  const tsc = join(modules, "typescript/bin/tsc")
  const checked = await runIn(types, [node, tsc, ...options, "", "a.mts", "b.cts"])
  expect(checked).toMatchObject({ code: 0, text: "" })
})

describe("penknife/plugin", () => {
  const tsc = (version: string) => join(modules, version, "bin/tsc")
  const options = ["--noEmit", "--strict", "--target", "esnext", "--lib", "esnext"]
  test.each([
    ...inTurn(["preserve", "nodenext"], 2).map((module) => ["typescript", module] as const),
    ...(isAll ? [["typescript-5", "preserve"] as const] : []),
  ])("%s finds its types for the example APIs, and a mistake, with --module %s", async (version, module) => {
    const apis = await makeProject(`${version}-${module}`, {})
    writeFileSync(join(apis, "package.json"), '{"type":"module"}')
    cpSync(join(root, "examples/apis"), apis, { recursive: true })
    const source = readFileSync(join(apis, "wordcount/index.ts"), "utf8")
    const wrong = source.replace("words: words.length", "words: String(words.length)")
    mkdirSync(join(apis, "wrong"))
    writeFileSync(join(apis, "wrong/index.ts"), wrong)
    const { text } = await runIn(apis, [
      ...[node, tsc(version), ...options, "--module", module, "--allowImportingTsExtensions"],
      ...["wordcount/index.ts", "mailservers/index.ts", "wrong/index.ts"],
    ])
    expect(text.match(/error TS/g)).toHaveLength(1)
    expect(text).toMatch(/^wrong\/index\.ts.*Type 'string' is not assignable to type 'number'/s)
  })

  test("is a module for tests of an API, and the package serves the folder", async () => {
    const apis = join(project, "apis")
    cpSync(join(root, "examples/apis"), apis, { recursive: true })
    writeFileSync(
      join(project, "own-api.test.mjs"),
      `import { startMock } from "penknife/mock"
       import wordcount from "./apis/wordcount/index.ts"
       console.log(wordcount.id, JSON.stringify(wordcount.run({ text: "one two" })))
       await using mock = await startMock({ apis: "apis" })
       const headers = { "x-api-key": mock.key, "content-type": "application/json" }
       const answer = await fetch(mock.url + "/v1/wordcount", { method: "POST", headers, body: '{"text":"a bc"}' })
       console.log(JSON.stringify((await answer.json()).data))`,
    )
    expect(await runIn(project, [process.execPath, "own-api.test.mjs"])).toEqual({
      code: 0,
      out: 'wordcount {"words":2,"longest":3}\n{"words":2,"longest":2}\n',
      err: "",
      text: expect.any(String),
    })
    const made = await runIn(project, [node, "node_modules/penknife/cli.js", "api", "new", "hello"])
    expect(made).toMatchObject({ code: 0, err: "" })
    const checked = await runIn(project, [node, "node_modules/penknife/cli.js", "api", "check", "apis"])
    expect(checked).toMatchObject({ code: 0, out: expect.stringContaining("hello: 1 example is right.") })
  })
})

describe("runs the examples", () => {
  // A busy machine may take longer than the 5 seconds of these runners.
  const jest = "node_modules/jest/bin/jest.js -c examples/jest/jest.config.cjs --testTimeout=300000"
  const vitest =
    "node_modules/vitest/vitest.mjs run --config examples/vitest/vitest.config.ts --testTimeout=300000"
  let examples = ""
  beforeAll(async () => {
    const links = ["bun", "vitest", "jest"].map((name) => [name, join(modules, name)])
    examples = await makeProject("examples", Object.fromEntries(links))
    cpSync(join(root, "examples"), join(examples, "examples"), { recursive: true })
  })

  const runners = [
    ["bun:test", [process.execPath, "test", "--timeout=300000", "examples/bun"], /4 pass\n\s*0 fail/],
    ["node:test", [node, "--test", "examples/node/mail-check.test.mjs"], /pass 4\n.*fail 0/],
    ["vitest", [node, ...vitest.split(" ")], /4 passed/],
  ] as const
  const last = [["jest", [node, ...jest.split(" ")], /3 passed, 3 total/]] as const
  test.each([...inTurn(runners, 3), ...(isAll ? last : [])])("of %s", async (_runner, command, passed) => {
    const { code, text } = await runIn(examples, command)
    expect({ code, text }).toEqual({ code: 0, text: expect.stringMatching(passed) })
  })
})
