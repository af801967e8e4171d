import { expect, test } from "bun:test"
import { chargeOf } from "../../test/support/store.ts"
import { type Store, StoreUnavailable } from "../store/store.ts"
import type { createGenerations } from "./generation.ts"
import { watchStore } from "./store-health.ts"

const full = new StoreUnavailable("The disk is full.")
const take = { buckets: [{ id: "acc_1", perMinute: 60 }] }

/** A store whose steps succeed or fail as the test says. */
function setUp() {
  let nowMs = 0
  const failing = new Set<"key" | "rates" | "charge" | "ping">()
  let pings = 0
  const act = async <T>(step: "key" | "rates" | "charge" | "ping", result: T): Promise<T> => {
    if (failing.has(step)) throw full
    return result
  }
  const inner = {
    findKey: () => act("key", null),
    takeRates: () => act("rates", []),
    charge: async () => [failing.has("charge") ? { charged: false, cause: full } : { charged: false }],
    ping() {
      pings++
      return act("ping", undefined)
    },
  } as unknown as Store
  const logged: unknown[] = []
  const log = {
    warn: (message: string, { cause }: { readonly cause?: unknown }) => void logged.push([message, cause]),
    info: (message: string) => void logged.push(message),
  }
  const store = watchStore(inner, { monotonicMs: () => nowMs }, log)
  const steps = {
    key: async () => store.findKey(""),
    rates: () => store.takeRates([take], () => 0),
    charge: () => store.charge([chargeOf()]),
  }
  return {
    store,
    failing,
    logged,
    pings: () => pings,
    isReady: () =>
      store.ready().then(
        () => true,
        () => false,
      ),
    async call(step: keyof typeof steps, afterMs = 0) {
      nowMs += afterMs
      await steps[step]().catch(() => {})
    },
    pass(ms: number) {
      nowMs += ms
    },
  }
}

test.each(["key", "rates", "charge"] as const)(
  "a service whose probes succeed is not ready once each %s has failed for over a second, until one succeeds",
  async (step) => {
    const { failing, call, isReady, store } = setUp()
    failing.add(step)
    await call(step)
    await call(step, 1_000)
    expect(await isReady()).toBe(true)
    await call(step, 1)
    await expect(store.ready()).rejects.toThrow("All calls have failed for over a second. The disk is full.")
    failing.delete(step)
    await call(step, 1)
    expect(await isReady()).toBe(true)
  },
)

test("one success between failures, or a long pause, begins anew", async () => {
  const { failing, call, isReady } = setUp()
  const fail = async (afterMs: number) => {
    failing.add("charge")
    await call("charge", afterMs)
    failing.delete("charge")
  }
  await fail(0)
  await call("charge", 900)
  await fail(900)
  expect(await isReady()).toBe(true)
  await fail(5_001)
  expect(await isReady()).toBe(true)
  await fail(4_999)
  expect(await isReady()).toBe(false)
})

test("once no call comes any more, several probes in a row decide", async () => {
  const { failing, call, isReady, pings, pass, logged } = setUp()
  failing.add("charge").add("ping")
  await call("charge")
  await call("charge", 2_000)
  expect([await isReady(), pings()]).toEqual([false, 0])
  pass(501)
  expect([await isReady(), pings()]).toEqual([false, 1])
  failing.delete("ping")
  expect([await isReady(), pings(), await isReady(), pings()]).toEqual([true, 4, true, 5])
  const cause = "All calls have failed for over a second. The disk is full."
  expect(logged).toEqual([["not ready", cause], "ready again"])
})

test("a service takes a watched store alone: the type of a store as it was opened does not fit", () => {
  type Served = Parameters<typeof createGenerations>[0]["store"]
  const watched: Served = setUp().store
  expect(watched).not.toHaveProperty("ping")
  const opened = { ping: async () => {} } as Store
  // @ts-expect-error A store that nobody watches has no `ready`.
  const unwatched: Served = opened
  expect(unwatched).not.toHaveProperty("ready")
})
