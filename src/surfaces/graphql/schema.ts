import {
  GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSchema,
  type IntrospectionQuery,
  introspectionFromSchema,
  printSchema,
} from "graphql"
import { type ApiDefinition, deprecationText } from "../../apis/contract.ts"
import { toInputArgument } from "./input-type.ts"
import { toRootField } from "./names.ts"
import { type FieldContext, toOutputType } from "./output-type.ts"

/**
 * The schema of a catalog: a root field per API, except for those that take a file, which GraphQL cannot carry. A query needs a
 * {@link FieldContext} as context value.
 * @throws Error when GraphQL cannot express a definition
 */
export function createGraphqlSchema(apis: readonly ApiDefinition[]): GraphQLSchema {
  const fields = apis
    .filter(({ takesFile }) => !takesFile)
    .map(({ id, title, description, input, output, deprecation }) => {
      const { args, toParameters } = toInputArgument(input, [id, "input"])
      const field = {
        type: toOutputType(output, [id, "result"]),
        description: `${title}. ${description}`,
        deprecationReason: deprecation && deprecationText(deprecation),
        args,
        resolve: (
          _source: unknown,
          { input: given }: { input?: unknown },
          context: FieldContext,
          info: GraphQLResolveInfo,
        ) => context.run(id, toParameters(given), info),
      }
      return [toRootField(id), field] as const
    })
  return new GraphQLSchema({
    query: new GraphQLObjectType({
      name: "Query",
      description: "One field per API.",
      fields: Object.fromEntries(fields),
    }),
  })
}

/** A catalog's schema in the schema definition language. */
export function printCatalogSchema(apis: readonly ApiDefinition[]): string {
  return `${printSchema(createGraphqlSchema(apis))}\n`
}

/** A catalog's schema as the data of a full introspection query, which code generators read. */
export function introspectCatalogSchema(apis: readonly ApiDefinition[]): IntrospectionQuery {
  return introspectionFromSchema(createGraphqlSchema(apis))
}
