import { Type } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import type { RawInput } from "../../../call/input.ts"
import type { HttpContext } from "../context.ts"

const pageShape = Type.Object({
  data: Type.Array(Type.Unknown()),
  next: Type.Union([Type.String(), Type.Null()]),
})

/**
 * All entries of a list as JSON lines. A page is read when the client has taken the one before, so that a long list takes
 * neither memory nor time from others.
 * @param readPage gives the answer of the operation for one page
 */
export function streamEntries(
  first: unknown,
  raw: RawInput,
  readPage: (raw: RawInput) => Promise<unknown>,
  { calls, pipeline }: Pick<HttpContext, "calls" | "pipeline">,
): ReadableStream {
  const encoder = new TextEncoder()
  let page = Value.Parse(pageShape, first)
  let isFirst = true

  calls.begin()
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          if (!isFirst && page.next !== null)
            page = Value.Parse(pageShape, await readPage(after(raw, page.next)))
          else if (!isFirst) {
            calls.end()
            controller.close()
            return
          }
          isFirst = false
          controller.enqueue(encoder.encode(page.data.map((entry) => `${JSON.stringify(entry)}\n`).join("")))
        } catch (thrown) {
          calls.end()
          pipeline.log.error("a list could not be sent to its end", { cause: String(thrown) })
          // Bun logs other errors; for this one it only resets the connection, so that the client sees that the end is missing.
          controller.error(new DOMException("The list could not be read to its end.", "AbortError"))
        }
      },
      cancel: () => calls.end(),
    },
    { highWaterMark: 0 },
  )
}

function after(raw: RawInput, next: string): RawInput {
  if (raw.kind === "typed") return { kind: "typed", values: { ...raw.values, after: next } }
  const others = raw.parameters.filter(({ name }) => name !== "after")
  return { kind: "text", parameters: [...others, { name: "after", text: next }] }
}
