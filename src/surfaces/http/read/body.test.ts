import { expect, test } from "bun:test"
import { systemTimer } from "../../../ports/timer.ts"
import { readJsonObject } from "./body.ts"
import { createIntake } from "./intake.ts"
import { httpLimits } from "./limits.ts"

const { freePieces, bytesPerPiece } = httpLimits
const intake = createIntake(2_000_000, 20_000, systemTimer)
const neverWait = () => undefined
const textOf = (length: number) => JSON.stringify({ message: "m".repeat(length) })

/** A request without a length, whose body is given in pieces of one size. */
function inPieces(text: string, size: number) {
  let pieces = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const start = size * pieces++
        controller.enqueue(Buffer.from(text.slice(start, start + size)))
        if (start + size >= text.length) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  const headers = { "content-type": "application/json" }
  const request = new Request("http://localhost/", { method: "POST", headers, body })
  return { request, pieces: () => pieces }
}

test.each([
  ["a few single bytes", textOf(500), 1],
  ["many pieces of a line", textOf(1_900_000), bytesPerPiece],
])("a body without a length is read in %s", async (_, text, size) =>
  expect(await readJsonObject(inPieces(text, size).request, intake, neverWait)).toEqual(JSON.parse(text)),
)

test("a body without a length of many single bytes is refused after the first", async () => {
  const { request, pieces } = inPieces(textOf(1_500_000), 1)
  const read = readJsonObject(request, intake, neverWait)
  await expect(read).rejects.toMatchObject({ code: "bodyInPieces", status: 400 })
  expect(pieces()).toBeLessThan(freePieces + 10)
})

test("a large body is checked, parsed and used in steps of their own, a small one at once", async () => {
  const events: string[] = []
  const read = async (length: number) => {
    const body = { message: "m".repeat(length) }
    const request = new Request("http://localhost/", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    })
    await readJsonObject(request, intake, () => {
      events.push("step")
      return Promise.resolve()
    })
    events.push(`${length} read`)
  }
  await read(1_000)
  await read(1_900_000)
  expect(events).toEqual(["1000 read", "step", "step", "step", "1900000 read"])
})
