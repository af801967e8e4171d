import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { mockZone } from "../src/app/mock.ts"
import { allOptions, mockOptions, mockOwn } from "../src/config/options.ts"
import { magicKeys } from "../src/mock/keys.ts"
import { parseZone } from "../src/ports/dns/zone-file.ts"
import { runCliForTest } from "./support/cli.ts"
import { startTestMock } from "./support/mock.ts"

const root = join(import.meta.dir, "..")
const page = readFileSync(join(root, "docs/mock.md"), "utf8")
const text = page + readFileSync(join(root, "docs/mock-reference.md"), "utf8")

test("the page names every key, every option and every domain that is meant to be asked for", () => {
  for (const key of Object.keys(magicKeys)) expect(text).toContain(`\`${key}\``)
  for (const option of Object.values(mockOptions)) expect(text).toContain(option.flag)
  for (const name of Object.keys(mockZone))
    if (/^[a-z]+\.example$/.test(name)) expect(text).toContain(`\`${name}\``)
  expect(Object.keys(allOptions).length).toBeGreaterThan(Object.keys(mockOptions).length)
})

test("the mock has each flag that the page lists", async () => {
  const { out } = await runCliForTest(["mock", "--help"])
  for (const { flag } of Object.values({ ...mockOwn, ...mockOptions })) expect(out).toContain(`  ${flag} `)
  const mode = await runCliForTest(["mock", "--sign-up-mode", "nobody"])
  expect(mode.err).toContain("--sign-up-mode")
  expect(mode.err).toContain("off, invite, open")
})

test("the page names every control path with its methods", async () => {
  const mock = await startTestMock()
  const { data } = await mock.control("GET", "")
  const { paths } = data as { paths: string[] }
  for (const line of paths) {
    const [methods = "", path = ""] = line.split(/ (?=\/)/)
    const rows = text.split("\n").filter((row) => new RegExp(`[\` ]${path}[?\` ]`).test(row))
    for (const method of methods.split(", "))
      expect({ line, rows: rows.join() }).toEqual({ line, rows: expect.stringContaining(method) })
  }
})

test("the zone in the page is one, and the shipped one is the file", () => {
  const [, yaml = ""] = /```yaml\n(.*?)```/s.exec(text) ?? []
  expect(Object.keys(parseZone(yaml))).toEqual(["example.com", "_spf.example.com", "slow.example.com"])
  expect(parseZone(readFileSync(join(root, "src/mock/dns-zone.yaml"), "utf8"))).toEqual(mockZone)
})

test("the mock takes each command of the page for a control path", async () => {
  const mock = await startTestMock()
  const commands = [
    ...text.matchAll(/^curl -X (\w+) http:\/\/127\.0\.0\.1:8090\/_mock(\/\w+)(?: -d '(.*)')?$/gm),
  ]
  expect(commands.length).toBeGreaterThan(5)
  for (const [command, method = "", path = "", body] of commands) {
    const { code, error } = await mock.control(method, path, body)
    expect([command, code, error]).toEqual([command, 200, null])
  }
})

test("each job of the page answers as it says, on a mock that was just started", async () => {
  const [, jobs = ""] = /\n## Jobs\n(.*?)\n## /s.exec(page) ?? []
  const parts = jobs.split("\n### ").slice(1)
  expect(parts.map((part) => part.split("\n")[0])).toEqual(
    "Call Refuse Throttle Webhook Month Mail Outage Parallel".split(" "),
  )
  const mock = await startTestMock()
  for (const part of parts) {
    await mock.reset()
    const lines = part.split("\n").filter((line) => line.startsWith("curl "))
    expect(lines.length).toBeGreaterThan(1)
    for (const line of lines) {
      const [command = "", status] = line.replaceAll("http://127.0.0.1:8090", mock.url).split(" # ")
      const shell = command.replace("curl ", "curl -s -o /dev/null -w '%{http_code}' ")
      const child = Bun.spawn(["sh", "-c", shell], { stdout: "pipe" })
      expect([line, await child.stdout.text()]).toEqual([line, String(status)])
    }
  }
})
