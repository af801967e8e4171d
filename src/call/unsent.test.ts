import { describe, expect, test } from "bun:test"
import { createUnsentAnswers, type UnsentAnswer } from "./unsent.ts"

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

describe("answers that are being made", () => {
  test("all grow while little is unread, then only the oldest", async () => {
    const unsent = createUnsentAnswers(100, () => {})
    const [first, second, small] = [unsent.open(), unsent.open(), unsent.open()]
    first.add(3)
    second.add(3)
    expect([first.room(), second.room()]).toEqual([undefined, undefined])
    second.add(1)
    const room = second.room()
    expect(room).toBeInstanceOf(Promise)
    expect([first.room(), small.room()]).toEqual([undefined, undefined])
    first.complete()
    await room
    expect(second.room()).toBeUndefined()
  })

  test("wait at the limit until others are read or given up", async () => {
    const unsent = createUnsentAnswers(100, () => {})
    const [unread, growing] = [unsent.open(), unsent.open()]
    unread.add(90)
    unread.complete()
    growing.add(11)
    const room = growing.room()
    expect(room).toBeInstanceOf(Promise)
    unread.free(1)
    await room
    expect(growing.room()).toBeUndefined()
    growing.add(1)
    const more = growing.room()
    unread.close()
    await more
    expect(growing.room()).toBeUndefined()
  })

  test("go on above the limit when they are alone", () => {
    const answer = createUnsentAnswers(100, () => {}).open()
    answer.add(500)
    expect(answer.room()).toBeUndefined()
  })
})

describe("garbage is collected", () => {
  function collectionsOf(end: (answer: UnsentAnswer) => void): number {
    let collections = 0
    const unsent = createUnsentAnswers(268_435_456, () => collections++)
    for (let made = 0; made < 100; made++) {
      const answer = unsent.open()
      answer.add(1_048_576)
      end(answer)
    }
    return collections
  }

  test("once for every 8 MiB that are made while more than 16 MiB are unread", () =>
    expect(collectionsOf(() => {})).toBe(11))

  test("not while little is unread: it holds up everything else for 20 to 40 ms", () =>
    expect(collectionsOf((answer) => answer.close())).toBe(0))
})
