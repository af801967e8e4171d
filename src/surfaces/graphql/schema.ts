import {
  assertValidSchema,
  GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSchema,
  type IntrospectionQuery,
  introspectionFromSchema,
  printSchema,
} from "graphql"
import { type ApiDefinition, deprecationText, type GiveWay } from "../../apis/contract.ts"
import { toInputArgument } from "./input-type.ts"
import { toRootField } from "./names.ts"
import { type FieldContext, toOutputType } from "./output-type.ts"

/**
 * The schema of a catalog: a root field per API, except for those that take a file, which GraphQL cannot carry. A query needs a
 * {@link FieldContext} as context value.
 * @throws Error when GraphQL cannot express a definition
 */
export function createGraphqlSchema(apis: readonly ApiDefinition[]): GraphQLSchema {
  return toSchema(apis.filter(isExpressible).map(toRootEntry))
}

/** The same in steps of one API, between which other work runs: for 34 APIs it takes 35 ms of a process that has just started. */
export async function createGraphqlSchemaInSteps(apis: readonly ApiDefinition[], giveWay: GiveWay) {
  const entries: RootEntry[] = []
  for (const api of apis.filter(isExpressible)) {
    await giveWay()
    entries.push(toRootEntry(api))
  }
  await giveWay()
  const schema = toSchema(entries)
  await giveWay()
  // The schema keeps the result. Otherwise the first query would check it.
  assertValidSchema(schema)
  return schema
}

function isExpressible({ takesFile }: ApiDefinition): boolean {
  return !takesFile
}

type RootEntry = ReturnType<typeof toRootEntry>

function toRootEntry({ id, title, description, input, output, deprecation }: ApiDefinition) {
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
}

function toSchema(entries: readonly RootEntry[]): GraphQLSchema {
  return new GraphQLSchema({
    query: new GraphQLObjectType({
      name: "Query",
      description: "One field per API.",
      fields: Object.fromEntries(entries),
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
