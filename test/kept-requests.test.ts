/** Requests of `--keep-requests`: what is kept of a call, who finds it, and what happens when there are too many. */
import { Database } from "bun:sqlite"
import { afterAll, describe, expect, test } from "bun:test"
import { batchSize, createRequestWriter } from "../src/history/request-writer.ts"
import { createCounts } from "../src/observe/counts.ts"
import { type NewRequest, timeOfRow } from "../src/store/kept-requests.ts"
import { StoreUnavailable } from "../src/store/store.ts"
import { adminOf } from "./support/admin.ts"
import { runLine } from "./support/admin-cli.ts"
import { openBrowser } from "./support/browser.ts"
import { createManualClock } from "./support/clock.ts"
import { postWith } from "./support/keyed-request.ts"
import { startTestService, type TestService } from "./support/service.ts"
import { createManualTimer } from "./support/timer.ts"
import { until } from "./support/until.ts"

const on = { flags: { keepRequests: "30" } }

describe("a service", async () => {
  test("keeps a request of each surface, with the parameter at fault, and nothing of input and answer", async () => {
    await using service = await started(on)
    const { account, id, key } = await service.createKey("pro")
    const secret = "dont-keep-this"
    await service.post("/v1/hmac", { message: secret, secret }, { key })
    await service.post(
      "/v1/linesorter/batch",
      { inputs: [{ lines: [secret] }, { lines: [] }, { lines: ["a"] }] },
      { key },
    )
    const query = `{ bluetoothlookup(input: { companyid: "76" }) { company } }`
    await service.post("/v1/graphql", { query }, { key })
    await service.fetch("/v1/bluetoothlookup?companyid=x&secret=dont-keep-this", {
      key,
      headers: { "x-request-id": "mine-1" },
    })
    await service.fetch("/v1/usage", { key })
    const { data } = await search(service, { account })
    expect(rowsOf(data, "surface api status fault parameter credits")).toEqual([
      ["rest", "usage", 200, null, null, 0],
      ["rest", "bluetoothlookup", 400, "inputRejected", "companyid", 0],
      ["graphql", "bluetoothlookup", 200, null, null, 1],
      ["batch", "linesorter", 200, null, null, 3],
      ["rest", "hmac", 200, null, null, 1],
    ])
    const second = { request_id: "mine-1", account, key: id, address: null, at: "2025-01-01T00:00:00.000Z" }
    expect(data[1]).toMatchObject(second)
    expect(await Bun.file(service.db).text()).not.toContain(secret)
    expect(await Bun.file(`${service.db}-wal`).text()).not.toContain(secret)
  })

  test("marks a call that was answered again, names headers whole, and gives all faults one form", async () => {
    await using service = await started(on)
    const { key } = await service.createKey("pro")
    const query = `{ bluetoothlookup(input: { companyid: "76" }) { company } }`
    const send = (headers: Record<string, string>, path: string, body: object) =>
      service.fetch(
        path,
        postWith(body, { key, headers: { "content-type": "application/json", ...headers } }),
      )
    for (const path of ["/v1/hmac", "/v1/hmac/batch", "/v1/graphql"]) {
      const input = { message: "a", secret: "b" }
      const body = path === "/v1/graphql" ? { query } : path === "/v1/hmac" ? input : { inputs: [input] }
      for (let n = 0; n < 2; n++) await send({ "idempotency-key": `k ${path}` }, path, body)
    }
    await send({ "idempotency-key": "é".repeat(2) }, "/v1/hmac", { message: "a", secret: "b" })
    await service.fetch("/v1/graphql", { key })
    await send({}, "/v1/graphql", { query: "{" })
    const { data } = await search(service, {})
    expect(rowsOf(data, "surface api fault parameter credits replayed")).toEqual([
      ["graphql", "none", "graphqlParseFailed", null, 0, false],
      ["graphql", "none", "methodNotAllowed", null, 0, false],
      ["rest", "hmac", "inputRejected", "Idempotency-Key", 0, false],
      ["graphql", "bluetoothlookup", null, null, 0, true],
      ["graphql", "bluetoothlookup", null, null, 1, false],
      ["batch", "hmac", null, null, 0, true],
      ["batch", "hmac", null, null, 1, false],
      ["rest", "hmac", null, null, 0, true],
      ["rest", "hmac", null, null, 1, false],
    ])
  })

  test("keeps what a caller without a known key got, and the addresses that it is told to keep", async () => {
    await using service = await started({ flags: { keepRequests: "30", keepAddresses: true } })
    await service.fetch("/v1/bluetoothlookup?companyid=76", { key: "pk-unknown" })
    await service.fetch("/no-such-path")
    const { data } = await search(service, { status: "4xx" })
    expect(data).toMatchObject([
      { status: 401, fault: "keyMalformed", account: null, key: null, address: "127.0.0.1" },
    ])
  })

  test("shows customers their own requests alone, whatever they search by", async () => {
    await using service = await started({ flags: { keepRequests: "30", keepAddresses: true } })
    const [own, other] = [await service.createKey("pro"), await service.createKey("pro")]
    const call = (key: string, id: string) =>
      service.fetch("/v1/bluetoothlookup?companyid=x", { key, headers: { "x-request-id": id } })
    await call(own.key, "of-own-1")
    await call(other.key, "of-other-1")
    // An id that both have given.
    await call(other.key, "shared")
    await call(own.key, "shared")
    const admin = await adminOf(service)
    const { next } = (await admin("GET", `/requests/kept?account=${other.account}&limit=1`)).body
    const browser = openBrowser(service.url)
    await browser.signIn("portal", { key: own.key })
    const searches = [{}, { request_id: "shared" }, { request_id: "of-other-1" }, { status: "4xx" }]
    const counts: Record<string, number> = { "of-other-1": 0, shared: 1 }
    const more = [{ fault: "inputRejected" }, { api: "bluetoothlookup" }, { after: String(next) }]
    for (const given of [...searches, ...more]) {
      const { status, body } = await browser.send(
        "GET",
        `/portal/v1/requests/kept?${new URLSearchParams(given)}`,
      )
      expect(status).toBe(200)
      const data = body.data as { account: string; request_id: string; address: string }[]
      expect(data.filter(({ account }) => account !== own.account)).toEqual([])
      // The cursor is a place in time, and its time is that of all of them.
      if (!("after" in given))
        expect(data.length).toBe(counts["request_id" in given ? given.request_id : ""] ?? 2)
      expect(JSON.stringify(body)).not.toContain("of-other-1")
    }
    const ofOther = [{ account: other.account }, { key: other.id }, { account: other.account, key: own.id }]
    const refused = ofOther.map((given) => `/kept?${new URLSearchParams(given)}`)
    for (const path of [...refused, "", "?account=x"]) {
      const { status } = await browser.send("GET", `/portal/v1/requests${path}`)
      expect([path, status]).toEqual([path, 404])
    }
  })

  test("shows the present names of account and key, which are not kept", async () => {
    await using service = await started(on)
    const admin = await adminOf(service)
    const named = await service.createKey("pro", { name: "ci" })
    const gone = await service.createKey("pro", { name: "gone" })
    const unnamed = await service.createKey("pro")
    const call = (key: string) => service.fetch("/v1/bluetoothlookup?companyid=76", { key })
    for (const { key } of [named, gone, unnamed]) await call(key)
    await call("pk-unknown")
    const names = async () => rowsOf((await search(service, {})).data, "account account_name key key_name")
    const rest = [
      [unnamed.account, "test", unnamed.id, ""],
      [gone.account, "test", gone.id, "gone"],
    ]
    const ofNobody = [null, null, null, null]
    expect(await names()).toEqual([ofNobody, ...rest, [named.account, "test", named.id, "ci"]])
    await admin("PATCH", `/accounts/${named.account}`, { body: { name: "Ann" } })
    await admin("PATCH", `/keys/${named.id}`, { body: { name: "deploy" } })
    expect((await names()).at(-1)).toEqual([named.account, "Ann", named.id, "deploy"])
    using database = new Database(service.db)
    database.run("PRAGMA foreign_keys = OFF")
    database.run("DELETE FROM keys WHERE id = ?", [gone.id])
    database.run("DELETE FROM accounts WHERE id = ?", [gone.account])
    expect((await names())[2]).toEqual([gone.account, null, gone.id, null])
    const browser = openBrowser(service.url)
    await browser.signIn("portal", { key: named.key })
    const { body } = await browser.send("GET", "/portal/v1/requests/kept")
    expect(body.data).toMatchObject([{ account_name: "Ann", key_name: "deploy" }])
  })

  test("keeps none by default, and says how to begin", async () => {
    await using service = await started({})
    const { key } = await service.createKey("pro")
    await service.fetch("/v1/bluetoothlookup?companyid=76", { key })
    expect(await search(service, {}, 409)).toMatchObject({
      detail: expect.stringContaining("--keep-requests 30"),
    })
  })

  const searched = await started(on)
  afterAll(searched.stop)
  test.each([
    ["request_id", "%"],
    ["request_id", "x".repeat(10_000)],
    ["fault", "' OR 1=1"],
    ["status", "4x"],
    ["api", "\0"],
    ["account", "%".repeat(3_000)],
    ["from", "yesterday"],
    ["after", "x"],
    ["after", Buffer.from('["requests",1,"a"]').toString("base64url")],
    ["after", Buffer.from('["audit",1,"id"]').toString("base64url")],
  ] as const)("refuses a %s that it cannot search by", async (parameter, text) => {
    expect(await search(searched, { [parameter]: text }, 400)).toMatchObject({ parameter })
  })

  test("refuses times of which the first is later, and finds nothing without a mistake", async () => {
    await using service = await started(on)
    const times = { from: "2027-01-01", to: "2026-01-01" }
    const mistake = { parameter: "from", detail: "The 'from' parameter must not be later than 'to'." }
    expect(await search(service, times, 400)).toMatchObject(mistake)
    const admin = await adminOf(service)
    const audit = await admin("GET", `/audit?${new URLSearchParams(times)}`)
    expect([audit.status, audit.body]).toMatchObject([400, mistake])
    const { to: from } = times
    expect(await search(service, { from, to: from })).toMatchObject({ data: [] })
    // The words hold also for a service that keeps requests.
    expect(await runLine(`requests list --db ${service.db}`)).toEqual({
      ...{ code: 0, out: "" },
      err: "No requests match. Requests are kept only by a service with --keep-requests.\n",
    })
  })
})

