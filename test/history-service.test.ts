/** The history of running services, as the admin API and the commands show it. */
import { describe, expect, test } from "bun:test"
import { adviceFor, historyOfCalls, historyOfFaults, percentileOf } from "../src/admin/history/calls.ts"
import { historyOfCredits } from "../src/admin/history/credits.ts"
import { Fault, faultCodes } from "../src/call/fault.ts"
import { latencyColumns } from "../src/store/history.ts"
import { faultNameOf, type RefusalCode } from "../src/surfaces/graphql/refusal.ts"
import { latencyBoundsMs } from "../src/values/latency-bounds.ts"
import { adminClient, createTestAdminKey } from "./support/admin.ts"
import { openAdministration } from "./support/administration.ts"
import { useStoreKindsInTurn } from "./support/any-store.ts"
import { changesOf } from "./support/changes.ts"
import { runCliForTest } from "./support/cli.ts"
import { createManualClock } from "./support/clock.ts"
import { startTestMock } from "./support/mock.ts"
import { startTestService } from "./support/service.ts"

const start = "2025-03-01T12:00:30Z"
const minute = "2025-03-01T12:00:00.000Z"
const good = "/v1/bluetoothlookup?companyid=76"
const bad = "/v1/bluetoothlookup?companyid=none"

describe.each(useStoreKindsInTurn(1))("$name", ({ create }) => {
  test("services that stop have written what they counted, and the next one shows it", async () => {
    const db = await create()
    const { key: adminKey } = await createTestAdminKey(db)
    const newService = () => startTestService({ clock: createManualClock(start), flags: { db } })
    const services = [await newService(), await newService()]
    const [one] = services
    if (!one) throw new Error("no service")
    const { key, account } = await one.createKey("free")
    for (const service of services) {
      expect((await service.fetch(good, { key })).status).toBe(200)
      expect((await service.fetch(bad, { key })).status).toBe(400)
      expect((await service.fetch(good)).status).toBe(401)
      const inputs = [{ companyid: "76" }, { companyid: "77" }, { companyid: "none" }]
      expect((await service.post("/v1/bluetoothlookup/batch", { inputs }, { key })).status).toBe(200)
    }
    for (const service of services) await service.stop()
    const admin = adminClient((await newService()).url, adminKey)
    const calls = await admin("GET", "/history/calls?step=minute")
    expect(calls.body).toEqual({
      step: "minute",
      from: "2025-03-01T11:00:00.000Z",
      to: "2025-03-01T12:01:00.000Z",
      data: [
        {
          at: minute,
          api: "bluetoothlookup",
          calls: 8,
          errors: 4,
          p50_ms: expect.any(Number),
          p99_ms: expect.any(Number),
        },
      ],
      has_more: false,
      next: null,
    })
    const csv = async (path: string) => (await admin("GET", `/history/${path}format=csv`)).text.split("\r\n")
    expect((await csv("calls?step=day&"))[0]).toBe("at,api,calls,errors,p50_ms,p99_ms")
    expect((await csv("calls?step=day&"))[1]).toStartWith("2025-03-01T00:00:00.000Z,bluetoothlookup,8,4,")
    expect((await csv("faults?"))[1]).toStartWith("inputRejected,bluetoothlookup,2,")
    expect(await csv("credits?by=account&")).toEqual([
      "at,account,calls,credits",
      `2025-03-01T12:00:00.000Z,${account},6,6`,
      "",
    ])
    const ofDay = { from: "2025-03-01", to: "2025-03-02", step: "day" }
    const rows = await admin("GET", `/history/calls?${new URLSearchParams(ofDay)}&api=bluetoothlookup`)
    expect(rows.body.data).toMatchObject([{ at: "2025-03-01T00:00:00.000Z", calls: 8, errors: 4 }])
    const at = "2025-03-01T12:00:30.000Z"
    const texts = { meaning: expect.any(String), advice: expect.any(String), is_service_fault: false }
    expect((await admin("GET", "/history/faults")).body.data).toEqual([
      { fault: "inputRejected", api: "bluetoothlookup", calls: 2, first: at, last: at, ...texts },
      { fault: "keyMissing", api: "bluetoothlookup", calls: 2, first: at, last: at, ...texts },
    ])
    // Two of three inputs of each batch, and one call each: as the charges themselves were recorded.
    const sum = { at: "2025-03-01T12:00:00.000Z", calls: 6, credits: 6 }
    const none = { has_more: false, next: null }
    expect((await admin("GET", "/history/credits")).body).toMatchObject({ data: [sum], ...none })
    expect((await admin("GET", "/history/credits?by=account&limit=1")).body).toMatchObject({
      data: [{ ...sum, account }],
    })
    expect((await admin("GET", `/history/credits?account=${account}`)).body).toMatchObject({
      data: [{ ...sum, account }],
      ...none,
    })
    const { data: used } = (await admin("GET", "/usage?from=2025-03-01&to=2025-03-01&by=account")).body
    expect(used).toEqual([{ account, calls: 6, credits: 6 }])
  })

  test("a service with --history 0 records nothing", async () => {
    const db = await create()
    const { key: adminKey } = await createTestAdminKey(db)
    const service = await startTestService({ clock: createManualClock(start), flags: { db, history: "0" } })
    const { key } = await service.createKey("free")
    expect((await service.fetch(good, { key })).status).toBe(200)
    await service.stop()
    const next = await startTestService({ clock: createManualClock(start), flags: { db } })
    expect((await adminClient(next.url, adminKey)("GET", "/history/calls")).body.data).toEqual([])
  })

  test("the commands show it as tables", async () => {
    const db = await create()
    const clock = createManualClock(new Date().toISOString())
    const service = await startTestService({ flags: { db }, clock })
    const { key, account } = await service.createKey("free")
    await service.fetch(good, { key })
    await service.fetch(bad, { key })
    await service.stop()
    const show = async (...args: string[]) => {
      const { out, err } = await runCliForTest(["history", ...args, "--db", db])
      return out + err
    }
    expect(await show("calls")).toMatch(/at +api +calls +errors +p50_ms +p99_ms\n.* bluetoothlookup +2 +1 /)
    expect(await show("faults")).toMatch(/fault +api +calls +first +last\ninputRejected +bluetoothlookup +1 /)
    expect(await show("credits", "--by", "account")).toMatch(
      new RegExp(`at +account +calls +credits\\n.* ${account} +1 +1`),
    )
    expect(await show("faults", "--api", "hmac")).toBe("No errors in this time.\n")
  })
})

