/** Commands on a running service: what is sent, what is sent again, and what is said when there is no answer. */
import { describe, expect, test } from "bun:test"
import { type HttpClient, HttpFailure, type HttpFailureKind } from "../src/ports/http-client.ts"
import { keepAliveTimer } from "../src/ports/timer.ts"
import { runLine as run, runLineJson, scripted } from "./support/admin-cli.ts"
import type { CliTestOptions } from "./support/cli.ts"
import { readLines } from "./support/log.ts"
import { startTestService } from "./support/service.ts"

const env = { PENKNIFE_SERVER: "https://penknife.example.com/base/", PENKNIFE_ADMIN_KEY: "pka-0123" }
/** The pauses before each attempt, in milliseconds. None is waited for. */
const pauses: number[] = []
const timer = {
  ...keepAliveTimer,
  after(delayMs: number, then: () => void) {
    pauses.push(delayMs)
    queueMicrotask(then)
    return () => {}
  },
}
const runLine = (line: string, options: CliTestOptions) => run(line, { timer, ...options })
const failure = (kind: HttpFailureKind) => new HttpFailure(kind, "the system's words", null)
const problem = (status: number, code: string, detail: string, headers = {}) => ({
  status,
  headers: new Headers(headers),
  text: JSON.stringify({ type: `https://penknife.example.com/problems/${code}`, title: "T", status, detail }),
})
const key = { text: JSON.stringify({ id: "key_1", key: "pk-1", note: "" }) }

test("a change is a request with the key in a header and an Idempotency-Key of its own", async () => {
  const { httpClient, requests } = scripted(key, key)
  const line = "key rotate 'key_1/2' --grace 24h --json"
  for (let i = 0; i < 2; i++) expect((await runLine(line, { env, httpClient })).code).toBe(0)
  expect(requests[0]).toMatchObject({
    method: "POST",
    url: "https://penknife.example.com/base/admin/v1/keys/key_1%2F2/rotate",
    body: '{"grace":"24h"}',
    headers: { authorization: "Bearer pka-0123", "content-type": "application/json" },
  })
  const used = requests.map(({ headers }) => headers["idempotency-key"])
  expect(used[0]).toMatch(/^[0-9a-f]{32}$/)
  expect(new Set(used).size).toBe(2)
})

test("a list is read page by page with its filters in the query", async () => {
  const page = (data: object[], next: string | null) => ({
    text: JSON.stringify({ data, has_more: next !== null, next }),
  })
  const { httpClient, requests } = scripted(page([{ id: "a" }], "CURSOR"), page([{ id: "b" }], null))
  const { out } = await runLine("account list --plan 'a&b' --no-closed --json", { env, httpClient })
  expect(JSON.parse(out)).toEqual([{ id: "a" }, { id: "b" }])
  const searches = ["?plan=a%26b&closed=false&limit=1000", "?plan=a%26b&closed=false&limit=1000&after=CURSOR"]
  expect(requests.map(({ url }) => new URL(url).search)).toEqual(searches)
  expect(requests.map(({ body, headers }) => [body, headers["idempotency-key"]])).toEqual([
    [null, undefined],
    [null, undefined],
  ])
})

test("a key that would go over plain HTTP to another machine is warned of, on standard error", async () => {
  const page = { text: JSON.stringify({ data: [], has_more: false, next: null }) }
  const warned = async (server: string) => {
    const { httpClient } = scripted(page)
    const { code, out, err } = await runLine(`account list --json --server ${server}`, { env, httpClient })
    expect([code, out]).toEqual([0, "[]\n"])
    return err.includes("over plain HTTP")
  }
  for (const host of ["penknife.example.com", "192.0.2.1:8080", "[2001:db8::1]"]) {
    expect([host, await warned(`http://${host}`)]).toEqual([host, true])
    expect([host, await warned(`https://${host}`)]).toEqual([host, false])
  }
  for (const host of ["localhost:8080", "127.0.0.1", "[::1]:8080"])
    expect([host, await warned(`http://${host}`)]).toEqual([host, false])
})

