/** The commands of docs/business.md, run as they stand, in one shell and in their order, beside a service. */
import { expect, test } from "bun:test"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { freePort } from "../support/free-port.ts"
import { runProgram } from "../support/run-program.ts"
import { tempDir } from "../support/temp.ts"
import { until } from "../support/until.ts"
import { binary } from "./support.ts"

const root = join(import.meta.dir, "../..")
const page = readFileSync(join(root, "docs/business.md"), "utf8")
const headings =
  "Plan and price|Sign-up|Customer|Key|Raise a limit|Refund|Leaked key|Statement|Invoice|Leaving".split("|")

test("the page leads from the plan to the end of a customer", () =>
  expect([...page.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual(headings))

test.skipIf(!Bun.which("jq") || !Bun.which("curl"))("its commands work in their order", async () => {
  const dir = tempDir()
  const port = freePort()
  const [, settings = ""] = /```toml\n(.*?)```/s.exec(page) ?? []
  writeFileSync(join(dir, "penknife.toml"), settings)
  const env = { ...process.env, PATH: `${dirname(binary)}:${process.env.PATH}`, PENKNIFE_PORT: String(port) }
  const quiet = { cwd: dir, env, stdout: "ignore", stderr: "ignore" } as const
  const service = Bun.spawn([binary, "serve", "--config", "penknife.toml"], quiet)
  try {
    await until(() => isReady(port))
    const script = page
      .split(/^## .*$/m)
      .slice(1)
      .map((section, index) => `printf '\\n## %s\\n' '${headings[index]}'\n${commandsOf(section)}`)
      .join("\n")
      .replaceAll("localhost:8080", `127.0.0.1:${port}`)
    const command = ["bash", "-e", "-o", "pipefail", "-c", script]
    const { out, err, code } = await runProgram(command, { cwd: dir, env })
    const mistakes = err.split("\n").filter((line) => /error|refused|must/i.test(line))
    expect({ code, mistakes }).toEqual({ code: 0, mistakes: [] })
    const parts = out.split(/^## .*\n/m).slice(1)
    const shown = Object.fromEntries(headings.map((heading, index) => [heading, parts[index] ?? ""]))
    expect(shown["Plan and price"]).toContain("€29 a month")
    expect(shown["Sign-up"]).toContain("ben@example.com")
    expect(shown.Customer).toContain("customer-4711")
    // Two calls with one key are one charge.
    expect(shown.Key?.match(/"status":"ok"/g)).toHaveLength(2)
    expect(shown.Key).toMatch(/ibanvalidator +1 +1$/m)
    expect(shown["Raise a limit"]).toMatch(/bonus +50,000$/m)
    expect(shown.Refund).toMatch(/-50,000/)
    expect(shown["Leaked key"]).toMatch(/^401\n200$/m)
    expect(shown.Statement).toMatch(/adjusted +3,000$/m)
    expect(shown.Invoice).toContain("Acme Inc.")
    expect(shown.Leaving).toContain("accounts.close")
    const isStatement = (name: string) => /^statement-acc_\w+-\d{4}-\d\d\.csv$/.test(name)
    expect(readdirSync(dir).filter(isStatement)).toHaveLength(1)
  } finally {
    service.kill()
    await service.exited
  }
})

const commandsOf = (section: string): string =>
  [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, commands]) => commands).join("")

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/ready`)).ok
  } catch {
    return false
  }
}
