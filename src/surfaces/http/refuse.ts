import { Fault } from "../../call/fault.ts"
import { toReply } from "../../call/pipeline.ts"
import type { RecordRequest } from "../../observe/request.ts"
import { finishBody, type HttpContext } from "./context.ts"
import type { Exchange } from "./exchange.ts"
import { sendFault } from "./reply.ts"

/** The refusal of one call too many (RFC 9110 §15.6.4). It uses no key, body or store, so that refusing costs little. */
export const overloaded = new Fault(
  "overloaded",
  "The service is at its limit of calls under way. Nothing was charged; try again.",
  { retryAfterSeconds: 1 },
)

/** Refuses one call too many, in the format that it asks for. */
export async function refuseOverload(
  { request, set, incoming }: Exchange,
  record: RecordRequest,
  context: HttpContext,
): Promise<string | Response> {
  record(incoming, toReply(overloaded))
  await finishBody(request, set, context)
  return sendFault(overloaded, request, set)
}
