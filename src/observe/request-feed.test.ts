import { expect, test } from "bun:test"
import { createManualClock } from "../../test/support/clock.ts"
import { createManualTimer } from "../../test/support/timer.ts"
import type { RequestFilter, Surface } from "../values/request-events.ts"
import { createHistogram, type Tally } from "./counts.ts"
import { createRequestFeed, maxWaitingEvents, maxWatches } from "./request-feed.ts"
import type { RequestEnd } from "./request-log.ts"

function setUp() {
  const timer = createManualTimer()
  const feed = createRequestFeed({ clock: createManualClock(), timer })
  let calls = 0
  return {
    feed,
    timer,
    /** How often a watcher was told that there is something to take. */
    calls: () => calls,
    watch(filter: RequestFilter = {}) {
      const watch = feed.watch(filter, () => calls++)
      if (!watch) throw new Error("too many watch")
      return watch
    },
    offer: (end: Partial<RequestEnd> = {}, surface: Surface = "rest", api = "hmac") =>
      feed.offer(tallyOf(api, surface), start, { status: 200, ...end }, 1.23456),
  }
}

const start = { requestId: "req_1", address: () => "192.0.2.1", startedMs: 0 }

function tallyOf(api: string, surface: Surface): Tally {
  return { api, surface, statuses: [], latency: createHistogram([]), faults: null }
}

const caller = { account: { id: "acc_1" }, key: { id: "key_1" } }

test("a request is shown with its account, fault and time", () => {
  const { watch, offer } = setUp()
  const one = watch()
  offer({ status: 429, caller, fault: "rateLimited", charged: [{ api: "hmac", calls: 2, credits: 6 }] })
  expect(one.take()).toEqual({
    events: [
      {
        at: "2025-01-01T00:00:00.000Z",
        request_id: "req_1",
        surface: "rest",
        api: "hmac",
        status: 429,
        fault: "rateLimited",
        account: "acc_1",
        key: "key_1",
        credits: 6,
        ms: 1.235,
        address: "192.0.2.1",
      },
    ],
    lost: 0,
  })
  expect(one.take()).toEqual({ events: [], lost: 0 })
})

const failed: Partial<RequestEnd> = { status: 404, fault: "notFound" }
const called: Partial<RequestEnd> = { status: 200, caller, apis: ["hmac", "spfvalidator"] }
test.each<[string, RequestFilter, Partial<RequestEnd>, Surface, boolean]>([
  ["nothing", {}, called, "rest", true],
  ["empty lists", { status: [], api: [] }, called, "rest", true],
  ["a status", { status: ["404"] }, failed, "rest", true],
  ["another status", { status: ["400", "403"] }, failed, "rest", false],
  ["a class", { status: ["5xx", "4xx"] }, failed, "rest", true],
  ["another class", { status: ["2xx"] }, failed, "rest", false],
  ["one of several APIs", { api: ["spfvalidator"] }, called, "graphql", true],
  ["the API of the path", { api: ["hmac"] }, failed, "rest", true],
  ["another API", { api: ["linesorter"] }, called, "rest", false],
  ["the account", { account: ["acc_0", "acc_1"] }, called, "rest", true],
  ["another account", { account: ["acc_2"] }, called, "rest", false],
  ["no account where one is asked for", { account: ["acc_1"] }, failed, "rest", false],
  ["the key", { key: ["key_1"] }, called, "rest", true],
  ["another key", { key: ["key_2"] }, called, "rest", false],
  ["the fault", { fault: ["notFound"] }, failed, "none", true],
  ["another fault", { fault: ["rateLimited"] }, failed, "rest", false],
  ["no fault where one is asked for", { fault: ["notFound"] }, called, "rest", false],
  ["all of several", { status: ["2xx"], api: ["hmac"], key: ["key_1"] }, called, "rest", true],
  ["one of several not", { status: ["2xx"], api: ["hmac"], key: ["key_2"] }, called, "rest", false],
  ["the administration, unasked", {}, failed, "admin", false],
  ["the portal, unasked", {}, failed, "portal", false],
  ["the administration", { surface: ["admin"] }, failed, "admin", true],
  ["a probe that succeeds, unasked", {}, { status: 200 }, "unkeyed", false],
  ["a probe that fails", {}, { status: 503 }, "unkeyed", true],
  ["probes", { surface: ["unkeyed"] }, { status: 200 }, "unkeyed", true],
  ["another surface", { surface: ["mcp"] }, called, "rest", false],
])("a filter: %s", (_name, filter, end, surface, isShown) => {
  const { watch, offer } = setUp()
  const one = watch(filter)
  offer(end, surface)
  expect(one.take().events.length).toBe(isShown ? 1 : 0)
})

test("requests are gathered: a watcher is told once, and only after something came", () => {
  const { watch, offer, timer, calls } = setUp()
  const one = watch({ status: ["2xx"] })
  timer.advance(1_000)
  offer({ status: 500 })
  timer.advance(1_000)
  expect([calls(), timer.waiting]).toEqual([0, []])
  for (let count = 0; count < 5; count++) offer()
  expect([calls(), timer.waiting]).toEqual([0, [250]])
  timer.advance(250)
  expect([calls(), one.take().events.length]).toEqual([1, 5])
})

test("a watcher that does not take loses requests, takes no more memory, and is told how many", () => {
  const { watch, offer } = setUp()
  const one = watch()
  for (let count = 0; count < maxWaitingEvents + 1_000; count++) offer()
  const { events, lost } = one.take()
  expect([events.length, lost]).toEqual([maxWaitingEvents, 1_000])
  offer()
  expect(one.take()).toMatchObject({ events: [{}], lost: 0 })
})

test("nobody watches before the first and after the last; only so many at once", () => {
  const { feed, watch, offer, timer } = setUp()
  expect(feed.isWatched).toBe(false)
  const watches = Array.from({ length: maxWatches }, () => watch())
  expect(feed.watch({}, () => {})).toBeNull()
  offer()
  for (const one of watches) one.end()
  expect([feed.isWatched, timer.waiting]).toEqual([false, []])
  expect(watch().isOver).toBe(false)
})

test("when the feed closes, watchers are told, and later ones get nothing", () => {
  const { feed, watch, calls } = setUp()
  const one = watch()
  feed.close()
  expect([one.isOver, calls(), feed.isWatched, watch().isOver]).toEqual([true, 1, false, true])
})
