/** The conformance suite of MCP, run against the service's own endpoint with the fixtures of the suite, as an executable. */
import { afterAll, expect, test } from "bun:test"
import { join } from "node:path"
import { runProgram } from "../support/run-program.ts"
import { tempDir } from "../support/temp.ts"

const bun = process.execPath
const root = join(import.meta.dir, "../..")
const suite = join(root, "node_modules/@modelcontextprotocol/conformance/dist/index.js")
const fixtures = join(import.meta.dir, "conformance")
const directory = tempDir()
const program = join(directory, process.platform === "win32" ? "fixtures.exe" : "fixtures")
const source = join(fixtures, "server.ts")
const built = Bun.spawnSync([bun, "build", "--compile", `--outfile=${program}`, source], { cwd: root })
if (!built.success) throw new Error(built.stderr.toString())
const server = Bun.spawn([program], { stdout: "pipe", stderr: "inherit" })
const url = await firstLine(server.stdout)

afterAll(async () => {
  server.kill()
  await server.exited
})

test.each([
  ["2026-07-28", 37, []],
  ["2025-11-25", 30, ["--expected-failures", join(fixtures, "expected-failures.yml")]],
])("all scenarios of a server for revision %s", async (revision, scenarios, more) => {
  const command = [bun, "--bun", suite, "server", "--url", url, "--requirements", revision, ...more]
  const { out, err, code } = await runProgram(command, { cwd: directory })
  // The suite's exit code judges the scenarios that the revision requires.
  expect({ code, told: code === 0 ? "" : out + err }).toEqual({ code: 0, told: "" })
  const [, summary = ""] = out.split("=== SUMMARY ===")
  expect(summary.match(/^[✓✗] \S+:/gm)?.length).toBeGreaterThanOrEqual(scenarios)
})

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = ""
  for await (const piece of stream) {
    text += Buffer.from(piece).toString()
    if (text.includes("\n")) return text.trim()
  }
  throw new Error("the server ended before it listened")
}