describe("the writer", () => {
  test("writes a second after the first request, some hundreds at a time, and again what the store did not take", async () => {
    const { writer, offer, timer, state } = newWriter()
    for (let n = 0; n < batchSize - 1; n++) offer({ status: 200, caller })
    expect([state.calls, timer.waiting]).toEqual([[], [1_000]])
    for (let n = 0; n < 77; n++) offer({ status: 200, caller })
    state.problem = new StoreUnavailable("no answer")
    timer.fire()
    await writer.write()
    expect(state.logged).toEqual(["requests not written; those in memory are written later"])
    state.problem = null
    await writer.write()
    expect(state.calls).toEqual([batchSize, 76])
    expect(new Set(state.requests.map(({ row }) => row)).size).toBe(batchSize + 76)
    expect(state.logged.at(-1)).toBe("requests are written again")
    await writer.stop()
  })

  test("does not queue attempts while the store takes long to fail", async () => {
    const { writer, offer, state } = newWriter()
    const failing = Promise.withResolvers<void>()
    let attempts = 0
    state.beforeAdd = () => {
      attempts++
      return failing.promise
    }
    offer({ status: 200, caller })
    void writer.write()
    await until(() => attempts === 1)
    for (let second = 0; second < 100; second++) void writer.write()
    const stopped = writer.stop()
    failing.reject(new StoreUnavailable("no answer"))
    await stopped
    expect(attempts).toBe(2)
    expect(state.logged.at(-1)).toBe("requests of the last seconds lost")
  })

  test("drops and counts what is too much, and strangers' requests first", async () => {
    const { writer, offer, state } = newWriter()
    for (let n = 0; n < 1_000; n++) offer({ status: 401, caller: null, fault: "keyUnknown" })
    expect(writer.dropped()).toBe(1_000 - 256)
    for (let n = 0; n < 20_000; n++) offer({ status: 200, caller })
    expect(writer.dropped()).toBe(1_000)
    await writer.write()
    expect(state.calls.reduce((sum, count) => sum + count, 0)).toBe(20_000)
    offer({ status: 401, caller: null })
    expect(writer.dropped()).toBe(1_000)
    await writer.stop()
  })

  test("of a test double writes when it is asked or has a batch, never by time, and drops nothing", async () => {
    const { writer, offer, timer, state } = newWriter({ isUntimed: true })
    for (let n = 0; n < 1_000; n++) offer({ status: 401, caller: null })
    expect([state.calls, timer.waiting, writer.dropped()]).toEqual([[], [], 0])
    for (let n = 0; n < 100; n++) offer({ status: 200, caller })
    await writer.write()
    expect(state.calls).toEqual([batchSize, 1_100 - batchSize])
    await writer.stop()
  })

  test("gives each request a row of its own, in the order of their ends, also when the clock is set back", async () => {
    const { writer, offer, clock, state } = newWriter()
    const startMs = clock.now()
    for (const ms of [0, 0, 900, -100, -3_600_000, 0, 3_599_200]) {
      clock.advance(ms)
      offer({ status: 200, caller })
    }
    await writer.write()
    const rows = state.requests.map(({ row }) => row)
    expect(new Set(rows).size).toBe(7)
    expect(rows.map((row) => timeOfRow(row) - startMs)).toEqual([0, 0, 900, 900, -3_599_200, -3_599_200, 0])
    // A batch is in the order of its rows.
    expect(state.calls).toEqual([4, 3])
    await writer.stop()
  })

  test("keeps of an own API's parameter the name alone, and nothing of other surfaces", async () => {
    const { writer, offer, counts, state } = newWriter()
    offer({ status: 400, caller, fault: "inputRejected", parameter: "inputs[3].secret" })
    offer({ status: 400, caller, fault: "inputRejected", parameter: "'; DROP" })
    for (const surface of ["admin", "unkeyed", "none", "portal"] as const)
      writer.offer(counts.tallyOf("accounts.list", surface), start, { status: 200 }, 1)
    await writer.write()
    expect(state.requests.map(({ parameter }) => parameter)).toEqual(["inputs", null])
    await writer.stop()
  })
})

