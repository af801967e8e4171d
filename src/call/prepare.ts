import type { ApiDefinition } from "../apis/contract.ts"
import type { PreparedApi } from "./execute.ts"
import { compileInput } from "./input.ts"
import { compileMask } from "./present.ts"

/** Does for an API, once at start, what no call need do again. `credits` is the price of a call. */
export function prepareApi(definition: ApiDefinition, credits = definition.credits): PreparedApi {
  return {
    definition,
    credits,
    earned: [{ api: definition.id, calls: 1, credits }],
    readInput: compileInput(definition.input),
    mask: compileMask(definition.output),
  }
}
