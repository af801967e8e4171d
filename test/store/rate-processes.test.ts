/** A limit per minute over several processes on one data file. */

import { expect, test } from "bun:test"
import { join } from "node:path"
import { openDatabase } from "../../src/store/sqlite/database-file.ts"
import type { Taken } from "../support/rate-taker.ts"
import { tempDir } from "../support/temp.ts"

const dir = tempDir()
const taker = join(import.meta.dir, "../support/rate-taker.ts")

test.each([
  [1, 600],
  [2, 600],
  [2, 30_000],
  [4, 6_000],
  [4, 60_000],
])("%d processes are granted exactly what %d a minute allows", async (processes, perMinute) => {
  const file = join(dir, `${processes}-${perMinute}.db`)
  openDatabase(file).close()
  const takers = await Promise.all(Array.from({ length: processes }, () => startTaker(file, perMinute)))
  for (const { go } of takers) go()
  const taken = (await Promise.all(takers.map((one) => one.taken))).flat()
  const granted = taken.reduce((sum, one) => sum + one.granted, 0)
  expect(granted).toBe(allowedOf(taken, perMinute))
  expect(taken.reduce((sum, { asked }) => sum + asked, 0)).toBeGreaterThan(granted)
})

async function startTaker(file: string, perMinute: number) {
  const child = Bun.spawn([process.execPath, taker, file, String(perMinute), String(transactions)], {
    stdin: "pipe",
    stdout: "pipe",
  })
  const lines = linesOf(child.stdout)
  await lines.next()
  return {
    go() {
      child.stdin.write("go\n")
      child.stdin.end()
    },
    taken: lines.next().then(({ value }): readonly Taken[] => JSON.parse(value ?? "[]")),
  }
}

/** Enough for every process to wait for the lock of another one many times. */
const transactions = 200

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, string> {
  const decoder = new TextDecoder()
  let text = ""
  for await (const piece of stream) {
    text += decoder.decode(piece, { stream: true })
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
      yield text.slice(0, end)
      text = text.slice(end + 1)
    }
  }
  return text
}

/** The grants of one caller who asks the same at the same times: a bucket in whole parts of a millisecond. */
function allowedOf(taken: readonly Taken[], perMinute: number): number {
  const minute = 60_000 * perMinute
  let allowed = 0
  let fullAt = 0
  for (const { nowMs, asked } of taken.toSorted((one, other) => one.nowMs - other.nowMs)) {
    const now = nowMs * perMinute
    for (let call = 0; call < asked; call++) {
      const next = Math.max(fullAt, now) + 60_000
      if (next - now > minute) break
      fullAt = next
      allowed++
    }
  }
  return allowed
}
