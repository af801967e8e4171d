/** The feeds of several workers, with the messages that their supervisor passes on. */
import { expect, test } from "bun:test"
import { createManualClock } from "../../../test/support/clock.ts"
import { createManualTimer } from "../../../test/support/timer.ts"
import { createHistogram } from "../../observe/counts.ts"
import { createRequestFeed, maxWaitingEvents, type RequestFeed } from "../../observe/request-feed.ts"
import { shareFeed } from "../../observe/shared-feed.ts"
import type { Watching } from "../../observe/siblings.ts"
import { createRequestRelay, type Watcher } from "./request-relay.ts"

interface TestWorker extends Watcher {
  readonly feed: RequestFeed
}

function setUp() {
  const timer = createManualTimer()
  const workers = new Set<TestWorker>()
  const relay = createRequestRelay(workers)
  const start = () => {
    const listeners: ((message: unknown) => void)[] = []
    const plain = <T>(message: T): T => JSON.parse(JSON.stringify(message))
    const worker: TestWorker = {
      send: (message) => {
        for (const listener of listeners) listener(plain(message))
      },
      feed: shareFeed(createRequestFeed({ clock: createManualClock(), timer }), {
        send: (message) => relay.receive(worker, plain(message) as Watching),
        onMessage: (listener) => listeners.push(listener),
      }),
    }
    workers.add(worker)
    relay.joined(worker)
    return worker
  }
  const end = (worker: TestWorker) => {
    workers.delete(worker)
    relay.ended(worker)
  }
  return { timer, start, end }
}

function call({ feed }: TestWorker, requestId: string, status = 200): void {
  const counted = { statuses: [], latency: createHistogram([]), faults: null }
  const tally = { api: "hmac", surface: "rest", ...counted }
  if (feed.isWatched)
    feed.offer({ ...tally, surface: "rest" }, { requestId, address: () => "", startedMs: 0 }, { status }, 1)
}

const idsOf = (watch: ReturnType<RequestFeed["watch"]>) =>
  watch?.take().events.map(({ request_id }) => request_id)

test("who watches one worker sees the requests of all, of each only what the filter takes", () => {
  const { timer, start } = setUp()
  const [one, two] = [start(), start()]
  const failures = one.feed.watch({ status: ["5xx"] }, () => {})
  const all = two.feed.watch({}, () => {})
  const late = start()
  call(one, "a")
  call(two, "b", 500)
  call(late, "c", 503)
  timer.advance(250)
  expect(idsOf(failures)).toEqual(["b", "c"])
  expect(idsOf(all)?.sort()).toEqual(["a", "b", "c"])
  failures?.end()
  all?.end()
  expect([one, two, late].map(({ feed }) => feed.isWatched)).toEqual([false, false, false])
})

test("a worker that ends no longer watches the others", () => {
  const { start, end } = setUp()
  const [one, two] = [start(), start()]
  one.feed.watch({}, () => {})
  expect(two.feed.isWatched).toBe(true)
  end(one)
  expect(two.feed.isWatched).toBe(false)
})

test("what a worker had no room for is counted by who watches", () => {
  const { timer, start } = setUp()
  const [one, two] = [start(), start()]
  const watch = one.feed.watch({}, () => {})
  for (let count = 0; count < maxWaitingEvents + 5; count++) call(two, "x")
  timer.advance(250)
  for (let count = 0; count < maxWaitingEvents; count++) call(two, "y")
  timer.advance(250)
  const { events, lost } = watch?.take() ?? { events: [], lost: 0 }
  expect([events.length, lost]).toEqual([maxWaitingEvents, 5 + maxWaitingEvents])
})

test("a worker that closes sends nothing more, and ends what it watched", () => {
  const { timer, start } = setUp()
  const [one, two] = [start(), start()]
  const watch = one.feed.watch({}, () => {})
  call(two, "a")
  two.feed.close()
  timer.advance(250)
  expect([watch?.isOver, idsOf(watch)]).toEqual([false, []])
  one.feed.close()
  expect(watch?.isOver).toBe(true)
})
