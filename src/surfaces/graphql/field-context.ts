import type { GiveWay } from "../../apis/contract.ts"

/** The context value of a query. */
export interface FieldContext {
  /** Runs an API and gives its data, or throws the field's error. */
  run(apiId: string, parameters: Readonly<Record<string, unknown>>): unknown
  /** Called before each list, whose items GraphQL completes all at once. */
  readonly giveWay: GiveWay
}
