/** Bytes that are not HTTP, or that two readers could take for different requests (RFC 9112 §11.2). */
import { expect, test } from "bun:test"
import { connect } from "node:net"
import fc from "fast-check"
import { converse } from "../support/raw-http.ts"
import { tempDir } from "../support/temp.ts"
import { seedOne } from "./accounts.ts"
import { serveForFile } from "./support.ts"

const { db, key, used } = await seedOne(tempDir())
const server = await serveForFile(db)

const smuggled = `GET /v1/bluetoothlookup?companyid=76 HTTP/1.1\r\nHost: a\r\nx-api-key: ${key}\r\n\r\n`
const statusesOf = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)

test.each([
  ["a length and chunks", "Content-Length: 90\r\nTransfer-Encoding: chunked", "0\r\n\r\n"],
  ["chunks and a length", "Transfer-Encoding: chunked\r\nContent-Length: 5", "0\r\n\r\n"],
  ["two lengths", "Content-Length: 0\r\nContent-Length: 90", ""],
  ["a list of lengths", "Content-Length: 0, 90", ""],
  ["a length with a sign", "Content-Length: +0", ""],
  ["a negative length", "Content-Length: -1", ""],
  ["a hexadecimal length", "Content-Length: 0x2", "{}"],
  ["a length that no number holds", "Content-Length: 18446744073709551616", ""],
  ["a blank before the colon", "Content-Length : 0", ""],
  ["an unknown coding", "Transfer-Encoding: xchunked", "0\r\n\r\n"],
  ["chunks that are not last", "Transfer-Encoding: chunked, identity", "0\r\n\r\n"],
  ["two codings", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "0\r\n\r\n"],
  ["a folded header", "Transfer-Encoding:\r\n chunked", "0\r\n\r\n"],
  ["a control in a coding", "Transfer-Encoding: \x0bchunked", "0\r\n\r\n"],
  ["a NUL in a header", "X-A: a\0b", ""],
  ["a bare CR in a header", "X-A: a\rX-B: b", ""],
  ["a bare LF in a header", "X-A: a\nX-B: b", ""],
  ["a negative chunk", "Transfer-Encoding: chunked", "-1\r\n\r\n"],
  ["a chunk that no number holds", "Transfer-Encoding: chunked", "10000000000000000\r\n{}\r\n0\r\n\r\n"],
  ["chunks that end in bare LF", "Transfer-Encoding: chunked", "2\n{}\n0\n\n"],
  ["a chunk that is longer than it says", "Transfer-Encoding: chunked", "2\r\n{}x\r\n0\r\n\r\n"],
])("%s: one 400, and what follows is not read as a request", async (_name, headers, body) => {
  const answer = await converse(
    server.url,
    `POST /v1/nothing HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n${body}${smuggled}`,
  )
  // A request may be refused before a broken chunk of its body has come.
  const early = headers === "Transfer-Encoding: chunked" ? "404" : ""
  expect(statusesOf(answer).filter((status) => status !== early)).toEqual(["400"])
})

test.each([
  ["TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"],
  ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["HTTP/0.9", "GET /health\r\n\r\n"],
  ["a mail", "EHLO a\r\nMAIL FROM:<a@b.example>\r\n\r\n"],
  ["no host", "GET /health HTTP/1.1\r\n\r\n"],
  ["a request without a path", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"],
])("%s is refused, and the connection closed", async (_name, bytes) => {
  const answer = await converse(server.url, bytes)
  expect(statusesOf(answer).filter((status) => !["400", "505"].includes(status ?? ""))).toEqual([])
  expect(answer).not.toContain("200")
})

test("1,000 requests with bytes changed, removed and added cause no error of the service", async () => {
  const short = ["\r", "\n", "\r\n", "\0", " ", ":", "\xff", "\r\n\r\n", "chunked", "-"]
  const pieces = fc.constantFrom(...short, "9".repeat(20))
  let answered = 0
  const change = fc.tuple(fc.nat(2), fc.nat(400), pieces)
  const property = fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
    let bytes = `POST /v1/hmac HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`
    for (const [kind, at, piece] of changes) {
      const place = at % bytes.length
      const rest = kind === 0 ? place : place + piece.length
      bytes = bytes.slice(0, place) + (kind === 2 ? "" : piece) + bytes.slice(rest)
    }
    const statuses = statusesOf(await sendAndLeave(bytes))
    if (statuses.length > 0) answered++
    expect(statuses.filter((status) => Number(status) >= 500 && status !== "505")).toEqual([])
  })
  await fc.assert(property, { numRuns: 1_000 })
  expect(answered).toBeGreaterThan(500)
  // Every smuggled call carried a key that would have been charged.
  expect(await used()).toBe(0)
})

/** Closes its side after writing, so that the server does not wait for the rest of a request. */
function sendAndLeave(bytes: string): Promise<string> {
  const { hostname, port } = new URL(server.url)
  return new Promise((resolve) => {
    let answer = ""
    const socket = connect(Number(port), hostname)
    socket.on("data", (piece) => {
      answer += piece.toString("latin1")
    })
    // A server that has closed may reset the connection.
    socket.on("error", () => socket.destroy())
    socket.on("close", () => resolve(answer))
    socket.end(bytes, "latin1")
  })
}
