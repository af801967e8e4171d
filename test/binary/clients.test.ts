/** The clients of the test double behave the same in each language. `bun run clients` also runs those for Go and Java. */
import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type MockOptions, startMock } from "penknife/mock"
import { canRun, checkedRuns, runClient } from "../../scripts/clients/runs.ts"
import { startReceiver } from "../support/receiver.ts"
import { runProgram } from "../support/run-program.ts"
import { tempDir } from "../support/temp.ts"
import { inTurn } from "../support/turns.ts"
import { until } from "../support/until.ts"
import { binary } from "./support.ts"

const root = join(import.meta.dir, "../..")

test("the table has behaviours with different names", () => {
  const { behaviours } = JSON.parse(readFileSync(join(root, "clients/behaviours.json"), "utf8"))
  const names = behaviours.map(({ name }: { name: string }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBeGreaterThanOrEqual(51)
})

test("the options of each client are those that the documentation lists", async () => {
  const read = (file: string) => readFileSync(join(root, file), "utf8")
  const [, table = ""] = /^## Options\n.*?\n\n(\|.*?)\n\n/ms.exec(read("docs/clients.md")) ?? []
  const rows = table.trim().split("\n").slice(2)
  const columns = rows.map((row) => row.split("|").map((cell) => cell.trim().replaceAll("`", "")))
  const [node, python, go, java] = [1, 2, 3, 4].map((column) => columns.map((cells) => cells[column]))
  const message = await startMock({ none: true } as MockOptions).catch((thrown) => thrown.message)
  expect(message.split("there are ")[1].split(", ")).toEqual(node)
  const [, flags = ""] = /^_FLAGS = \{(.*?)^\}/ms.exec(read("clients/python/penknife_mock.py")) ?? []
  const named = [...flags.matchAll(/^ {4}"(\w+)"/gm)].map(([, name]) => name)
  expect([...named, "shared", "command"]).toEqual(python ?? [])
  const [, struct = ""] = /^type Options struct \{(.*?)^\}/ms.exec(read("clients/go/penknifemock.go")) ?? []
  expect([...struct.matchAll(/^\t(\w+) /gm)].map(([, name]) => name)).toEqual(go ?? [])
  const methods = read("clients/java/penknife/PenknifeMock.java").matchAll(/^ {4}public Options (\w+)/gm)
  expect([...new Set([...methods].map(([, name]) => name))]).toEqual(java ?? [])
})

// Runs for Bun and Python take turns with runs for Node and pytest.
for (const run of inTurn(checkedRuns, 2)) {
  if (canRun(run)) test(run.name, async () => expect(await runClient(run, binary)).toBeNull())
  else console.error(`\n!! LEFT OUT: ${run.name}. ${run.install}\n`)
}

test("the recipes for containers start a program that prints what they wait for", async () => {
  const text = readFileSync(join(root, "docs/ci.md"), "utf8")
  const [, yaml = ""] = /### Compose.*?```yaml\n(.*?)```/s.exec(text) ?? []
  const { services } = Bun.YAML.parse(yaml) as { services: { penknife: { command: string[] } } }
  const flags = services.penknife.command.map((word) => (word === "0.0.0.0" ? "127.0.0.1" : word))
  expect(flags).toEqual(["mock", "--host", "127.0.0.1", "--plan", "free"])
  const child = Bun.spawn([binary, ...flags, "--port", "0", "--stop-with-stdin"], {
    stdin: "pipe",
    stdout: "pipe",
  })
  const { value } = await child.stdout.getReader().read()
  child.stdin.end()
  expect(await child.exited).toBe(0)
  const awaited = "penknife listening on"
  expect(new TextDecoder().decode(value)).toStartWith(`${awaited} http://127.0.0.1:`)
  const [, recipes = ""] = text.split("## Testcontainers")
  const blocks = [...recipes.matchAll(/```(\w+)\n(.*?)```/gs)].map(([, language, code = ""]) => ({
    language,
    waits: code.includes(awaited),
    shares: /shared/i.test(code),
  }))
  expect(blocks).toEqual(
    ["ts", "python", "go", "java"].map((language) => ({ language, waits: true, shares: true })),
  )
  expect(readFileSync(join(root, "Dockerfile"), "utf8")).toMatch(
    /^HEALTHCHECK [\s\S]*^CMD \["mock", "--host", "0.0.0.0"\]$/m,
  )
})

/** The interpreter itself: what is on the PATH may be a script that needs a PATH. */
const python =
  Bun.which("python3") === null
    ? null
    : Bun.spawnSync(["python3", "-c", "import sys; print(sys.executable)"]).stdout.toString().trim()
if (python === null) console.error("\n!! LEFT OUT: errors of the client for Python. Install Python.\n")

describe.if(python !== null)("the client for Python", () => {
  const empty = tempDir()

  /** The output of a script with the client; for an error of the client, its message. */
  async function runPython(lines: string, env: Record<string, string> = {}) {
    const indented = lines.replace(/^/gm, "  ")
    const script = `import penknife_mock as p\ntry:\n${indented}\nexcept p.MockError as e:\n  print(e)`
    const command = [python ?? "", "-B", "-c", script]
    const cwd = join(root, "clients/python")
    const { out, err } = await runProgram(command, { cwd, env: { PATH: empty, ...env } })
    return err + out.trim()
  }

  test("says how to get penknife when there is none", async () => {
    expect(await runPython("p.start()")).toBe(
      "penknife was not found: build it with 'bun run build' in its repository, and set PENKNIFE_BIN to the path of dist/penknife, or put it on the PATH.",
    )
  })

  test("takes penknife from the PATH", async () => {
    const PATH = join(root, "dist")
    const script = "with p.start() as mock: print(mock.advance('1d'))"
    expect(await runPython(script, { PATH })).toBe("2025-01-02T00:00:00.000Z")
  })

  test("says why penknife did not start", async () => {
    const PENKNIFE_BIN = binary
    expect(await runPython("p.start(plan='gold')", { PENKNIFE_BIN })).toMatch(
      /penknife mock ended with 2: .*--plan must be one of/,
    )
    expect(await runPython("p.start(command=['/none/penknife'])")).toBe(
      "/none/penknife cannot be run: No such file or directory. Look at PENKNIFE_BIN.",
    )
    expect(await runPython("p.start(command=['/bin/echo', 'hello'])")).toStartWith(
      "/bin/echo is not penknife: it printed 'hello mock",
    )
    expect(await runPython("p.start(plna='free')")).toBe(
      "penknife mock: there is no option 'plna'; there are port, seed_time, clock, dns, web, seed, plan, tls, apis, like, strict_like, smtp, webhook, webhook_time, graphql, shared, command",
    )
  })

  test("says that a shared mock takes no option, and that none answers", async () => {
    const shared = "http://127.0.0.1:1"
    expect(await runPython(`p.start(shared='${shared}', plan='free')`)).toContain("start that with 'plan'")
    expect(await runPython(`p.start(shared='${shared}')`)).toContain(`${shared} does not answer`)
  })

  test("says which webhooks were not delivered", async () => {
    const script =
      "with p.start() as mock:\n  mock.advance('23d')\n  mock.webhooks('key.expiring', timeout=0)"
    expect(await runPython(script, { PENKNIFE_BIN: binary })).toMatch(
      /^penknife mock: 0 of 1 webhooks of the type 'key.expiring' were delivered in 0 s\n {2}key.expiring msg_\w+ is unsent: /,
    )
  })

  test("says of a webhook under way that it has no answer yet", async () => {
    const receiver = startReceiver()
    receiver.answer(() => new Promise(() => {}))
    const script = `
import contextlib, urllib.request as u
with p.start(webhook='${receiver.url}') as mock:
  url = mock.url + '/v1/bluetoothlookup?companyid=76'
  with contextlib.suppress(OSError): u.urlopen(u.Request(url, headers={'x-api-key': 'mock-no-credits'}))
  mock.webhooks('credits.exhausted', timeout=0)`
    expect(await runPython(script, { PENKNIFE_BIN: binary })).toMatch(
      /\n {2}credits.exhausted msg_\w+ is pending: no answer so far$/,
    )
  })

  test("starts a mock on which the settings and the proxy of the shell have no effect", async () => {
    const env = { PENKNIFE_BIN: binary, PENKNIFE_PLAN: "gold", http_proxy: "http://127.0.0.1:1" }
    expect(await runPython("with p.start() as mock: print(mock.requests())", env)).toBe("[]")
  })

  test("starts a mock that ends with the process, also when that is killed", async () => {
    const script =
      "mock = p.start()\nprint(mock.url, flush=True)\nimport os, signal\nos.kill(os.getpid(), signal.SIGKILL)"
    const url = await runPython(script, { PENKNIFE_BIN: binary })
    expect(url).toStartWith("http://127.0.0.1:")
    await until(async () => (await fetch(url).catch(() => null)) === null)
  })
})
