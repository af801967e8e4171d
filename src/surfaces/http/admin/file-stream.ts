import type { OpenFile } from "../../../admin/operation.ts"
import type { HttpContext } from "../frame.ts"
import { httpLimits } from "../read/limits.ts"
import type { AnswerSettings } from "../request.ts"
import { setAdminHeaders } from "./admin-problem.ts"

type StreamContext = Pick<HttpContext, "calls" | "pipeline" | "closing">

/** Answers with a file, which browsers save under its name. */
export function sendFile(file: OpenFile, set: AnswerSettings, context: StreamContext): Response {
  set.status = 200
  if (context.closing.isBegun) set.headers.connection = "close"
  setAdminHeaders(set, "application/octet-stream")
  set.headers["content-disposition"] = `attachment; filename="${file.name}"`
  return new Response(streamFile(file, context))
}

/**
 * Streams a file. A chunk is read when the client has taken the one before, so a file of any size takes little memory. A client
 * that reads nothing is cut off.
 */
export function streamFile(
  file: OpenFile,
  { calls, pipeline }: Omit<StreamContext, "closing">,
): ReadableStream {
  const answer = pipeline.unsent.open()
  const chunks = file.chunks[Symbol.asyncIterator]()
  let sending = 0
  let isOver = false
  let cancelTimer = () => {}

  function end(): void {
    if (isOver) return
    isOver = true
    cancelTimer()
    answer.close()
    calls.end()
    file.close().catch((cause) => pipeline.log.error("a file could not be closed", { cause: String(cause) }))
  }

  function fail(controller: ReadableStreamDefaultController, text: string): void {
    end()
    // Bun logs other errors; for this one it only resets the connection.
    controller.error(new DOMException(text, "AbortError"))
  }

  function watch(controller: ReadableStreamDefaultController): void {
    cancelTimer = pipeline.ports.timer.after(httpLimits.unreadSeconds * 1_000, () =>
      fail(controller, "The client does not read its answer."),
    )
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
          const { value, done } = await chunks.next()
          // The client may have left meanwhile.
          if (isOver) return
          if (done) {
            end()
            controller.close()
            return
          }
          sending = value.length
          answer.add(sending)
          controller.enqueue(value)
          watch(controller)
        } catch (thrown) {
          if (isOver) return
          pipeline.log.error("a file could not be sent to its end", {
            file: file.name,
            cause: String(thrown),
          })
          fail(controller, "The file could not be read to its end.")
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}