test("the mock has a history of its own clock", async () => {
  const mock = await startTestMock()
  const admin = adminClient(mock.url, "mock-admin")
  const calls = async () => (await admin("GET", "/history/calls?from=2025-01-01")).body.data
  await mock.fetch(good, { key: "mock-key" })
  expect(await calls()).toMatchObject([{ at: "2025-01-01T00:00:00.000Z", api: "bluetoothlookup", calls: 1 }])
  await mock.fetch(good, { key: "mock-key" })
  await mock.control("PUT", "/clock", { now: "2025-01-01T05:30:00Z" })
  await mock.fetch(bad, { key: "mock-key" })
  expect(await calls()).toMatchObject([
    { at: "2025-01-01T00:00:00.000Z", calls: 2, errors: 0 },
    { at: "2025-01-01T05:00:00.000Z", calls: 1, errors: 1 },
  ])
})

const ofGraphql: readonly RefusalCode[] = [
  ...(["BAD_REQUEST", "FILE_UPLOAD_NOT_SUPPORTED", "GRAPHQL_PARSE_FAILED"] as const),
  ...(["GRAPHQL_VALIDATION_FAILED", "OPERATION_NOT_SUPPORTED", "QUERY_TOO_COMPLEX"] as const),
  ...(["PLAN_LIMIT_EXCEEDED", "METHOD_NOT_ALLOWED", "GRAPHQL_NOT_SUPPORTED"] as const),
]

