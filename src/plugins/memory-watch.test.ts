import { expect, test } from "bun:test"
import { createManualTimer } from "../../test/support/timer.ts"
import { createMemoryWatch } from "./memory-watch.ts"

const megabyte = 1_000_000
const faultsOfMegabyte = 250

/** A process whose memory the test sets. Thread 1 is that of the service. */
function createTrial() {
  const faults = new Map([1, 2, 3, 4].map((thread) => [thread, 0]))
  let megabytes = 100
  const timer = createManualTimer()
  const watch = createMemoryWatch(
    {
      residentBytes: () => megabytes * megabyte,
      faults: () => faults.values().reduce((sum, one) => sum + one, 0),
      faultsOf: (thread) => faults.get(thread) ?? 0,
    },
    timer,
  )
  const exceeded: number[] = []
  return {
    timer,
    exceeded,
    watch: (thread: number) =>
      watch.watch(
        () => thread,
        100 * megabyte,
        () => exceeded.push(thread),
      ),
    /** Lets threads touch so much new memory, and others free some. */
    pass(touched: Readonly<Record<number, number>>, freed = 0) {
      for (const [thread, amount] of Object.entries(touched)) {
        megabytes += amount
        faults.set(Number(thread), (faults.get(Number(thread)) ?? 0) + amount * faultsOfMegabyte)
      }
      megabytes -= freed
      timer.advance(25)
    },
  }
}

test("growth is put down to the thread that touches new memory, and not to others that run meanwhile", () => {
  const { watch, pass, exceeded } = createTrial()
  watch(2)
  watch(3)
  pass({})
  for (let step = 0; step < 3; step++) pass({ 1: 200, 2: 1, 3: 30 })
  expect(exceeded).toEqual([])
  pass({ 3: 30 })
  expect(exceeded).toEqual([3])
})

test("memory that is given back and taken again counts once", () => {
  const { watch, pass, exceeded } = createTrial()
  watch(2)
  pass({})
  for (let step = 0; step < 20; step++) pass({ 2: 40 }, 40)
  expect(exceeded).toEqual([])
})

test("small growth adds up, and each piece of work begins anew", () => {
  const { watch, pass, exceeded, timer } = createTrial()
  const end = watch(2)
  pass({})
  for (let step = 0; step < 18; step++) pass({ 2: 5 })
  end()
  pass({})
  expect(timer.waiting).toEqual([])
  watch(2)
  pass({})
  for (let step = 0; step < 18; step++) pass({ 2: 5 })
  expect(exceeded).toEqual([])
  for (let step = 0; step < 5; step++) pass({ 2: 5 })
  expect(exceeded).toEqual([2])
})
