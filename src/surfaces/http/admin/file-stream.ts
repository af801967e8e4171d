import type { OpenFile } from "../../../admin/operation.ts"
import type { HttpContext } from "../frame.ts"
import { pulledStream } from "../reply/pulled-stream.ts"
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

/** Streams a file, a chunk at a time. */
export function streamFile(file: OpenFile, context: Omit<StreamContext, "closing">): ReadableStream {
  const { log } = context.pipeline
  const chunks = file.chunks[Symbol.asyncIterator]()
  return pulledStream(context, {
    next: async () => (await chunks.next()).value ?? null,
    finish() {
      file.close().catch((cause) => log.error("a file could not be closed", { cause: String(cause) }))
    },
    failure: "a file could not be sent to its end",
  })
}
