import { type ApiDefinition, deprecationOf } from "../../apis/contract.ts"
import { sunsetsOf } from "../../call/admission.ts"
import { Fault } from "../../call/fault.ts"
import { faultResponse } from "./fault-responses.ts"
import { keyedHeaders, refsTo } from "./headers.ts"
import type { JsonObject } from "./json-object.ts"

/** Headers of a success: also those of a deprecation, if anything of the API is deprecated. */
export function successHeaders({ deprecation, input }: ApiDefinition): JsonObject {
  const isDeprecated = deprecation || Object.values(input.properties).some((schema) => deprecationOf(schema))
  return isDeprecated ? { ...keyedHeaders, ...refsTo("Deprecation", "Sunset", "Link") } : keyedHeaders
}

/** The 410 of an API with a sunset. */
export function goneAfter(definition: ApiDefinition): JsonObject {
  const gone = sunsetsOf([definition]).get(definition.id)
  if (!gone) return {}
  return { 410: faultResponse("The API has ended.", { gone: new Fault("apiGone", gone.message) }) }
}
