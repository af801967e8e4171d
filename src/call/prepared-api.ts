import type { ApiDefinition } from "../apis/contract.ts"
import type { ChargeItem } from "../store/store.ts"
import { compileDeprecated, type FindDeprecated } from "./deprecated-use.ts"
import { compileInput, type RawInput, type ReadInput } from "./input.ts"
import { compileMask, type Mask } from "./present.ts"

/** An API, compiled and with its price. */
export interface PreparedApi {
  readonly definition: ApiDefinition
  /** The price of one successful call. */
  readonly credits: number
  /** The charge for one successful call. */
  readonly charge: readonly ChargeItem[]
  readonly readInput: ReadInput
  readonly mask: Mask
  readonly findDeprecated: FindDeprecated
}

/**
 * Runs an API where nothing is metered, and returns its data. Rejects with InputRejected, Unavailable and what the run throws.
 */
export type LocalCalls = (api: PreparedApi, input: RawInput) => Promise<Record<string, unknown>>

/** Compiles an API's input check and premium mask, once at start. `credits` replaces the price of its definition. */
export function prepareApi(definition: ApiDefinition, credits = definition.credits): PreparedApi {
  return {
    definition,
    credits,
    charge: [{ api: definition.id, calls: 1, credits }],
    readInput: compileInput(definition.inputCheck ?? definition.input),
    mask: compileMask(definition.output),
    findDeprecated: compileDeprecated(definition),
  }
}
