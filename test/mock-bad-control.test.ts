/** Refusals of the mock's control paths: each names what to change, and changes nothing. */
import { describe, expect, test } from "bun:test"
import { startTestMock } from "./support/mock.ts"

const mock = await startTestMock()

async function everything() {
  const paths = ["/faults", "/stubs", "/clock", "/dns", "/requests", "/notices"]
  return Promise.all(paths.map(async (path) => (await mock.control("GET", path)).data))
}

const before = await everything()

describe("bad input is a 400 that names the field, and changes nothing", () => {
  const [loan, spf, records] = ["loanpaymentcalculator", "spfvalidator", "spf_records_list"]
  test.each<[method: string, path: string, body: unknown, field: string]>([
    ["PUT", "/faults", {}, "status"],
    ["PUT", "/faults", { status: 200 }, "status"],
    ["PUT", "/faults", { status: "503" }, "status"],
    ["PUT", "/faults", { status: 503, times: 0 }, "times"],
    ["PUT", "/faults", { status: 503, api: "hmacs" }, "api"],
    ["PUT", "/faults", { status: 503, key: "" }, "key"],
    ["PUT", "/faults", { delay_ms: -1 }, "delay_ms"],
    ["PUT", "/faults", { delay_ms: 1e9 }, "delay_ms"],
    ["PUT", "/faults", { reset: "yes" }, "reset"],
    ["PUT", "/faults", { malformed: 1 }, "malformed"],
    ["PUT", "/faults", { stauts: 503 }, "stauts"],
    ["POST", "/faults", { stauts: 503 }, "stauts"],
    ["POST", "/faults", "", "body"],
    ["PUT", "/faults", { headers: {} }, "status"],
    ["PUT", "/faults", { headers: "x" }, "headers"],
    ["PUT", "/faults", { headers: { a: 5 } }, "headers"],
    ["PUT", "/faults", { headers: { "a b": "c" } }, "headers.a b"],
    ["PUT", "/faults", { headers: { a: "b\r\nc: d" } }, "headers.a"],
    ["PUT", "/faults", { headers: { a: "é" } }, "headers.a"],
    ["PUT", "/faults", { headers: { "Content-Length": "5" } }, "headers.Content-Length"],
    ["PUT", "/faults", { headers: { "transfer-encoding": "chunked" } }, "headers.transfer-encoding"],
    ["PUT", "/faults", { status: 503, input: { message: "x" } }, "api"],
    ["PUT", "/faults", { status: 503, api: "hmac", input: { text: "x" } }, "input.text"],
    ["PUT", "/faults", { status: 503, api: "hmac", input: { message: 5 } }, "input.message"],
    ["PUT", "/faults", { status: 503, probability: 0 }, "probability"],
    ["PUT", "/faults", { status: 503, probability: 1.1 }, "probability"],
    ["PUT", "/faults", { status: 503, probability: "0.5" }, "probability"],
    ["PUT", "/faults", { status: 503, seed: 1 }, "probability"],
    ["PUT", "/faults", { status: 503, probability: 0.5, seed: -1 }, "seed"],
    ["PUT", "/faults", { probability: 0.5 }, "status"],
    ["PUT", "/faults", "not JSON", "body"],
    ["PUT", "/faults", "[]", "body"],
    ["PUT", "/faults", "", "body"],
    ["PUT", "/faults", "null", "body"],
    ["PUT", "/faults", new Uint8Array([0x7b, 0xff, 0x7d]), "body"],
    ["PUT", "/faults", '{"status": 1e400}', "status"],
    ["PUT", "/faults", { status: 503.5 }, "status"],
    ["PUT", "/faults", { status: null }, "status"],
    ["PUT", "/faults", { status: 503, times: -1 }, "times"],
    ["PUT", "/faults", { status: 503, times: 1.5 }, "times"],
    ["PUT", "/faults", { status: 503, times: 1e30 }, "times"],
    ["PUT", "/faults", { status: 503, api: "graphql" }, "api"],
    ["PUT", "/faults", { status: 503, api: ["hmac"] }, "api"],
    ["PUT", "/faults", { status: 503, key: 5 }, "key"],
    ["PUT", "/faults", { delay_ms: 0 }, "status"],
    ["PUT", "/faults", { reset: false }, "status"],
    ["PUT", "/faults", '{"__proto__": {"status": 503}}', "__proto__"],
    ["PUT", "/faults", { delay_ms: { min: 5, max: 4 } }, "delay_ms"],
    ["PUT", "/faults", { delay_ms: { min: 5 } }, "delay_ms"],
    ["PUT", "/faults", { delay_ms: { min: -1, max: 4 } }, "delay_ms"],
    ["PUT", "/faults", { delay_ms: { min: 0, max: 600_001 } }, "delay_ms"],
    ["PUT", "/faults", { delay_ms: { min: 0, max: 1, p50: 1, p99: 1 } }, "delay_ms"],
    ["PUT", "/faults", { delay_ms: { p50: 0, p99: 1 } }, "delay_ms"],
    ["PUT", "/faults", { delay_ms: { p50: 9, p99: 8 } }, "delay_ms"],
    ["PUT", "/faults", { delay_ms: { p50: 1.5, p99: 8 } }, "delay_ms"],
    ["PUT", "/faults", { delay_ms: 600_001 }, "delay_ms"],
    ["PUT", "/faults", { delay_ms: "5" }, "delay_ms"],
    ["PUT", "/faults", { delay_ms: [1, 2] }, "delay_ms"],
    ["PUT", "/faults", { delay_ms: 5, seed: 1 }, "probability"],
    ["PUT", "/faults", { bytes_per_second: 0 }, "bytes_per_second"],
    ["PUT", "/faults", { bytes_per_second: 1e10 }, "bytes_per_second"],
    ["PUT", "/faults", { bytes_per_second: 1.5 }, "bytes_per_second"],
    ["PUT", "/faults", { hang: 1 }, "hang"],
    ["PUT", "/faults", { hang: false }, "status"],
    ["PUT", "/faults", { webhook: true, delay_ms: { min: 0, max: 4 } }, "delay_ms"],
    ["PUT", "/faults", { webhook: true, hang: true }, "hang"],
    ["PUT", "/faults", { webhook: true, twice: true, bytes_per_second: 5 }, "bytes_per_second"],
    ["PUT", "/faults", { webhook: true }, "status"],
    ["PUT", "/faults", { webhook: true, drop: false }, "status"],
    ["PUT", "/faults", { webhook: true, drop: true, status: 503 }, "status"],
    ["PUT", "/faults", { webhook: true, delay_ms: 5, twice: true }, "delay_ms"],
    ["PUT", "/faults", { webhook: true, drop: true, api: "hmac" }, "api"],
    ["PUT", "/faults", { webhook: true, twice: true, body: "x" }, "body"],
    ["PUT", "/faults", { webhook: true, drop: true, seed: 3 }, "probability"],
    ["PUT", "/faults", { drop: true }, "webhook"],
    ["PUT", "/faults", { api: "hmac", status: 503, late_timestamp: true }, "webhook"],
    ["PUT", "/faults", { webhook: "yes", drop: true }, "webhook"],
    ["DELETE", "/faults", { api: "hmac" }, "body"],
    ["DELETE", "/stubs", { api: "hmac" }, "body"],
    ["DELETE", "/requests", "all", "body"],
    ["DELETE", "/requests?api=hmac", undefined, "api"],
    ["POST", "/reset", { clock: true }, "body"],
    ["POST", "/reset?only=clock", undefined, "only"],
    ["PUT", "/stubs", { data: {} }, "api"],
    ["PUT", "/stubs", { api: "hmac" }, "data"],
    ["PUT", "/stubs", { api: "hmac", data: [] }, "data"],
    ["PUT", "/stubs", { api: "hmac", data: { hmac: 5 } }, "data.hmac"],
    ["PUT", "/stubs", { api: "hmac", data: { digest: "x" } }, "data.digest"],
    ["PUT", "/stubs", { api: "hmac", data: {}, input: { text: "x" } }, "input.text"],
    ["PUT", "/stubs", { api: "hmac", data: {}, input: { message: 5 } }, "input.message"],
    ["PUT", "/stubs", { api: "hmac", data: {}, input: { algorithm: "sha3" } }, "input.algorithm"],
    ["PUT", "/stubs", { api: "hmac", data: null }, "data"],
    ["PUT", "/stubs", { api: "hmac", data: {}, times: 1 }, "times"],
    ["PUT", "/stubs", { api: loan, data: { formatted: "x" } }, "data.formatted"],
    ["PUT", "/stubs", { api: loan, data: { formatted: { loan: "$1" } } }, "data.formatted.loan"],
    [
      "PUT",
      "/stubs",
      { api: spf, data: { spf_records_list: [{}, { origin: 5 }] } },
      `data.${records}[1].origin`,
    ],
    ["PUT", "/stubs", { api: "linesorter", data: { sorted: ["a", 5] } }, "data.sorted"],
    ["PUT", "/stubs", { api: "none", data: {} }, "api"],
    ["PUT", "/stubs", { api: "hmac", data: {}, body: "x" }, "body"],
    ["PUT", "/stubs", { api: "hmac", headers: {} }, "data"],
    ["PUT", "/stubs", { api: "hmac", headers: { "": "x" } }, "headers."],
    ["PUT", "/stubs", { api: "hmac", data: {}, probability: 2 }, "probability"],
    ["PUT", "/stubs", { api: "hmac", data: {}, status: 500 }, "status"],
    ["PUT", "/stubs", "", "body"],
    ["PUT", "/clock", "[]", "body"],
    ["PUT", "/clock", { now: "1969-12-31T23:59:59Z" }, "now"],
    ["PUT", "/clock", { now: "2025-01-01T00:00:00" }, "now"],
    ["PUT", "/clock", { advance: "" }, "advance"],
    ["PUT", "/clock", { advance: 31 }, "advance"],
    ["PUT", "/clock", { advance: "99999999999999999999d" }, "advance"],
    ["PUT", "/clock", { advance: "999999999d" }, "advance"],
    ["PUT", "/clock", { advanse: "1d" }, "advanse"],
    ["PUT", "/clock", {}, "now"],
    ["PUT", "/clock", { now: "2025-02-30" }, "now"],
    ["PUT", "/clock", { now: "yesterday" }, "now"],
    ["PUT", "/clock", { now: 5 }, "now"],
    ["PUT", "/clock", { advance: "1 month" }, "advance"],
    ["PUT", "/clock", { advance: "-1d" }, "advance"],
    ["PUT", "/clock", { now: "2025-02-01", advance: "1d" }, "advance"],
    ["PUT", "/dns", "", "zone"],
    ["PUT", "/dns", "[]", "zone"],
    ["PUT", "/dns", "null", "zone"],
    ["PUT", "/dns", "# nothing", "zone"],
    ["PUT", "/dns", "a.example: [", "zone"],
    ["PUT", "/dns", "a.example: []\n---\nb.example: []\n", "zone"],
    ["PUT", "/dns", new Uint8Array([0xff, 0xfe]), "body"],
    ["PUT", "/dns", { "a.example": null }, "a.example"],
    ["PUT", "/dns", { "a.example": [{ A: "300.1.1.1" }] }, "a.example"],
    ["PUT", "/dns", { "a.example": [{ NAPTR: "x" }] }, "a.example"],
    ["PUT", "/dns", { "a.example": [{ TXT: 5 }] }, "a.example"],
    ["PUT", "/dns", { "a.example": ["SLOW"] }, "a.example"],
    ["PUT", "/dns", { "a..example": [] }, "a..example"],
    ["GET", "/requests?status=abc", undefined, "status"],
    ["GET", "/requests?api=none", undefined, "api"],
    ["GET", "/requests?apis=hmac", undefined, "apis"],
    ["GET", "/faults?x=1", undefined, "x"],
  ])("%s %s %j names %s", async (method, path, body, field) => {
    const { code, status, error, data } = await mock.control(method, path, body)
    expect({ code, status, data }).toEqual({ code: 400, status: "error", data: null })
    expect(error).toContain(`'${field}'`)
    expect(error).toMatch(/^The '[^']+' parameter .*[^.]\.$/)
    expect(await everything()).toEqual(before)
  })

  test.each(["/faults", "/stubs", "/clock", "/dns"])(
    "PUT %s of more than --max-body is a 413, also when the answer comes before the whole body is sent",
    async (path) => {
      for (const bytes of path === "/dns" ? [3_000_000, 12_000_000] : [3_000_000]) {
        const { code, error } = await mock.control("PUT", path, `{"a.example": "${"x".repeat(bytes)}"}`)
        expect([code, error]).toEqual([413, "The request 'body' must have at most 2,097,152 bytes."])
      }
      expect(await everything()).toEqual(before)
    },
  )

  test("an unknown path is a 404, an unknown method a 405, and preflights are answered", async () => {
    const unknown = { code: 404, error: expect.stringContaining("/_mock/faults") }
    expect(await mock.control("GET", "/fault")).toMatchObject(unknown)
    const wrong = await mock.fetch("/_mock/clock", { method: "DELETE" })
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, PUT, POST"])
    const headers = { "access-control-request-method": "PUT" }
    const preflight = await mock.fetch("/_mock/clock", { method: "OPTIONS", headers })
    expect([preflight.status, preflight.headers.get("access-control-allow-methods")]).toEqual([
      204,
      "GET, PUT, POST, DELETE, OPTIONS",
    ])
  })
})