test("when the connection breaks: the same request is sent again with the same Idempotency-Key", async () => {
  const { httpClient, requests } = scripted(failure("broken"), failure("timeout"), key)
  const { code, out } = await runLine("key rotate key_1 --json", { env, httpClient })
  expect([code, JSON.parse(out).key]).toEqual([0, "pk-1"])
  expect(requests).toHaveLength(3)
  expect(new Set(requests.map((request) => JSON.stringify(request))).size).toBe(1)
})

test("when the connection breaks: the first request may still be under way: that is waited for", async () => {
  const { httpClient } = scripted(failure("broken"), problem(409, "in-progress", "Wait."), key)
  expect((await runLine("key rotate key_1 --json", { env, httpClient })).code).toBe(0)
  const first = scripted(problem(409, "in-progress", "Wait."))
  const refused = await runLine("key rotate key_1", { env, httpClient: first.httpClient })
  expect(refused).toEqual({ code: 1, out: "", err: "penknife: Wait.\n" })
})

test("when the connection breaks: a secret that was shown to nobody is said to be lost", async () => {
  const text = JSON.stringify({ id: "key_1", key: null, note: "" })
  const { httpClient } = scripted(failure("broken"), { text })
  const { code, err } = await runLine("key rotate key_1", { env, httpClient })
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("a secret is shown only once") })
})

test("when the connection breaks: it is given up after four attempts", async () => {
  const { httpClient, requests } = scripted(...Array.from({ length: 9 }, () => failure("broken")))
  const { code, err } = await runLine("account list", { env, httpClient })
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("broke 4 times. Check --server") })
  expect(requests).toHaveLength(4)
  expect(pauses.slice(-3)).toEqual([200, 1_000, 3_000])
})

test("what reads waits for one answer; what changes is sent again, and may have been done", async () => {
  const late = () => scripted(...Array.from({ length: 9 }, () => failure("timeout")))
  const read = late()
  const list = await runLine("account list", { env, httpClient: read.httpClient })
  expect(list.code).toBe(1)
  expect(list.err).toContain("did not answer in time. Check --server")
  expect(read.requests).toHaveLength(1)
  const change = late()
  const rotated = await runLine("key rotate key_1", { env, httpClient: change.httpClient })
  expect(rotated.err).toContain("did not answer in time. Check first whether the change was made.")
  expect(change.requests).toHaveLength(4)
})

test.each([
  ["a list that is none", '{"data":"x"}'],
  ["a page that is followed by itself", '{"data":[],"has_more":true,"next":"SAME"}'],
])("%s is no answer of this program", async (_, text) => {
  const { httpClient } = scripted({ text }, { text }, { text })
  const { code, err } = await runLine("account list", { env, httpClient })
  expect({ code, err }).toEqual({
    code: 1,
    err: "penknife: The answer is not from penknife's admin API. Check --server.\n",
  })
})

test("a service that asks to wait is obeyed, but not for long", async () => {
  const list = { text: '{"data":[],"has_more":false,"next":null}' }
  const busy = (s: string) => problem(429, "too-many-requests", "Slow down.", { "retry-after": s })
  const short = scripted(busy("0"), list)
  expect((await runLine("account list --json", { env, httpClient: short.httpClient })).out).toBe("[]\n")
  const long = scripted(busy("3600"), list)
  const refused = await runLine("account list", { env, httpClient: long.httpClient })
  expect(refused).toEqual({ code: 1, out: "", err: "penknife: Slow down.\n" })
})

test.each<[HttpFailureKind, string]>([
  ["refused", "Nothing listens at https://penknife.example.com/base. Check --server"],
  ["unknown-host", "The host of https://penknife.example.com/base has no address."],
  ["untrusted", "is not trusted: the system's words. If it is from your own authority, name"],
  ["not-tls", "does not speak TLS. If it serves plain HTTP, write http://"],
])("%s is said at once, with what to change", async (kind, message) => {
  const { httpClient, requests } = scripted(failure(kind))
  const { code, err } = await runLine("account list", { env, httpClient })
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(message) })
  expect(requests).toHaveLength(1)
})

