import { Type } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import type { GiveWay } from "../../../apis/contract.ts"
import type { RawInput } from "../../../call/input.ts"
import type { HttpContext } from "../frame.ts"

const pageShape = Type.Object({
  data: Type.Array(Type.Unknown()),
  next: Type.Union([Type.String(), Type.Null()]),
})

/** Makes the text of a list, page by page. */
export interface EntryWriter {
  page(entries: readonly unknown[]): string
  /** The text after the last page. */
  end(): string
}

/** One JSON object a line. */
export const jsonLines: EntryWriter = {
  page: (entries) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""),
  end: () => "",
}

/**
 * Streams all entries of a list. A page is read when the client has taken the one before, and other requests run in between. A
 * long list thus takes neither memory nor time from them.
 * @param readPage returns the answer of the operation for one page
 */
export function streamEntries(
  first: unknown,
  raw: RawInput,
  readPage: (raw: RawInput) => Promise<unknown>,
  writer: EntryWriter,
  { calls, pipeline }: Pick<HttpContext, "calls" | "pipeline">,
  giveWay: GiveWay,
): ReadableStream {
  const encoder = new TextEncoder()
  const answer = pipeline.unsent.open()
  let sending = 0
  let page = Value.Parse(pageShape, first)
  let isFirst = true
  let isOver = false

  /** The text of the next page that has some, or of the end. */
  async function nextText(): Promise<string> {
    let text = ""
    while (text === "" && !isOver) {
      if (!isFirst && page.next !== null) {
        // With a data file and a fast client, nothing else would run until the end without this.
        await giveWay()
        page = Value.Parse(pageShape, await readPage(after(raw, page.next)))
      }
      isFirst = false
      isOver = page.next === null
      text = writer.page(page.data) + (isOver ? writer.end() : "")
    }
    return text
  }

  let isEnded = false
  /** A client may leave while a page is read. */
  function end(): void {
    if (isEnded) return
    isEnded = true
    answer.close()
    calls.end()
  }

  calls.begin()
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          answer.free(sending)
          const bytes = encoder.encode(await nextText())
          sending = bytes.length
          answer.add(sending)
          if (sending > 0) controller.enqueue(bytes)
          if (!isOver) return
          end()
          controller.close()
        } catch (thrown) {
          end()
          pipeline.log.error("a list could not be sent to its end", { cause: String(thrown) })
          // Bun logs other errors; for this one it only resets the connection, so that the client notices the missing end.
          controller.error(new DOMException("The list could not be read to its end.", "AbortError"))
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}

function after(raw: RawInput, next: string): RawInput {
  if (raw.kind === "typed") return { kind: "typed", values: { ...raw.values, after: next } }
  const others = raw.parameters.filter(({ name }) => name !== "after")
  return { kind: "text", parameters: [...others, { name: "after", text: next }] }
}
