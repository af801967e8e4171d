import { expect, test } from "bun:test"
import { createManualClock } from "../../test/support/clock.ts"
import { createMemoryLog } from "../../test/support/log.ts"
import { createManualTimer } from "../../test/support/timer.ts"
import { until } from "../../test/support/until.ts"
import { loadConfig } from "../config/load.ts"
import { createLog } from "../ports/log.ts"
import type { InstanceChannel } from "../store/open-store.ts"
import { versionOf } from "./config-edit.ts"
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
    start({ onMessage, onConnected }) {
      listeners.set(id, onMessage)
      onConnected()
    },
  })
  return {
    channel,
    sent,
    tellAll: (text: string) => [...listeners.values()].map((listener) => listener(text)),
  }
}

type Hub = ReturnType<typeof createHub>

function join(
  hub: Hub,
  id: string,
  text: string,
  { service = id, disk }: { service?: string; disk?: () => string } = {},
) {
  const clock = createManualClock()
  const timer = createManualTimer()
  const log = createMemoryLog()
  const configOf = (fileText: string) =>
    loadConfig({ flags: {}, env: {}, file: { name: "p", text: fileText, values: JSON.parse(fileText) } })
  let config = configOf(text)
  let current = text
  const readDisk = disk ?? (() => current)
  let reloads = 0
  const peers = createConfigPeers({
    channel: hub.channel(id),
    host: `host-${id}`,
    service,
    clock,
    timer,
    log: createLog((line) => void log.write(line)),
    running: () => ({ config, prices: config.credits, lists: [] }),
    versionOnDisk: () => versionOf({ fileText: readDisk() }),
    async reload() {
      reloads++
      change(readDisk())
    },
  })
  function change(next: string) {
    current = next
    config = configOf(next)
    peers.announce()
  }
  return { peers, clock, timer, change, logged: log.text, reloads: () => reloads }
}

const price = (hmac: number) => JSON.stringify({ credits: { hmac } })
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

test("instances with the same plans and prices say nothing, and know how many they are", async () => {
  const hub = createHub()
  const [a, b] = [join(hub, "a", price(1)), join(hub, "b", price(1))]
  await settled()
  expect([a.peers.instances(), b.peers.instances()]).toEqual([
    { count: 2, differing: [] },
    { count: 2, differing: [] },
  ])
  expect(a.logged() + b.logged()).toBe("")
})

test("both say once which settings differ, and once that they no longer do", async () => {
  const hub = createHub()
  const [a, b] = [join(hub, "a", price(1)), join(hub, "b", price(1))]
  await settled()
  a.change(JSON.stringify({ credits: { hmac: 2 }, plans: { free: { premium: true } } }))
  await settled()
  for (const [one, other] of [
    [a, "b"],
    [b, "a"],
  ] as const) {
    expect(one.peers.instances().differing).toEqual([
      { instance: other, host: `host-${other}`, settings: ["credits.hmac", "plans.free.premium"] },
    ])
    expect(one.logged().match(/plans or prices differ/g)).toHaveLength(1)
    expect(one.logged()).toContain('"settings":["credits.hmac","plans.free.premium"]')
    one.timer.advance(30_000)
  }
  await settled()
  expect(a.logged().match(/plans or prices differ/g)).toHaveLength(1)
  a.change(price(1))
  await settled()
  expect(a.peers.instances().differing).toEqual([])
  for (const one of [a, b]) expect(one.logged()).toContain("are those of another instance again")
})

test("an instance with the same changed file on its disk takes it over; one with another file does not", async () => {
  const hub = createHub()
  let shared = price(1)
  const a = join(hub, "a", shared, { disk: () => shared })
  const b = join(hub, "b", shared, { disk: () => shared })
  const other = join(hub, "c", price(1))
  await settled()
  shared = price(5)
  a.change(shared)
  await settled()
  expect([a.reloads(), b.reloads(), other.reloads()]).toEqual([0, 1, 0])
  expect([a, b].map(({ logged }) => logged().includes('"instance":"a"'))).toEqual([false, true])
  expect(b.peers.instances().differing.map(({ instance }) => instance)).toEqual(["c"])
  expect(other.logged()).toContain("plans or prices differ")
})

test("a file that comes later is taken over with the next announcement, and one that is refused is tried once", async () => {
  const hub = createHub()
  let disk = price(1)
  const a = join(hub, "a", price(2))
  const b = join(hub, "b", price(1), { disk: () => disk })
  await settled()
  expect(b.reloads()).toBe(0)
  disk = price(2)
  a.timer.advance(30_000)
  await settled()
  expect([b.reloads(), b.peers.instances().differing]).toEqual([1, []])
})

test("workers of one service, which change together, do not warn of each other", async () => {
  const hub = createHub()
  const a = join(hub, "a", price(1), { service: "s" })
  const b = join(hub, "b", price(2), { service: "s" })
  await settled()
  expect([a.logged() + b.logged(), a.peers.instances().count]).toEqual(["", 2])
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

test("what is no message is left alone, and many plans are compared without their names", async () => {
  const hub = createHub()
  const plans = Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => [`plan-${index}`, { monthly_credits: index }]),
  )
  const a = join(hub, "a", JSON.stringify({ plans }))
  for (const text of ["", "{}", "[1]", "null", '{"id":1}', "x".repeat(7_000)]) hub.tellAll(text)
  const b = join(hub, "b", JSON.stringify({ plans: { ...plans, "plan-7": { monthly_credits: 1 } } }))
  await until(() => b.peers.instances().count === 2)
  expect(a.peers.instances().differing).toEqual([{ instance: "b", host: "host-b", settings: null }])
  expect(hub.sent.every((text) => Buffer.byteLength(text) < 7_999)).toBe(true)
})
