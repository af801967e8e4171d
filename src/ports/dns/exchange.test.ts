import { expect, test } from "bun:test"
import { networkInterfaces } from "node:os"
import fc from "fast-check"
import { openFiles } from "../../../test/support/open-files.ts"
import { until } from "../../../test/support/until.ts"
import { systemClock } from "../clock.ts"
import { systemRandom } from "../random.ts"
import { systemTimer } from "../timer.ts"
import { createFrameReader, type Listener, openUdpExchange } from "./exchange.ts"
import { createResolver } from "./resolver.ts"
import { parseServerAddress } from "./server-address.ts"

const query = Buffer.from("query")
const own = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
const loopbacks = own.filter(({ internal }) => internal).map(({ address }) => address)
const [linkLocal] = own.flatMap((one) => (one.family === "IPv6" && one.scopeid ? [one] : []))

function listening() {
  const heard: string[] = []
  const listener: Listener = {
    message: (message) => heard.push(message.toString()),
    broken: () => heard.push("broken"),
  }
  return { heard, listener }
}

/** A server that answers with what it is sent. */
async function startEcho(hostname: string) {
  const clientPorts: number[] = []
  const server = await Bun.udpSocket({
    hostname,
    socket: {
      data(socket, message, port, address) {
        clientPorts.push(port)
        socket.send(message, port, address)
      },
    },
  })
  const host = hostname.includes(":") ? `[${hostname}]` : hostname
  const address = () => parseServerAddress(`${host}:${server.port}`)
  return { server, address, clientPorts }
}

test.each(loopbacks)("asks at %s, again from the same port, and hears the answers", async (host) => {
  const { server, address, clientPorts } = await startEcho(host)
  const { heard, listener } = listening()
  const exchange = openUdpExchange(address(), query, listener)
  await until(() => heard.length === 1)
  exchange.resend()
  await until(() => heard.length === 2)
  exchange.close()
  server.close()
  expect(heard).toEqual(["query", "query"])
  expect(new Set(clientPorts).size).toBe(1)
})

test.skipIf(!linkLocal)("reaches a link-local address in its zone", async () => {
  const { server, address } = await startEcho("::")
  const { heard, listener } = listening()
  const host = `${linkLocal?.address}%${linkLocal?.scopeid}`
  const exchange = openUdpExchange({ ...address(), host }, query, listener)
  await until(() => heard.length === 1)
  exchange.close()
  server.close()
  expect(heard).toEqual(["query"])
})

test.each(loopbacks)("a closed port at %s breaks it, once", async (host) => {
  const { server, address } = await startEcho(host)
  const closed = address()
  server.close()
  const { heard, listener } = listening()
  const exchange = openUdpExchange(closed, query, listener)
  expect(heard).toEqual([])
  await until(() => heard.length > 0)
  exchange.resend()
  await new Promise((resolve) => setImmediate(resolve))
  expect(heard).toEqual(["broken"])
})

test.each([
  ["without a route to the server", { host: "fe80::1%no-such-zone", family: 6, port: 53 }],
  ["without the right to ask it", { host: "255.255.255.255", family: 4, port: 53 }],
] as const)("%s, a query breaks, but not before its caller has it", async (_name, server) => {
  const { heard, listener } = listening()
  openUdpExchange(server, query, listener)
  expect(heard).toEqual([])
  await until(() => heard.length > 0)
  expect(heard).toEqual(["broken"])
  const ports = { clock: systemClock, random: systemRandom, timer: systemTimer }
  const answer = await createResolver({ ...ports, servers: [server] }).resolve("good.example", "A")
  expect(answer).toEqual({ kind: "failure", reason: "network" })
})

test("after it is closed nothing is heard, and no socket stays open", async () => {
  const { server, address, clientPorts } = await startEcho("127.0.0.1")
  const before = openFiles()
  const { heard, listener } = listening()
  for (let index = 0; index < 20; index++) openUdpExchange(address(), query, listener).close()
  const late = openUdpExchange(address(), query, listener)
  await until(() => clientPorts.length === 1)
  late.close()
  late.resend()
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(heard).toEqual([])
  // Other tests of this process may still close theirs.
  expect([...openFiles().difference(before)]).toEqual([])
  server.close()
})

const frame = (message: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([message.length >> 8, message.length & 0xff]), message])

test("messages come out whole, wherever the stream is cut", () => {
  const messages = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 5 })
  const cuts = fc.array(fc.integer({ min: 0, max: 80 }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(messages, cuts, (sent, sizes) => {
      const stream = Buffer.concat(sent.map(frame))
      const reader = createFrameReader()
      const got: Buffer[] = []
      for (let at = 0, turn = 0; at < stream.length; turn++) {
        const size = Math.max(sizes[turn % sizes.length] ?? 1, turn % 7 === 0 ? 1 : 0)
        got.push(...reader.push(stream.subarray(at, at + size)))
        at += size
      }
      expect(got.map((message) => message.toString("hex"))).toEqual(
        sent.map((message) => Buffer.from(message).toString("hex")),
      )
    }),
  )
})

test("a message of the greatest length passes, and an unfinished one never comes out", () => {
  const reader = createFrameReader()
  const greatest = frame(new Uint8Array(65_535).fill(7))
  expect(reader.push(greatest.subarray(0, -1))).toHaveLength(0)
  const [message] = reader.push(greatest.subarray(-1))
  expect(message).toHaveLength(65_535)
  expect(reader.push(Buffer.from([0]))).toHaveLength(0)
})
