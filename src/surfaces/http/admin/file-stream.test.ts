import { expect, test } from "bun:test"
import { createManualTimer } from "../../../../test/support/timer.ts"
import { createUnsentAnswers } from "../../../call/unsent.ts"
import { createCallsInProgress } from "../calls.ts"
import type { HttpContext } from "../frame.ts"
import { streamFile } from "./operation-feature.ts"

const chunkBytes = 1_000
const chunkCount = 40

/** A file of many chunks, one of which may fail. */
function setUp(failsAt = chunkCount) {
  let read = 0
  let isClosed = false
  async function* chunks() {
    while (read < chunkCount) {
      if (read++ === failsAt) throw new Error("the disk is gone")
      yield new Uint8Array(chunkBytes)
    }
  }
  const calls = createCallsInProgress()
  const unsent = createUnsentAnswers(1_000_000, () => {})
  const timer = createManualTimer()
  const errors: string[] = []
  const log = { error: (message: string) => errors.push(message) }
  const stream = streamFile(
    {
      name: "a.db",
      bytes: chunkBytes * chunkCount,
      target: { kind: "backup", id: "a.db", accountId: null },
      chunks: chunks(),
      async close() {
        isClosed = true
      },
    },
    { calls, pipeline: { unsent, log, ports: { timer } } } as unknown as HttpContext,
  )
  return { stream, timer, errors, state: () => [read, unsent.bytes(), calls.count, isClosed] }
}

test("a chunk is read when the one before was taken, and at the end the file is closed", async () => {
  const { stream, state } = setUp()
  const reader = stream.getReader()
  await reader.read()
  expect(state()).toEqual([1, chunkBytes, 1, false])
  await reader.read()
  expect(state()).toEqual([2, chunkBytes, 1, false])
  let chunk = await reader.read()
  while (!chunk.done) chunk = await reader.read()
  expect(state()).toEqual([chunkCount, 0, 0, true])
})

test("the file is closed when its client leaves", async () => {
  const { stream, state } = setUp()
  const reader = stream.getReader()
  await reader.read()
  await reader.cancel()
  expect(state()).toEqual([1, 0, 0, true])
})

test("a client that reads nothing is cut off", async () => {
  const { stream, timer, state } = setUp()
  const reader = stream.getReader()
  await reader.read()
  timer.fire()
  expect(reader.read()).rejects.toThrow("The client does not read its answer.")
  expect(state()).toEqual([1, 0, 0, true])
})

test("an error of the disk ends the answer before its end", async () => {
  const { stream, errors, state } = setUp(2)
  expect(new Response(stream).bytes()).rejects.toThrow()
  while (errors.length === 0) await Promise.resolve()
  expect(errors).toEqual(["a file could not be sent to its end"])
  expect(state()).toEqual([3, 0, 0, true])
})
