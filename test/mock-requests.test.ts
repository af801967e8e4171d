/** Kept requests of the test double: kept by default, bounded, and the same on every run. */
import { expect, test } from "bun:test"
import { firstRowAt } from "../src/store/kept-requests.ts"
import { openSqliteStore } from "../src/store/sqlite/open-sqlite.ts"
import { runLine, runLineJson } from "./support/admin-cli.ts"
import { openBrowser } from "./support/browser.ts"
import { keptRequestOf } from "./support/kept-request.ts"
import { startTestMock, type TestMock } from "./support/mock.ts"
import { noWaitTimer } from "./support/timer.ts"

const admin = { "x-admin-key": "mock-admin" }

test("keeps requests by default, and the same ones on every run", async () => {
  const [first, second] = [await startTestMock(), await startTestMock()]
  const texts: string[] = []
  for (const mock of [first, second]) {
    await callSome(mock)
    // Whether they are read in between must not change the list.
    if (mock === first) await kept(mock)
    else await mock.fetch("/admin/v1/plans", { headers: admin })
    await callSome(mock)
    texts.push(await kept(mock))
  }
  expect(texts[0]).toBe(texts[1] ?? "")
  const { data } = JSON.parse(texts[0] ?? "")
  expect(data).toHaveLength(8)
  expect(data[0]).toMatchObject({ status: 401, fault: "keyMalformed", at: "2025-01-01T00:00:00.000Z", ms: 0 })
  expect(data[1]).toMatchObject({ status: 400, parameter: "companyid", account: expect.any(String) })
  expect(texts[0]).not.toContain("dont-keep-this")
})

test("shows them to the command, the portal and after a move of the clock, and a reset empties them", async () => {
  const mock = await startTestMock()
  await callSome(mock)
  const env = { PENKNIFE_SERVER: mock.url, PENKNIFE_ADMIN_KEY: "mock-admin" }
  expect(await runLineJson("requests list --status 4xx", { env })).toHaveLength(2)
  const headAt = async (more = {}) => (await runLine("requests list", { env, ...more })).out.split("\n")[0]
  const usual = "at +status +api +fault +parameter +request_id"
  const all = new RegExp(`^${usual} +account +account_name +key +key_name +credits +ms$`)
  for (const more of [{}, { columns: 200 }]) expect(await headAt(more)).toMatch(all)
  expect(await headAt({ columns: 90 })).toMatch(new RegExp(`^${usual}$`))
  const browser = openBrowser(mock.url)
  await browser.signIn("portal", { key: "mock-pro" })
  expect((await browser.send("GET", "/portal/v1/requests/kept")).body.data).toHaveLength(3)
  await mock.control("PUT", "/clock", { advance: "29d" })
  await callSome(mock)
  expect(JSON.parse(await kept(mock)).data).toHaveLength(8)
  await mock.control("PUT", "/clock", { advance: "2d" })
  expect(JSON.parse(await kept(mock)).data).toHaveLength(4)
  await mock.reset()
  expect(JSON.parse(await kept(mock)).data).toEqual([])
})

test("keeps none with --keep-requests 0", async () => {
  const mock = await startTestMock({ keepRequests: "0" })
  expect(await kept(mock)).toContain("This service keeps no requests.")
})

test("finds all requests of one instant, however many searches there were between them", async () => {
  const mock = await startTestMock()
  for (let n = 1; n <= 75; n++) {
    await mock.fetch("/v1/bluetoothlookup?companyid=76", { key: "mock-pro" })
    const { data } = JSON.parse(await kept(mock)) as { data: unknown[] }
    expect(data).toHaveLength(n)
  }
})

test("a store in memory keeps the newest requests alone, while no time passes", async () => {
  const { requests, store } = openSqliteStore(":memory:", { timer: noWaitTimer, mostRequests: 500 })
  for (let first = 0; first < 5_000; first += 100) {
    const made = Array.from({ length: 100 }, (_, n) => keptRequestOf({ row: firstRowAt(1_000) + first + n }))
    await requests.add({ process: "mock", requests: made })
  }
  const all = await requests.find({}, { limit: 1_000, after: null })
  expect(all.requests.map(({ requestId }) => requestId)).toEqual(
    Array.from({ length: 500 }, (_, n) => `id-${firstRowAt(1_000) + 4_999 - n}`),
  )
  await store.close()
})

async function callSome(mock: TestMock): Promise<void> {
  await mock.fetch("/v1/bluetoothlookup?companyid=76", { key: "mock-pro" })
  await mock.fetch("/v1/usage", { key: "mock-pro" })
  await mock.fetch("/v1/bluetoothlookup?companyid=dont-keep-this", { key: "mock-pro" })
  await mock.fetch("/v1/usage", { key: "dont-keep-this" })
}

async function kept(mock: TestMock): Promise<string> {
  return (await mock.fetch("/admin/v1/requests/kept", { headers: admin })).text()
}
