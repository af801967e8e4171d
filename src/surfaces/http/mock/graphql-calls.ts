import {
  coerceInputValue,
  type DefinitionNode,
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  Kind,
  parse,
  valueFromASTUntyped,
} from "graphql"
import { type ApiDefinition, reject } from "../../../apis/contract.ts"
import type { RawInput } from "../../../call/input.ts"
import type { PreparedApi } from "../../../call/prepared-api.ts"
import { toInputArgument } from "../../graphql/input-type.ts"
import { toRootField } from "../../graphql/names.ts"
import { visitFields } from "../../graphql/query-parts.ts"

type Values = Readonly<Record<string, unknown>>

/** Returns the parameters of one call. Throws an InputRejected when GraphQL would refuse them. */
type ReadCall = () => RawInput

/** The calls of a GraphQL request by API, in the order of the query; none when it cannot be parsed. */
export function graphqlCalls(body: string, apis: ReadonlyMap<string, PreparedApi>) {
  const { document, variables } = readRequest(body)
  const byField = new Map(
    [...apis.values()].map(({ definition }) => [toRootField(definition.id), definition]),
  )
  const calls = new Map<string, ReadCall[]>()
  // Fields of operations and of fragments on the root type: only those are APIs.
  const roots = document.definitions.flatMap((node) =>
    node.kind === Kind.OPERATION_DEFINITION ||
    (node.kind === Kind.FRAGMENT_DEFINITION && node.typeCondition.name.value === "Query")
      ? node.selectionSet
      : [],
  )
  const add = (field: FieldNode) => {
    const definition = byField.get(field.name.value)
    if (!definition) return
    calls.getOrInsertComputed(definition.id, () => []).push(() => readCall(field, definition, variables))
  }
  visitFields(
    roots,
    () => undefined,
    () => true,
    add,
  )
  return calls
}

function readCall(field: FieldNode, { id, input: schema }: ApiDefinition, variables: Values): RawInput {
  const { args, toParameters } = toInputArgument(schema, [id])
  const given = field.arguments?.find(({ name }) => name.value === "input")
  const value = given && valueFromASTUntyped(given.value, variables)
  const input =
    value === undefined || !args.input
      ? undefined
      : coerceInputValue(value, args.input.type, () => reject("input", "does not fit its type"))
  return { kind: "typed", values: toParameters(input) }
}

/** Without definitions for a request that the service refuses: no JSON object, no text as query, no GraphQL. */
function readRequest(body: string): { document: DocumentNode; variables: Values } {
  const nothing = { document: { kind: Kind.DOCUMENT, definitions: [] }, variables: {} } as const
  try {
    const { query, variables } = JSON.parse(body) ?? {}
    if (typeof query !== "string") return nothing
    const document = parse(query, { noLocation: true, maxTokens: 20_000 })
    return { document, variables: { ...document.definitions.reduce(addDefaults, {}), ...variables } }
  } catch (thrown) {
    if (thrown instanceof SyntaxError || thrown instanceof GraphQLError) return nothing
    throw thrown
  }
}

/** Adds the defaults of an operation's variables. */
function addDefaults(values: Values, definition: DefinitionNode): Values {
  if (definition.kind !== Kind.OPERATION_DEFINITION) return values
  const defaults = (definition.variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
    defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)] as const] : [],
  )
  return { ...values, ...Object.fromEntries(defaults) }
}
