import { httpLimits } from "./read/limits.ts"
import type { BodyParts } from "./reply/answer-body.ts"

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
 * Passes an event stream on as it comes. It counts as a call in progress, and what its client has not read yet as unsent. A
 * client that takes nothing for long is cut off.
 * @param finish is called once, when the stream has ended or its client has gone
 */
export function toLiveStream(
  { first, rest }: LiveAnswer,
  finish: () => Promise<void>,
  { pipeline, calls }: BodyParts,
): ReadableStream {
  const { timer } = pipeline.ports
  const answer = pipeline.unsent.open()
  let isOver = false
  let sending = 0
  let next: Uint8Array | null = first
  let cancelTimer = () => {}

  async function end(): Promise<void> {
    if (isOver) return
    isOver = true
    cancelTimer()
    answer.close()
    try {
      await finish()
    } finally {
      calls.end()
    }
  }

  async function read(): Promise<Uint8Array | null> {
    const value = next ?? (await rest.read()).value ?? null
    next = null
    return value
  }

  calls.begin()
  return new ReadableStream(
    {
      async pull(controller) {
        cancelTimer()
        answer.free(sending)
        const event = await read()
        if (event === null) {
          await end()
          controller.close()
          return
        }
        sending = event.byteLength
        answer.add(sending)
        controller.enqueue(event)
        cancelTimer = timer.after(httpLimits.unreadSeconds * 1_000, () => {
          controller.error(new DOMException("The client does not read its answer.", "AbortError"))
          return Promise.all([rest.cancel(), end()])
        })
      },
      cancel: () => Promise.all([rest.cancel(), end()]).then(() => {}),
    },
    { highWaterMark: 0 },
  )
}
