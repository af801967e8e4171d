import { maxAliasesRule } from "@escape.tech/graphql-armor-max-aliases"
import { maxDepthRule } from "@escape.tech/graphql-armor-max-depth"
import { maxDirectivesRule } from "@escape.tech/graphql-armor-max-directives"
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  Lexer,
  type SelectionSetNode,
  Source,
  TokenKind,
  validate,
  visit,
} from "graphql"
import { Refusal } from "./refusal.ts"

const maxBytes = 20_000
const maxDepth = 10
const maxAliases = 50
const maxFields = 500
const maxDirectives = 50
/** Fields with parameters under one name, whose parameters validation compares pair by pair. */
const maxRepeatedFields = 50
/** The bytes of JSON of all results of a query together. */
export const maxResultBytes = 16_777_216
/** Brackets of any kind inside each other. The parser recurses into each, and its stack is limited. */
const maxNesting = 100

/**
 * Refuses a query that is too long or nests too deeply to parse.
 * @throws Refusal QUERY_TOO_COMPLEX; GraphQLError when the text is not made of GraphQL tokens
 */
export function requireParsable(query: string): void {
  if (query.length > maxBytes || Buffer.byteLength(query) > maxBytes) {
    throw tooComplex(`The query is longer than ${maxBytes.toLocaleString("en-US")} bytes.`)
  }
  const lexer = new Lexer(new Source(query))
  let nesting = 0
  for (let { kind } = lexer.advance(); kind !== TokenKind.EOF; { kind } = lexer.advance()) {
    if (opening.has(kind)) nesting++
    else if (closing.has(kind)) nesting--
    if (nesting > maxNesting) throw tooComplex(`The query nests deeper than ${maxNesting} brackets.`)
  }
}

const opening: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L])
const closing: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R])

/**
 * Refuses a query that is too deep or too broad, before it is validated, which takes longest. Takes linear time in the length
 * of the query, also when its fragments use each other.
 * @throws Refusal QUERY_TOO_COMPLEX
 */
export function requireWithinLimits(schema: GraphQLSchema, document: DocumentNode): void {
  const found: string[] = []
  const rule = (what: string, n: number) => ({
    n,
    propagateOnRejection: false,
    onReject: [() => found.push(`The query has more than ${n} ${what}.`)],
  })
  validate(schema, document, [
    maxDepthRule({ ...rule("levels of fields", maxDepth), flattenFragments: true }),
    maxAliasesRule({ ...rule("aliases", maxAliases), allowList: [] }),
    maxDirectivesRule(rule("directives", maxDirectives)),
  ])
  if (largestFieldCount(document) > maxFields) found.push(`The query has more than ${maxFields} fields.`)
  if (mostRepeatedField(document) > maxRepeatedFields) {
    found.push(`The query has more than ${maxRepeatedFields} fields with parameters under one name.`)
  }
  const [first] = found
  if (first !== undefined) throw tooComplex(first)
}

/** Counts the fields of the largest operation, those of a fragment each time it is spread. */
function largestFieldCount({ definitions }: DocumentNode): number {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const node of definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node)
  }
  const counts = new Map<string, number>()

  function countIn({ selections }: SelectionSetNode): number {
    let count = 0
    for (const selection of selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        count += countOf(selection.name.value)
      } else {
        if (selection.kind === Kind.FIELD) count++
        if (selection.selectionSet) count += countIn(selection.selectionSet)
      }
    }
    return count
  }

  function countOf(name: string): number {
    const known = counts.get(name)
    if (known !== undefined) return known
    // Ends the recursion of a fragment that spreads itself, which validation refuses.
    counts.set(name, 0)
    const fragment = fragments.get(name)
    const count = fragment ? countIn(fragment.selectionSet) : 0
    counts.set(name, count)
    return count
  }

  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)
  return Math.max(0, ...operations.map((operation) => countIn(operation.selectionSet)))
}

/** How often the document has fields with parameters under one name, at most. */
function mostRepeatedField(document: DocumentNode): number {
  const counts = new Map<string, number>()
  visit(document, {
    Field({ name, alias, arguments: parameters }) {
      if (!parameters?.length) return
      const { value } = alias ?? name
      counts.set(value, (counts.get(value) ?? 0) + 1)
    },
  })
  return Math.max(0, ...counts.values())
}

function tooComplex(message: string): Refusal {
  return new Refusal("QUERY_TOO_COMPLEX", message)
}