type Found = { data: Record<string, unknown>[] }

/** These fields of each. */
const rowsOf = (data: Found["data"], fields: string) =>
  data.map((one) => fields.split(" ").map((field) => one[field]))

async function search(service: TestService, given: Readonly<Record<string, string>>, status = 200) {
  const admin = await adminOf(service)
  const answer = await admin("GET", `/requests/kept?${new URLSearchParams(given)}`)
  expect(answer.status).toBe(status)
  return answer.body as Found
}

async function started(options: Parameters<typeof startTestService>[0]) {
  const service = await startTestService(options)
  return Object.assign(service, { [Symbol.asyncDispose]: () => service.stop() })
}

const caller = { account: { id: "acc_1" }, key: { id: "key_1" } }
const start = { requestId: "id-1", address: () => "192.0.2.1", startedMs: 0 }

function newWriter({ isUntimed = false } = {}) {
  const clock = createManualClock()
  const timer = createManualTimer()
  const counts = createCounts([])
  const tally = counts.tallyOf("hmac", "rest")
  const state = {
    calls: [] as number[],
    requests: [] as NewRequest[],
    logged: [] as string[],
    problem: null as Error | null,
    beforeAdd: () => Promise.resolve(),
  }
  const writer = createRequestWriter({
    requests: {
      async add({ requests }) {
        await state.beforeAdd()
        if (state.problem) throw state.problem
        state.calls.push(requests.length)
        state.requests.push(...requests)
      },
    },
    keeping: () => ({ keepRequests: 1, keepAddresses: false }),
    process: "p",
    isUntimed,
    clock,
    timer,
    log: { warn: (message) => state.logged.push(message), info: (message) => state.logged.push(message) },
  })
  const offer = (end: Parameters<typeof writer.offer>[2]) => writer.offer(tally, start, end, 1)
  return { writer, offer, clock, timer, counts, state }
}
