/** docs/graphql.md and docs/batch.md: their calls give the answers that stand under them, their tables say what the source does. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { statuses } from "../src/surfaces/graphql/refusal.ts"
import { startTestService, type TestService } from "./support/service.ts"

let service: TestService
let key = ""

beforeAll(async () => {
  service = await startTestService()
  ;({ key } = await service.createKey("pro"))
})
afterAll(() => service.stop())

const read = (file: string) => readFileSync(join(import.meta.dir, "../docs", file), "utf8")
const call =
  /^curl -H "x-api-key: \$KEY" -H 'content-type: ([^']+)' http:\/\/localhost:8080(\S+) \\\n {2}-d '([^']*)'$/

describe.each(["graphql.md", "batch.md"])("%s", (file) => {
  const examples = [...read(file).matchAll(/```sh\n(.*?)\n```\n```json\n(.*?)\n```/gs)]

  test("has examples", () => {
    expect(examples.length).toBe(read(file).split("```sh\n").length - 1)
    expect(examples.length).toBeGreaterThan(0)
  })

  test.each(examples.map(([, command = "", answer = ""]) => [command, answer] as const))(
    "%s",
    async (command, answer) => {
      const [, type = "", path = "", body = ""] = call.exec(command) ?? []
      const response = await service.fetch(path, {
        method: "POST",
        key,
        headers: { "content-type": type },
        body,
      })
      expect(response.status).toBe(200)
      expect(await response.json()).toEqual(JSON.parse(answer))
    },
  )
})

test("the table of codes", () => {
  const rows = [...read("graphql.md").matchAll(/^\| `([A-Z_]+)` \| (\d+) \|/gm)]
  expect(rows.map(([, code = "", status]) => [code, Number(status)])).toEqual([
    ...Object.entries(statuses),
    ["BAD_USER_INPUT", 200],
  ])
})
