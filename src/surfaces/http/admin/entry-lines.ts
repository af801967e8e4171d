import { Type } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import type { GiveWay } from "../../../apis/contract.ts"
import type { RawInput } from "../../../call/input.ts"
import type { HttpContext } from "../frame.ts"
import { pulledStream } from "../reply/pulled-stream.ts"

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
 * Streams all entries of a list, a page at a time. A long list thus takes neither memory nor time from other requests.
 * @param readPage returns the answer of the operation for one page
 */
export function streamEntries(
  first: unknown,
  raw: RawInput,
  readPage: (raw: RawInput) => Promise<unknown>,
  writer: EntryWriter,
  context: Pick<HttpContext, "calls" | "pipeline">,
  giveWay: GiveWay,
): ReadableStream {
  const encoder = new TextEncoder()
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

  return pulledStream(context, {
    async next() {
      const text = await nextText()
      return text === "" ? null : encoder.encode(text)
    },
    failure: "a list could not be sent to its end",
  })
}

function after(raw: RawInput, next: string): RawInput {
  if (raw.kind === "typed") return { kind: "typed", values: { ...raw.values, after: next } }
  const others = raw.parameters.filter(({ name }) => name !== "after")
  return { kind: "text", parameters: [...others, { name: "after", text: next }] }
}
