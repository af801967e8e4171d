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
  /** The refusal of the whole request; null if it is not refused. */
  refusal: Refusal | null
  /** The code for the record: of the fault behind the refusal, or of the refusal itself. */
  fault: string | null
  /** The owner of the refused key, for logs and metrics. */
  keyOwner: CallerIds | null
}

/** The call of a request that was just received. */
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
