import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql"
import { inputFault } from "../../call/fault.ts"
import { isObject } from "../../values/is-object.ts"
import { Refusal } from "./refusal.ts"
import type { Variables } from "./variables.ts"

/** The parameters of a request for a query. */
export interface QueryInput {
  readonly query: string
  /** Null when the query has one operation. */
  readonly operationName: string | null
  /** As the client sent them. */
  readonly variables: Variables
}

/**
 * Reads the parameters of a GraphQL request from its JSON body (GraphQL over HTTP §5.1).
 * @throws Fault naming the parameter to change
 */
export function readParameters(body: Readonly<Record<string, unknown>>): QueryInput {
  const { query, operationName = null, variables, extensions } = body
  if (typeof query !== "string" || query === "")
    throw inputFault("query", `${query === undefined ? "is required and " : ""}must be a non-empty string`)
  if (operationName !== null && typeof operationName !== "string")
    throw inputFault("operationName", "must be a string")
  readMap("extensions", extensions)
  return { query, operationName, variables: readMap("variables", variables) }
}

function readMap(name: string, value: unknown): Variables {
  if (value === undefined || value === null) return {}
  if (isObject(value)) return value
  throw inputFault(name, "must be an object")
}

/** A document, and the operation of it that runs. */
export interface QueryParts {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
}

/**
 * Finds the operation that runs.
 * @throws Refusal BAD_REQUEST when the name matches no operation, OPERATION_NOT_SUPPORTED for a mutation or subscription
 */
export function selectOperation(document: DocumentNode, name: string | null): QueryParts {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)
  const found = name === null ? operations : operations.filter((operation) => operation.name?.value === name)
  const [operation] = found
  const parameter = "The 'operationName' parameter"
  if (!operation && name === null) throw new Refusal("BAD_REQUEST", "The query has no operation.")
  if (!operation)
    throw new Refusal("BAD_REQUEST", `${parameter} must be the name of an operation in the query.`)
  if (name === null && found.length > 1)
    throw new Refusal("BAD_REQUEST", `${parameter} is required where the query has several operations.`)
  const { operation: kind } = operation
  if (kind !== OperationTypeNode.QUERY)
    throw new Refusal("OPERATION_NOT_SUPPORTED", `A ${kind} is not supported, only queries are.`)
  const fragments = document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
  return { document, operation, fragments: new Map(fragments.map((node) => [node.name.value, node])) }
}

/** Names of the root fields that an operation selects, also through fragments, and that `isIncluded` lets pass. */
export function rootFieldsOf(
  { fragments, operation: { selectionSet } }: QueryParts,
  isIncluded: (node: SelectionNode) => boolean,
): ReadonlySet<string> {
  const names = new Set<string>()
  const add = ({ name }: FieldNode) => names.add(name.value)
  visitFields([selectionSet], (name) => fragments.get(name), isIncluded, add)
  return names
}

/** The fields that selections of one object name, also through fragments, in their order, without those inside. */
export function visitFields(
  selectionSets: readonly SelectionSetNode[],
  findFragment: (name: string) => FragmentDefinitionNode | undefined,
  isIncluded: (node: SelectionNode) => boolean,
  visit: (field: FieldNode) => void,
): void {
  const spread = new Set<string>()

  function collect({ selections }: SelectionSetNode): void {
    for (const selection of selections) {
      if (!isIncluded(selection)) continue
      if (selection.kind === Kind.FIELD) visit(selection)
      else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet)
      else collectFragment(selection.name.value)
    }
  }

  function collectFragment(name: string): void {
    if (spread.has(name)) return
    spread.add(name)
    const fragment = findFragment(name)
    if (fragment) collect(fragment.selectionSet)
  }

  for (const selectionSet of selectionSets) collect(selectionSet)
}

/** Whether `@skip` and `@include` let a selection pass (GraphQL §3.13.1, §3.13.2). */
export function isIncluded(node: SelectionNode, variables: Variables): boolean {
  if (!node.directives?.length) return true
  const skip = getDirectiveValues(GraphQLSkipDirective, node, variables)
  const include = getDirectiveValues(GraphQLIncludeDirective, node, variables)
  return skip?.if !== true && include?.if !== false
}
