import { pulledStream, type StreamParts } from "./reply/pulled-stream.ts"

/** An answer that was read whole, or the beginning of an event stream and what is still to come. */
export type McpAnswer = { readonly text: string } | LiveAnswer

export interface LiveAnswer {
  readonly first: Uint8Array
  readonly rest: Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel">
}

/** Longer first events are the answer itself, which has no later ones. */
const maxNoticeBytes = 65_536

/**
 * Reads the answer of the protocol's library. An event stream is read whole when its first event is the answer, with which
 * it ends; clients of earlier revisions always get one. A stream that begins with anything else may stay open for long.
 */
export async function readAnswer(response: Response): Promise<McpAnswer> {
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true
  if (!isStream || response.body === null) return { text: await response.text() }
  const rest = response.body.getReader()
  const pieces: Uint8Array[] = []
  for (let next = await rest.read(); !next.done; next = await rest.read()) {
    if (pieces.length === 0 && !isAnswer(next.value)) return { first: next.value, rest }
    pieces.push(next.value)
  }
  return { text: Buffer.concat(pieces).toString() }
}

/** Whether an event is a JSON-RPC response. Anything else is a comment, a notification or a request. */
function isAnswer(event: Uint8Array): boolean {
  if (event.byteLength > maxNoticeBytes) return true
  const [, data] = /^data: (.*)$/m.exec(Buffer.from(event).toString()) ?? []
  return data !== undefined && !Object.hasOwn(JSON.parse(data), "method")
}

/**
 * Passes an event stream on as it comes.
 * @param finish is called once, when the stream has ended or its client has gone
 */
export function toLiveStream(
  { first, rest }: LiveAnswer,
  finish: () => Promise<void>,
  parts: StreamParts,
): ReadableStream {
  let begun: Uint8Array | null = first
  return pulledStream(parts, {
    async next() {
      const value = begun ?? (await rest.read()).value ?? null
      begun = null
      return value
    },
    finish() {
      rest.cancel().catch(() => {})
      return finish()
    },
  })
}
