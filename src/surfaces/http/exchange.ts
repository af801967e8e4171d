import type { Context } from "elysia"
import type { CallerRequest } from "../../call/caller.ts"
import type { RequestStart } from "../../observe/request-record.ts"

/** A request as it arrived, for the pipeline and for the record. */
export interface IncomingRequest extends CallerRequest, RequestStart {}

/** The status and headers of the answer, which Elysia sends with what a handler returns. */
export type AnswerSettings = Pick<Context["set"], "headers" | "status">

/** What a handler takes from Elysia's context. */
export interface Exchange {
  readonly request: Request
  readonly set: AnswerSettings
  readonly incoming: IncomingRequest
}
