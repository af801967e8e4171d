import { type CallerIds, type CallerRequest, type CallRecord, nothingCharged } from "../../call/caller.ts"
import type { Progress } from "../../call/pipeline.ts"
import type { QueryParts } from "./query-parts.ts"
import type { Refusal } from "./refusal.ts"

/** One request on its way through the yoga plugin. */
export interface GraphqlCall extends Progress {
  readonly request: CallerRequest
  /** Ids of the APIs that the query runs. */
  apis: readonly string[]
  charged: CallRecord["charged"]
  /** The operation to run, once the document is read. */
  parts: QueryParts | null
  /** Why the request is refused as a whole; null when it is not. */
  refusal: Refusal | null
  /** The code for the record: of the fault behind the refusal, or of the refusal itself. */
  fault: string | null
  /** Whose key was refused, for the record. */
  keyOwner: CallerIds | null
}

export function startGraphqlCall(request: CallerRequest): GraphqlCall {
  return {
    request,
    caller: null,
    rate: null,
    apis: [],
    charged: nothingCharged,
    parts: null,
    refusal: null,
    fault: null,
    keyOwner: null,
  }
}
