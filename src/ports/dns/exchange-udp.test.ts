import { expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { networkInterfaces } from "node:os"
import { until } from "../../../test/support/until.ts"
import type { Listener } from "./exchange.ts"
import { openUdpExchange } from "./exchange-udp.ts"
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

test("an address that cannot be reached breaks it", async () => {
  const { heard, listener } = listening()
  openUdpExchange({ host: "fe80::1%no-such-zone", family: 6, port: 53 }, query, listener)
  await until(() => heard.length > 0)
  expect(heard).toEqual(["broken"])
})

test("after it is closed nothing is heard, and no socket stays open", async () => {
  const { server, address, clientPorts } = await startEcho("127.0.0.1")
  const openFiles = () => readdirSync("/dev/fd").length
  const before = openFiles()
  const { heard, listener } = listening()
  for (let index = 0; index < 20; index++) openUdpExchange(address(), query, listener).close()
  const late = openUdpExchange(address(), query, listener)
  await until(() => clientPorts.length === 1)
  late.close()
  late.resend()
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(heard).toEqual([])
  expect(openFiles()).toBe(before)
  server.close()
})