test("what the service refuses is printed in its words", async () => {
  const detail = "This is an API key, not an admin key."
  const { httpClient } = scripted(problem(401, "unauthenticated", detail))
  const result = await runLine("account list", { env, httpClient })
  expect(result).toEqual({ code: 1, out: "", err: `penknife: ${detail}\n` })
})

test.each([
  ["a proxy", { status: 502, text: "<html>" }, "answered with status 502, not as the admin API does"],
  ["a redirect", { status: 302, text: "" }, "answered with status 302, not as the admin API does"],
  ["a page instead of JSON", { status: 200, text: "<html>" }, "something else than JSON"],
  ["other JSON", { status: 200, text: "[]" }, "not from penknife's admin API"],
])("%s is not taken for the admin API", async (_, reply, message) => {
  const { httpClient } = scripted(reply)
  const { code, err } = await runLine("account list", { env, httpClient })
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(message) })
})

test("what is said more directly wins: a flag, then the environment, then the file", async () => {
  const list = { text: '{"data":[],"has_more":false,"next":null}' }
  const { httpClient, requests } = scripted(list, list)
  const onFile = await runLine("account list --db /nonexistent/x.db", { env, httpClient })
  expect(onFile.err).toContain("/nonexistent/x.db")
  const withDb = { ...env, PENKNIFE_DB: "x.db" }
  await runLine("account list --server http://127.0.0.1:1", { env: withDb, httpClient })
  expect(requests.map(({ url }) => new URL(url).origin)).toEqual(["http://127.0.0.1:1"])
  const both = await runLine("account list", { env: withDb, httpClient })
  expect(both).toMatchObject({ code: 2, err: expect.stringContaining("Give either --db or --server") })
})

describe("requests", () => {
  const runLine = (line: string, options: CliTestOptions) =>
    run(line, { env, timer: keepAliveTimer, stopRequested: () => new Promise(() => {}), ...options })
  const at = "2027-01-31T12:00:01.500Z"
  const event = { at, request_id: "req_1", surface: "rest", api: "hmac", status: 200 }
  const more = { fault: null, account: "acc_1", key: "key_1", credits: 1, ms: 0.5, address: "192.0.2.1" }
  const shown = `data: ${JSON.stringify({ ...event, ...more })}\n\n`
  const failed = `data: ${JSON.stringify({ ...event, ...more, status: 429, fault: "rate\u001bLimited" })}\n\n`
  const stream = `retry: 2000\n: watching\n\n${shown}: still here\n\nevent: lost\ndata: {"count":12}\n\n${failed}`
  const stopped = 'event: end\ndata: {"reason":"closing"}\n\n'

  test("are shown in columns, and what was left out is said", async () => {
    const { httpClient, requests } = scripted({ text: stream + stopped })
    const { code, out, err } = await runLine("requests --status 4xx --status 200", { httpClient })
    expect(requests[0]?.url).toBe("https://penknife.example.com/base/admin/v1/requests?status=4xx&status=200")
    expect(out.split("\n")).toEqual([
      "at            status  api   ms   credits  key    fault",
      "12:00:01.500  200     hmac  0.5  1        key_1  -",
      "12:00:01.500  429     hmac  0.5  1        key_1  rate\\u001bLimited",
      "",
    ])
    expect(err).toBe(
      "12 more were left out: there were too many to show.\npenknife: The service stops. Start the command again when it runs.\n",
    )
    expect(code).toBe(1)
  })

  test("are read when a proxy ends lines with CRLF and cuts them anywhere", async () => {
    const lines = stream.replaceAll("\n", "\r\n")
    async function* pieces() {
      for (const byte of Buffer.from(lines)) yield Uint8Array.of(byte)
    }
    const httpClient: HttpClient = {
      send: () => Promise.reject(new Error("nothing is sent")),
      open: async () => ({ status: 200, headers: new Headers(), pieces: pieces() }),
    }
    const { out, err } = await runLine("requests", { httpClient })
    expect(out.match(/^12:00:01\.500 {2}\d+/gm)).toEqual(["12:00:01.500  200", "12:00:01.500  429"])
    expect(err).toStartWith("12 more were left out")
  })

  test("are JSON lines with --json", async () => {
    const { httpClient } = scripted({ text: stream })
    const { out, err } = await runLine("requests --json", { httpClient })
    expect(readLines(out).map(({ status }) => status)).toEqual([200, 429])
    expect(err).toEndWith("ended the connection. Start the command again.\n")
  })

  test.each([
    ["not-allowed", 'event: end\ndata: {"reason":"not-allowed"}\n\n', "no longer works"],
    ["a reason of a later version", 'event: end\ndata: {"reason":"other"}\n\n', "The service stops."],
    ["no JSON", "data: x\n\n", "answered with something else than JSON"],
  ])("%s ends the command", async (_name, text, expected) => {
    const { httpClient } = scripted({ text })
    const err = expect.stringContaining(expected)
    expect(await runLine("requests", { httpClient })).toMatchObject({ code: 1, err })
  })

  test("a refusal is said in the service's own words", async () => {
    const { httpClient } = scripted(problem(403, "forbidden", "This needs the permission 'requests.read'."))
    const { code, err } = await runLine("requests", { httpClient })
    expect({ code, err }).toEqual({ code: 1, err: "penknife: This needs the permission 'requests.read'.\n" })
  })

  test.each<[HttpFailureKind, string]>([
    ["broken", "broke. Start the command again."],
    ["timeout", "Nothing came from https://penknife.example.com/base for 60 s."],
    ["refused", "Nothing listens at"],
  ])("a connection that is %s is said", async (kind, expected) => {
    const { httpClient } = scripted(failure(kind))
    const { err } = await runLine("requests", { httpClient })
    expect(err).toContain(expected)
  })

  test("stop without an error when the user ends them", async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const httpClient: HttpClient = {
      send: () => Promise.reject(new Error("nothing is sent")),
      async open(_request, stop) {
        async function* pieces() {
          yield Buffer.from(shown)
          resolve()
          await new Promise((end) => stop.addEventListener("abort", end))
        }
        return { status: 200, headers: new Headers(), pieces: pieces() }
      },
    }
    const { code, out, err } = await runLine("requests --json", { httpClient, stopRequested: () => promise })
    expect([code, JSON.parse(out), err]).toEqual([0, { ...event, ...more }, ""])
  })

  test.each(["--db :memory:", "--db nothing.db"])("on a store (%s): a clear error", async (store) => {
    const { code, err } = await runLine(`requests ${store}`, { env: {} })
    expect(code).toBe(2)
    expect(err).toContain("Name a running service with --server")
    expect(err).toContain("'penknife requests list' lists those that a service with --keep-requests keeps.")
  })
})

