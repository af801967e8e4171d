import type { GraphQLResolveInfo } from "graphql"
import type { GiveWay } from "../../apis/contract.ts"

/** The context value of a query. */
export interface FieldContext {
  /** Runs an API and gives its data, or throws the field's error. */
  run(apiId: string, parameters: Readonly<Record<string, unknown>>, info: GraphQLResolveInfo): unknown
  /**
   * Counts a list before GraphQL copies it.
   * @throws Refusal when the results of the query are too large
   */
  count(list: unknown, info: GraphQLResolveInfo): void
  /** Notes the use of a deprecated field, named as in usage. */
  useDeprecated(entry: string): void
  /** Called before each list, whose items GraphQL completes all at once. */
  readonly giveWay: GiveWay
}