test("every fault, and every refusal of GraphQL, has a text that says what to do", () => {
  const unknown = adviceFor("noSuchFault")
  expect(
    [
      ...faultCodes,
      // For the others, GraphQL records the fault that they stand for.
      ...ofGraphql.map(faultNameOf),
    ].filter((code) => adviceFor(code).meaning === unknown.meaning),
  ).toEqual([])
})

test("a fault is the service's own where its status says so", () => {
  for (const code of faultCodes)
    expect([code, adviceFor(code).is_service_fault]).toEqual([code, new Fault(code, "").status >= 500])
})

test("percentiles are read off between the bounds of their class", () => {
  const counts = (...given: number[]) => latencyColumns.map((_, index) => given[index] ?? 0)
  expect(latencyColumns).toHaveLength(latencyBoundsMs.length + 1)
  expect(percentileOf(counts(), 0.5)).toBeNull()
  expect(percentileOf(counts(2), 0.5)).toBe(0.25)
  expect(percentileOf(counts(0, 0, 4), 0.5)).toBe(1.75)
  expect(percentileOf(counts(98, 0, 0, 0, 2), 0.99)).toBe(7.5)
  expect(percentileOf([...counts().slice(1), 1], 0.5)).toBe(10_000)
})

test.each([
  [{ from: "2025-01-02" }, "from", "earlier than 'to'"],
  [{ from: "yesterday" }, "from", "must be a date"],
  [{ to: "2025-02-30" }, "to", "must be a date"],
  [{ from: "1969-12-31" }, "from", "must be from 1970 to 9998"],
  [{ to: "9999-12-31T23:59:59Z" }, "to", "must be from 1970 to 9998"],
  [{ from: "2020-01-01" }, "from", "are 43,849 times the 'step', and at most 1,500"],
  [
    { step: "minute", from: "2024-12-30T22:59:00Z", to: "2024-12-31" },
    "step",
    "Give a later one, or 'step' hour",
  ],
  [{ step: "week" }, "step", "must be one of minute, hour, day"],
])("the time %o is refused", async (values, parameter, message) => {
  const { refusal } = openAdministration()
  for (const operation of [historyOfCalls, historyOfCredits])
    expect(await refusal(operation, values)).toMatchObject({
      code: "invalid",
      parameter,
      message: expect.stringContaining(message),
    })
})

test("an account that does not exist is not found, and a page continues where the one before ended", async () => {
  const { run, refusal, opened, parts } = openAdministration()
  expect(await refusal(historyOfCredits, { account: "acc_none" })).toMatchObject({ code: "not-found" })
  for (const id of ["acc_1", "acc_2"])
    await changesOf(parts.admin).createAccount({
      id,
      name: id,
      plan: "free",
      createdMs: 0,
      closedMs: null,
      periodStartMs: 0,
      used: 0,
      bonus: 0,
    })
  const atMs = Date.parse("2024-12-31T12:00:00Z")
  const credits = ["acc_1", "acc_2"].flatMap((account) =>
    [0, 1].map((hour) => ({ atMs: atMs + hour * 3_600_000, account, calls: 1, credits: 5 })),
  )
  await opened.history.add({ process: "p1", number: 1, calls: [], faults: [], credits })
  const given = { by: "account", limit: 3 }
  const first = await run(historyOfCredits, given)
  const second = await run(historyOfCredits, { ...given, after: first.next })
  expect([first, second].flatMap(({ data }) => data)).toEqual(
    credits.map(({ atMs: ms, ...rest }) => ({ at: new Date(ms).toISOString(), ...rest })),
  )
  expect(second).toMatchObject({ has_more: false, next: null })
  expect(await run(historyOfFaults, { from: "2021-01-01" })).toMatchObject({ data: [] })
  expect(await refusal(historyOfFaults, { from: "2020-01-01" })).toMatchObject({ parameter: "from" })
})
