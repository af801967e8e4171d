import type { Pipeline } from "../../../call/pipeline.ts"
import type { CallsInProgress } from "../calls.ts"
import { httpLimits } from "../read/limits.ts"

/** The parts of the service that a stream of an answer needs. */
export interface StreamParts {
  readonly pipeline: Pick<Pipeline, "unsent" | "ports"> & { readonly log?: Pick<Pipeline["log"], "error"> }
  readonly calls: CallsInProgress
}

/** The source of a stream. */
interface StreamSource {
  /** The bytes that come next; null at the end. If it throws, the connection is cut off. */
  next(): Promise<Uint8Array | null> | Uint8Array | null
  /** Called once: at the end, or when the client has gone or was cut off. */
  finish?(): Promise<void> | void
  /** The name of a failure of `next`, for the log. */
  readonly failure?: string
  /** Bytes that the count has already; by default each piece is counted from when it is made until it is taken. */
  readonly answer?: ReturnType<Pipeline["unsent"]["open"]>
}

/**
 * The body of an answer that is made as its client takes it: Bun asks for the next piece when the connection has taken the one
 * before. So an answer of any size takes little memory, and other requests run in between. A client that takes nothing is cut
 * off, since the memory that its answer needs is missing for others. Until it is read, the answer counts as a call in progress.
 */
export function pulledStream(
  { pipeline, calls }: StreamParts,
  { next, finish, failure = "an answer could not be sent to its end", answer: counted }: StreamSource,
): ReadableStream {
  const answer = counted ?? pipeline.unsent.open()
  let isOver = false
  let sending = 0
  let cancelTimer = () => {}

  function end(): Promise<void> | void {
    if (isOver) return
    isOver = true
    cancelTimer()
    answer.close()
    const finishing = finish?.()
    if (finishing) return finishing.finally(calls.end)
    calls.end()
  }

  /** Bun logs other errors; for this one it only resets the connection, so that the client notices the missing end. */
  function cutOff(controller: ReadableStreamDefaultController, why: string): void {
    controller.error(new DOMException(why, "AbortError"))
  }

  function watch(controller: ReadableStreamDefaultController): void {
    cancelTimer = pipeline.ports.timer.after(httpLimits.unreadSeconds * 1_000, () => {
      const ending = end()
      cutOff(controller, "The client does not read its answer.")
      return ending
    })
  }

  calls.begin()
  return new ReadableStream(
    {
      // Also ends it when Bun never pulls, because the client has gone.
      start: watch,
      async pull(controller) {
        cancelTimer()
        answer.free(sending)
        try {
          const bytes = await next()
          // The client may have left meanwhile.
          if (isOver) return
          if (bytes === null) {
            await end()
            controller.close()
            return
          }
          sending = bytes.byteLength
          if (!counted) answer.add(sending)
          controller.enqueue(bytes)
          watch(controller)
        } catch (thrown) {
          if (isOver) return
          pipeline.log?.error(failure, { cause: String(thrown) })
          void Promise.resolve(end()).catch((cause) => pipeline.log?.error(failure, { cause: String(cause) }))
          cutOff(controller, "The answer could not be read to its end.")
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}
