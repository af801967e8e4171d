import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
  validate,
} from "graphql"
import { requireParsable, requireWithinLimits } from "./limits.ts"
import { Refusal } from "./refusal.ts"

/** A query document within the limits, but not yet known to fit the schema. */
export interface QueryDocument {
  readonly document: DocumentNode
  readonly operations: readonly OperationDefinitionNode[]
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  /** @throws Refusal GRAPHQL_VALIDATION_FAILED with what does not fit the schema */
  requireValid(): void
}

/** Characters of queries kept in parsed form, since clients send the same few over and over; the oldest go first. */
const maxKept = 200_000
/** What is wrong with a query is told up to so many times. */
const maxErrors = 20

/**
 * Makes the reader of queries on a schema. It throws a Refusal: QUERY_TOO_COMPLEX beyond the limits, GRAPHQL_PARSE_FAILED
 * for what is no GraphQL.
 */
export function createDocumentReader(schema: GraphQLSchema): (query: string) => QueryDocument {
  const kept = new Map<string, QueryDocument>()
  let length = 0

  return (query) => {
    const known = kept.get(query)
    if (known) return known
    const document = readDocument(query, schema)
    kept.set(query, document)
    length += query.length
    for (const oldest of kept.keys()) {
      if (length <= maxKept) break
      kept.delete(oldest)
      length -= oldest.length
    }
    return document
  }
}

function readDocument(query: string, schema: GraphQLSchema): QueryDocument {
  const document = parseQuery(query)
  requireWithinLimits(schema, document)
  const { definitions } = document
  let isValid = false
  return {
    document,
    operations: definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION),
    fragments: new Map(
      definitions
        .filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
        .map((fragment) => [fragment.name.value, fragment]),
    ),
    requireValid() {
      if (isValid) return
      const errors = validate(schema, document, undefined, { maxErrors })
      if (errors.length > 0) throw new Refusal("GRAPHQL_VALIDATION_FAILED", errors)
      isValid = true
    },
  }
}

function parseQuery(query: string): DocumentNode {
  try {
    requireParsable(query)
    return parse(query)
  } catch (thrown) {
    if (thrown instanceof GraphQLError) throw new Refusal("GRAPHQL_PARSE_FAILED", [thrown])
    throw thrown
  }
}
