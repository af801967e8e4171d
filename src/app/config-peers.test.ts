import { expect, test } from "bun:test"
import { createManualClock } from "../../test/support/clock.ts"
import { createMemoryLog } from "../../test/support/log.ts"
import { createManualTimer } from "../../test/support/timer.ts"
import { until } from "../../test/support/until.ts"
import { loadConfig } from "../config/load.ts"
import { createLog } from "../ports/log.ts"
import type { InstanceChannel } from "../store/store-options.ts"
import { createConfigPeers } from "./config-peers.ts"

/** A database that passes messages on to all who listen. */
function createHub() {
  const listeners = new Map<string, (text: string) => void>()
  const sent: string[] = []
  const channel = (id: string): InstanceChannel => ({
    id,
    async send(text) {
      sent.push(text)
      for (const listener of [...listeners.values()]) listener(text)
    },
  })
  return {
    channel,
    connect(id: string, { onMessage, onConnected }: ReturnType<typeof createConfigPeers>) {
      listeners.set(id, onMessage)
      onConnected()
    },
    sent,
    tellAll: (text: string) => [...listeners.values()].map((listener) => listener(text)),
  }
}

function join(hub: ReturnType<typeof createHub>, id: string, text: string) {
  const clock = createManualClock()
  const timer = createManualTimer()
  const log = createMemoryLog()
  const configOf = (fileText: string) =>
    loadConfig({ flags: {}, env: {}, file: { name: "p", text: fileText, values: JSON.parse(fileText) } })
  let config = configOf(text)
  const peers = createConfigPeers({
    ...{ channel: hub.channel(id), host: `host-${id}`, clock, timer },
    log: createLog((line) => void log.write(line)),
    running: () => ({ config, prices: config.credits, lists: [] }),
  })
  hub.connect(id, peers)
  function change(next: string) {
    config = configOf(next)
    peers.announce()
  }
  return { peers, clock, timer, change, logged: log.text }
}

const price = (hmac: number) => JSON.stringify({ credits: { hmac } })
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

test("instances with the same plans and prices say nothing, and know how many they are", async () => {
  const hub = createHub()
  const [a, b] = [join(hub, "a", price(1)), join(hub, "b", price(1))]
  await settled()
  const [all, none] = [
    { count: 2, differing: [] },
    { count: 2, differing: [] },
  ]
  expect([a.peers.instances(), b.peers.instances()]).toEqual([all, none])
  expect(a.logged() + b.logged()).toBe("")
})

test("both know that the other differs, in plans or in prices, until it no longer does", async () => {
  const hub = createHub()
  const [a, b] = [join(hub, "a", price(1)), join(hub, "b", price(1))]
  await settled()
  const more = { credits: { hmac: 1 }, plans: { free: { premium: true } } }
  for (const values of [{ credits: { hmac: 2 } }, more]) {
    a.change(JSON.stringify(values))
    await settled()
    expect(b.peers.instances().differing).toEqual([{ instance: "a", host: "host-a" }])
    expect(a.peers.instances().differing).toEqual([{ instance: "b", host: "host-b" }])
  }
  // Settings that are neither may differ, and the order of plans and prices says nothing.
  a.change(JSON.stringify({ plans: { b: {}, a: {} }, credits: { hmac: 1, spfvalidator: 2 }, max_calls: 7 }))
  b.change(JSON.stringify({ plans: { a: {}, b: {} }, credits: { spfvalidator: 2, hmac: 1 } }))
  await settled()
  for (const { peers } of [a, b]) expect(peers.instances()).toEqual({ count: 2, differing: [] })
})

test("one that stops is forgotten at once, one that is silent after 100 s", async () => {
  const hub = createHub()
  const [a, b, c] = [join(hub, "a", price(1)), join(hub, "b", price(2)), join(hub, "c", price(3))]
  await settled()
  expect(a.peers.instances().count).toBe(3)
  await b.peers.stop()
  expect(a.peers.instances().differing.map(({ instance }) => instance)).toEqual(["c"])
  a.clock.advance(99_000)
  expect(a.peers.instances().count).toBe(2)
  a.clock.advance(2_000)
  expect([a.peers.instances().count, c.peers.instances().count]).toEqual([1, 2])
})

test("what is no message is left alone, and many plans fit into one", async () => {
  const hub = createHub()
  const plans = Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => [`plan-${index}`, { monthly_credits: index }]),
  )
  const a = join(hub, "a", JSON.stringify({ plans }))
  for (const text of ["", "{}", "[1]", "null", '{"id":1}', "x".repeat(7_000)]) hub.tellAll(text)
  const b = join(hub, "b", JSON.stringify({ plans: { ...plans, "plan-7": { monthly_credits: 1 } } }))
  await until(() => b.peers.instances().count === 2)
  expect(a.peers.instances().differing).toEqual([{ instance: "b", host: "host-b" }])
  expect(hub.sent.every((text) => Buffer.byteLength(text) < 7_999)).toBe(true)
})
