/** Kept requests of the test double: kept by default, bounded, and the same on every run. */
import { expect, test } from "bun:test"
import { keepNewest } from "../src/app/mock-requests.ts"
import { createBlockBuilder, type RequestBlock } from "../src/store/request-block.ts"
import { runLine, runLineJson } from "./support/admin-cli.ts"
import { openBrowser } from "./support/browser.ts"
import { startTestMock, type TestMock } from "./support/mock.ts"

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
  const listed = await runLineJson("requests list --status 4xx", { env })
  expect(listed).toHaveLength(2)
  const heads = await Promise.all(
    [undefined, 200, 90].map(
      async (columns) =>
        (await runLine("requests list", { env, ...(columns !== undefined && { columns }) })).out.split(
          "\n",
        )[0],
    ),
  )
  const usual = "at +status +api +fault +parameter +request_id"
  expect(heads).toEqual([
    expect.stringMatching(new RegExp(`^${usual} +account +account_name +key +key_name +credits +ms$`)),
    expect.stringMatching(new RegExp(`^${usual} +account +account_name +key +key_name +credits +ms$`)),
    expect.stringMatching(new RegExp(`^${usual}$`)),
  ])
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

test("keeps the newest requests alone, while no time passes", async () => {
  const stored = new Map<number, RequestBlock>()
  const newest = keepNewest({
    add: async (blocks) => {
      for (const block of blocks) stored.set(block.atMs, block)
    },
    async deleteBefore(ms) {
      const [atMs] = [...stored.keys()].filter((one) => one < ms)
      return { rows: atMs !== undefined && stored.delete(atMs) ? 1 : 0, next: "" }
    },
    index: async () => {},
    find: async () => ({ requests: [], next: null }),
  })
  for (let n = 0; n < 100; n++) await newest.add([blockAt(1_000 + n, 256)])
  expect([...stored.values()].reduce((sum, { count }) => sum + count, 0)).toBe(39 * 256)
  expect(Math.min(...stored.keys())).toBe(1_061)
})

async function callSome(mock: TestMock): Promise<void> {
  await mock.fetch("/v1/bluetoothlookup?companyid=76", { key: "mock-pro" })
  await mock.fetch("/v1/usage", { key: "mock-pro" })
  await mock.fetch("/v1/bluetoothlookup?companyid=dont-keep-this", { key: "mock-pro" })
  await mock.fetch("/v1/usage", { key: "dont-keep-this" })
}

async function kept(mock: TestMock): Promise<string> {
  const answer = await mock.fetch("/admin/v1/requests/kept", { headers: admin })
  return answer.text()
}

function blockAt(atMs: number, count: number): RequestBlock {
  const builder = createBlockBuilder(atMs)
  const ids = { requestId: "id", surface: "rest", api: "hmac", account: null, key: null } as const
  const what = {
    status: 200,
    fault: null,
    parameter: null,
    credits: 0,
    isReplay: false,
    ms: 0,
    address: null,
  } as const
  for (let n = 0; n < count; n++) builder.add({ atMs, ...ids, ...what })
  return builder.end("mock", atMs)
}