test("a refused value is wrong usage with the same words on a store and on a service", async () => {
  const service = await startTestService({ flags: { signUpMode: "invite", keepRequests: "30" } })
  const account = await runLineJson(`account create --name Ann --db ${service.db}`)
  const { key: adminKey } = await runLineJson(`admin-key create --name cli --db ${service.db}`)
  const env = { PENKNIFE_SERVER: service.url, PENKNIFE_ADMIN_KEY: adminKey }
  for (const [line, message] of [
    [`statement ${account.id} --month 2026-13`, "--month must be a month such as 2027-01."],
    ["audit --from yesterday", "--from must be"],
    [`account adjust ${account.id} 0 --reason x`, "CREDITS must not be 0."],
    ["admin-key create --name x --may nothing.*", "There is no permission 'nothing.*'."],
    ["invite notanaddress", ""],
    ["account list --limit 0", "option '--limit <NUMBER>' argument '0' is invalid."],
    ["requests list --status 9xx", "--status must be a status such as 404"],
    ["requests list --from 2027-01-01 --to 2026-01-01", "--from must not be later than --to."],
  ] as const) {
    const onStore = await run(`${line} --db ${service.db}`, { env: { PENKNIFE_SIGN_UP_MODE: "invite" } })
    expect({ line, ...onStore }).toEqual({
      ...{ line, code: 2, out: "" },
      err: expect.stringMatching(/^penknife: [^\n]*\n\(add --help for help\)\n$/),
    })
    expect(onStore.err).toStartWith(`penknife: ${message}`)
    expect({ line, ...(await run(line, { env })) }).toEqual({ line, ...onStore })
  }
})
