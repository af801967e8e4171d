/** A start with a data file loads nothing of PostgreSQL and no operation of the administration, so that it is no slower. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { tempDir } from "./support/temp.ts"

const dir = tempDir()
const root = join(import.meta.dir, "..")
const db = join(dir, "store.db")
/** The files that a start with a new data file loads. */
const withFile = await filesLoadedFor(db)

test("a start with a data file loads nothing of PostgreSQL, and one with a URL does", async () => {
  expect(withFile.some((file) => file.includes("src/store/sqlite/open-sqlite.ts"))).toBe(true)
  expect(withFile.filter((file) => file.includes("src/store/postgres/"))).toEqual([])
  // Nothing listens on port 1.
  const withUrl = await filesLoadedFor("postgres://ann@127.0.0.1:1/x")
  expect(withUrl.some((file) => file.includes("src/store/postgres/open-postgres.ts"))).toBe(true)
})

test("a start loads no operation of the administration, neither their commands nor their routes", () => {
  expect(withFile.some((file) => file.includes("src/surfaces/http/admin/admin-feature.ts"))).toBe(true)
  for (const file of [
    "src/admin/operations.ts",
    "src/admin/accounts/",
    "src/admin/keys/",
    "src/surfaces/cli/admin/operation",
  ])
    expect(withFile.filter((path) => path.includes(file))).toEqual([])
})

test("a start loads nothing of the front end but its routes", () => {
  const web = withFile.filter((path) => /src\/(?:web|surfaces\/http\/web)\//.test(path))
  expect(web.map((path) => path.replace(/^.*\/src\//, ""))).toEqual(["surfaces/http/web/feature.ts"])
})

test("a start loads OpenTelemetry only when an endpoint is set", async () => {
  const isOfTraces = (file: string) => /@opentelemetry|src\/ports\/tracing\//.test(file)
  expect(withFile.filter(isOfTraces)).toEqual([])
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" }
  const loaded = (await filesLoadedFor(join(dir, "traces.db"), env)).filter(isOfTraces)
  expect(loaded.some((file) => file.includes("src/ports/tracing/otel-tracer.ts"))).toBe(true)
  expect(loaded.some((file) => file.includes("@opentelemetry/sdk-trace/"))).toBe(true)
})

test("a start loads pino only when there is a line to log", async () => {
  const isPino = (file: string) => file.includes("node_modules/pino/")
  // That the data file is new is logged.
  expect(withFile.some(isPino)).toBe(true)
  expect((await filesLoadedFor(db)).filter(isPino)).toEqual([])
})

test("a start loads these packages, and no library of an API but suncalc, which has 10 kB", async () => {
  const loaded = await filesLoadedFor(join(dir, "packages.db"), {}, "test/support/print-packages.ts")
  expect(loaded.filter((file) => file.includes("/src/apis/")).length).toBeGreaterThan(20)
  // Only threads load the code of isolated APIs.
  expect(loaded.filter((file) => /\/src\/apis\/[a-z]+\/run\.ts$/.test(file))).toEqual([])
  const names = loaded.map((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1])
  const packages = [...new Set(names.filter((name) => name !== undefined))]
  expect(packages.sort()).toEqual(packagesAtStart.toSorted())
})

/** The packages of the command line, HTTP, the DNS, webhooks, the log (which says that the data file is new), and one API. */
const packagesAtStart = [
  ...["commander", "smol-toml", "fastest-levenshtein"],
  ...["elysia", "@elysiajs/cors", "@sinclair/typebox", "exact-mirror", "memoirist", "cookie"],
  ...["content-type", "negotiator", "fresh", "fast-decode-uri-component", "ipaddr.js", "lru-cache"],
  ...["standardwebhooks", "@stablelib/base64", "fast-sha256"],
  ...["pino", "@pinojs/redact", "atomic-sleep", "on-exit-leak-free", "pino-std-serializers"],
  ...["quick-format-unescaped", "safe-stable-stringify", "sonic-boom", "thread-stream"],
  "suncalc",
]

/** The files that a service loads until it listens or gives up. */
async function filesLoadedFor(
  db: string,
  env: Record<string, string> = {},
  preload = "test/support/print-loaded.ts",
): Promise<string[]> {
  const child = Bun.spawn(
    [process.execPath, "--preload", join(root, preload), "src/main.ts", "serve", "--port", "0"],
    { cwd: root, env: { ...process.env, ...env, PENKNIFE_DB: db }, stdout: "pipe", stderr: "pipe" },
  )
  const decoder = new TextDecoder()
  for await (const chunk of child.stdout) if (decoder.decode(chunk).includes("http")) break
  child.kill("SIGTERM")
  const printed = await child.stderr.text()
  await child.exited
  return printed.split("\n").filter((line) => line.startsWith("loaded "))
}
