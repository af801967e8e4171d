import { expect, test } from "bun:test"
import { createUnsentAnswers, smallBytes, type UnsentAnswer } from "./unsent.ts"

test("calls are refused while more bytes are unread than the limit", () => {
  const unsent = createUnsentAnswers(100, () => {})
  const [first, second] = [unsent.open(), unsent.open()]
  first.add(60)
  second.add(40)
  expect([unsent.isFull(), unsent.bytes()]).toEqual([false, 100])
  second.add(1)
  expect(unsent.isFull()).toBe(true)
  first.free(1)
  expect(unsent.isFull()).toBe(false)
  first.add(2)
  first.close()
  expect(unsent.isFull()).toBe(false)
  second.add(59)
  expect(unsent.isFull()).toBe(false)
})

test("a closed answer counts nothing, whatever still comes", () => {
  const unsent = createUnsentAnswers(10, () => {})
  const answer = unsent.open()
  answer.add(20)
  answer.close()
  answer.add(20)
  answer.free(500)
  answer.close()
  expect(unsent.isFull()).toBe(false)
  unsent.open().add(11)
  expect(unsent.isFull()).toBe(true)
})

/** An answer below this size is small, and never waits. */
const size = smallBytes

test("answers that are being made: all grow while little is unread, then only the oldest, and small ones", async () => {
  const unsent = createUnsentAnswers(100 * size, () => {})
  const [first, second, small] = [unsent.open(), unsent.open(), unsent.open()]
  first.add(3 * size)
  second.add(3 * size)
  expect([first.room(), second.room()]).toEqual([undefined, undefined])
  second.add(size)
  small.add(size - 1)
  const room = second.room()
  expect(room).toBeInstanceOf(Promise)
  expect([first.room(), small.room()]).toEqual([undefined, undefined])
  first.complete()
  await room
  expect(second.room()).toBeUndefined()
})

test("answers that are being made wait at the limit until others are read or given up", async () => {
  const unsent = createUnsentAnswers(100 * size, () => {})
  const [unread, growing] = [unsent.open(), unsent.open()]
  unread.add(90 * size)
  unread.complete()
  growing.add(11 * size)
  const room = growing.room()
  expect(room).toBeInstanceOf(Promise)
  unread.free(size)
  await room
  expect(growing.room()).toBeUndefined()
  growing.add(size)
  const more = growing.room()
  unread.close()
  await more
  expect(growing.room()).toBeUndefined()
})

test("answers that are being made grow above the limit one by one, while none is whole that could be read", async () => {
  const unsent = createUnsentAnswers(100 * size, () => {})
  const [first, second] = [unsent.open(), unsent.open()]
  first.add(300 * size)
  second.add(300 * size)
  expect(first.room()).toBeUndefined()
  const room = second.room()
  expect(room).toBeInstanceOf(Promise)
  first.complete()
  let hasRoom = false
  void room?.then(() => {
    hasRoom = true
  })
  for (let left = 10; left > 0; left--) await undefined
  expect(hasRoom).toBe(false)
  first.close()
  await room
})

test("answers that are being made do not wait for one that asks for no room, such as a stream of events", () => {
  const unsent = createUnsentAnswers(100 * size, () => {})
  const [stream, growing] = [unsent.open(), unsent.open()]
  stream.add(50 * size)
  growing.add(size)
  expect(growing.room()).toBeUndefined()
})

function collectionsOf(end: (answer: UnsentAnswer) => void): string[] {
  const collections: string[] = []
  const unsent = createUnsentAnswers(268_435_456, (which) => collections.push(which))
  for (let made = 0; made < 50; made++) {
    const answer = unsent.open()
    answer.add(1_048_576)
    end(answer)
  }
  return collections
}

test("garbage is collected once for every 2 MiB that are made while more than 16 MiB are unread, and all of it every eighth time", () => {
  const collections = collectionsOf(() => {})
  expect(collections.length).toBe(17)
  expect(collections.flatMap((which, index) => (which === "all" ? index + 1 : []))).toEqual([8, 16])
})

test("garbage is collected not while little is unread", () =>
  expect(collectionsOf((answer) => answer.close())).toEqual([]))
