/** Clients that send a whole body before they read get the refusal all the same (RFC 9112 §9.6). */
import { afterAll, describe, expect, test } from "bun:test"
import { connect } from "node:net"
import { createHeldDns } from "./support/held-dns.ts"
import { startTestService } from "./support/service.ts"

const service = await startTestService()
const held = createHeldDns()
const full = await startTestService({ flags: { maxCalls: "1" }, ports: { dns: held.dns } })
const { key: other } = await full.createKey("pro")
// It only has to be under way: nobody waits for its answer.
const call = full.fetch("/v1/spfvalidator?domain=d.example", { key: other }).catch(() => null)
await held.asked()
afterAll(async () => {
  held.release()
  await call
  await Promise.all([service.stop(), full.stop()])
})
const { account, key } = await service.createKey("pro")
const { key: slow } = await service.accounts.createKey({ accountId: account, rateLimit: 1 })
await service.fetch("/v1/bluetoothlookup?companyid=76", { key: slow })

const piece = "x".repeat(65_536)
const json = "content-type: application/json\r\n"

/** Writes everything, and reads only then. */
function sendFirst(address: string, head: string, isChunked: boolean, pieces: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const { hostname, port, pathname } = new URL(address)
  const socket = connect(Number(port), hostname)
  socket.pause()
  socket.on("error", reject)
  const length = isChunked ? "transfer-encoding: chunked" : `content-length: ${pieces * piece.length}`
  const part = isChunked ? `10000\r\n${piece}\r\n` : piece
  let text = `POST ${pathname} HTTP/1.1\r\nhost: x\r\n${head}${length}\r\n\r\n`
  let left = pieces
  const write = () => {
    left--
    socket.write(text, () => {
      text = part
      if (left >= 0) return write()
      if (isChunked) socket.write("0\r\n\r\n")
      let answer = ""
      socket.on("data", (bytes) => {
        answer += bytes.toString("latin1")
        if (/\r\n\r\n.*\}$/s.test(answer)) resolve(answer)
      })
      socket.on("close", () => reject(new Error("the connection ended without an answer")))
      socket.resume()
    })
  }
  write()
  return promise.finally(() => socket.destroy())
}

const keyed = `x-api-key: ${key}\r\n`
const refusals: readonly (readonly [status: number, head: string, address: string])[] = [
  [401, json, `${service.url}/v1/hmac`],
  [404, keyed + json, `${service.url}/v1/nothing`],
  [413, keyed + json, `${service.url}/v1/hmac`],
  [413, keyed + json, `${service.url}/v1/hmac/batch`],
  [415, `${keyed}content-type: text/plain\r\n`, `${service.url}/v1/hmac`],
  [429, `x-api-key: ${slow}\r\n${json}`, `${service.url}/v1/hmac`],
  [503, keyed + json, `${full.url}/v1/hmac`],
]

describe.each(refusals)("a %i", (status, head, address) => {
  test.each([
    ["", false, 64],
    ["connection: close\r\n", false, 320],
    ["", true, 64],
    ["connection: close\r\n", true, 64],
  ])("%j, in chunks: %p, of %i times 64 KiB, reaches its client", async (connection, isChunked, pieces) => {
    expect(await sendFirst(address, head + connection, isChunked, pieces)).toStartWith(`HTTP/1.1 ${status} `)
  })
})
