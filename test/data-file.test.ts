/** A service whose data file is made, taken away and put back. */
import { expect, test } from "bun:test"
import { copyFileSync, renameSync } from "node:fs"
import { httpLimits } from "../src/surfaces/http/read/limits.ts"
import { readAnswer } from "./support/answer.ts"
import { linesWith } from "./support/log.ts"
import { startTestService, type TestService } from "./support/service.ts"

const lookUp = "/v1/bluetoothlookup?companyid=76"

async function call({ fetch }: TestService, key: string) {
  const answer = await fetch(lookUp, { key })
  return { status: answer.status, error: (await readAnswer(answer)).error }
}

test("the log says when a data file is made, and where", async () => {
  const service = await startTestService()
  expect(linesWith("new data file", service.logged())).toMatchObject([{ level: "info", file: service.db }])
})

test.each([
  ["moved away", "was deleted or moved", () => {}],
  ["replaced", "was replaced", (db: string) => copyFileSync(`${db}.away`, db)],
])("calls are refused while the data file is %s, and nothing is charged", async (_, problem, replace) => {
  const service = await startTestService()
  const { db, accounts, fetch } = service
  const { account, key } = await service.createKey("pro")
  expect(await call(service, key)).toEqual({ status: 200, error: null })
  renameSync(db, `${db}.away`)
  replace(db)
  // A probe looks at once; without one, this is noticed within half a second.
  expect((await fetch("/ready")).status).toBe(503)
  const refused = { status: 503, error: expect.stringContaining("Nothing was charged") }
  expect(await call(service, key)).toEqual(refused)
  expect((await fetch("/v1/usage", { key })).status).toBe(503)
  expect((await fetch("/health")).status).toBe(200)
  const line = { level: "error", cause: expect.stringContaining(`The data file ${db} ${problem}`) }
  expect(linesWith("data file unusable; calls are refused", service.logged())).toMatchObject([line])

  renameSync(`${db}.away`, db)
  service.clock.advance(httpLimits.sharedAnswerSeconds * 1_000)
  expect((await fetch("/ready")).status).toBe(200)
  expect(await call(service, key)).toEqual({ status: 200, error: null })
  expect(linesWith("data file is back; calls are served again", service.logged())).toMatchObject([
    { level: "info" },
  ])
  expect((await accounts.show(account)).balance.used).toBe(2)
})
