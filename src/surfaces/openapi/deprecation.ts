import { type ApiDefinition, deprecationOf } from "../../apis/contract.ts"
import { sunsetsOf } from "../../call/admission.ts"
import { Fault } from "../../call/fault.ts"
import { faultResponse, type Refusal } from "./fault-responses.ts"
import { keyedHeaders, refsTo } from "./headers.ts"
import type { JsonObject } from "./json-object.ts"

/** Headers of a success: also those of a deprecation, if anything of the API is deprecated. */
export function successHeaders({ deprecation, input }: ApiDefinition): JsonObject {
  const isDeprecated = deprecation || Object.values(input.properties).some((schema) => deprecationOf(schema))
  return isDeprecated ? { ...keyedHeaders, ...refsTo("Deprecation", "Sunset", "Link") } : keyedHeaders
}

/** The refusal with 410 of an API with a sunset; null without one. */
export function goneRefusal(definition: ApiDefinition): Refusal | null {
  const gone = sunsetsOf([definition]).get(definition.id)
  return gone
    ? { description: "The API has ended.", faults: { gone: new Fault("apiGone", gone.message) } }
    : null
}

/** The response with 410 of an API with a sunset. */
export function goneAfter(definition: ApiDefinition): JsonObject {
  const gone = goneRefusal(definition)
  return gone ? { 410: faultResponse(gone) } : {}
}
