import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  parse,
  type SelectionNode,
  Source,
  TokenKind,
  visit,
} from "graphql"
import { Refusal } from "./refusal.ts"

const maxBytes = 20_000
/** The most that an operation may have of each. The contents of a fragment count each time the fragment is spread. */
const limits = {
  /** Fields inside each other. `__schema` is not counted, since tools ask deeply in it. */
  levels: { most: 10, name: "levels of fields" },
  aliases: { most: 50, name: "aliases" },
  /** Each repeats the whole catalog in one step: 45 take 66 ms, in which nothing else runs. */
  schemaAliases: { most: 2, name: "aliases in or of __schema and __type" },
  directives: { most: 50, name: "directives" },
  fields: { most: 500, name: "fields" },
} as const
/** Fields with parameters under one name, whose parameters validation compares pair by pair. */
const maxRepeatedFields = 50
/** The bytes of JSON of all results of a query together. */
export const maxResultBytes = 16_777_216
/** Brackets of any kind inside each other. The parser recurses into each, and its stack is limited. */
const maxNesting = 100

/**
 * Parses a query.
 * @throws Refusal QUERY_TOO_COMPLEX beyond the limits, GRAPHQL_PARSE_FAILED when the text is not GraphQL
 */
export function parseWithinLimits(query: string): DocumentNode {
  try {
    requireParsable(query)
    const document = parse(query)
    requireWithinLimits(document)
    return document
  } catch (thrown) {
    if (thrown instanceof GraphQLError) throw new Refusal("GRAPHQL_PARSE_FAILED", [thrown])
    throw thrown
  }
}

/**
 * Refuses a query that is too long or nests too deeply to parse.
 * @throws Refusal QUERY_TOO_COMPLEX; GraphQLError when the text is not made of GraphQL tokens
 */
function requireParsable(query: string): void {
  if (query.length > maxBytes || Buffer.byteLength(query) > maxBytes)
    throw tooComplex(`The query is longer than ${maxBytes.toLocaleString("en-US")} bytes.`)
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
export function requireWithinLimits(document: DocumentNode): void {
  const sizes = sizesOf(document)
  for (const part of sizeParts) {
    const { most, name } = limits[part]
    if (sizes.some((size) => size[part] > most)) throw tooComplex(`The query has more than ${most} ${name}.`)
  }
  if (mostRepeatedField(document) > maxRepeatedFields)
    throw tooComplex(`The query has more than ${maxRepeatedFields} fields with parameters under one name.`)
}

type Size = Readonly<Record<keyof typeof limits, number>>

const sizeParts = ["levels", "aliases", "schemaAliases", "directives", "fields"] as const
const nothing: Size = { levels: 0, aliases: 0, schemaAliases: 0, directives: 0, fields: 0 }

/** Measures each operation of a document. Each fragment is measured once. */
function sizesOf({ definitions }: DocumentNode): readonly Size[] {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const node of definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node)
  }
  const known = new Map<string, Size>()

  function sizeOfFragment(name: string): Size {
    const measured = known.get(name)
    if (measured) return measured
    // Ends the recursion of a fragment that spreads itself, which validation refuses.
    known.set(name, nothing)
    const fragment = fragments.get(name)
    const size = fragment ? sizeOf(fragment) : nothing
    known.set(name, size)
    return size
  }

  function sizeOf(node: SelectionNode | FragmentDefinitionNode | OperationDefinitionNode): Size {
    const size = { ...nothing, directives: node.directives?.length ?? 0 }
    const inside =
      node.kind === Kind.FRAGMENT_SPREAD
        ? [sizeOfFragment(node.name.value)]
        : (node.selectionSet?.selections.map(sizeOf) ?? [])
    for (const inner of inside) {
      for (const part of sizeParts)
        size[part] = part === "levels" ? Math.max(size[part], inner[part]) : size[part] + inner[part]
    }
    if (node.kind !== Kind.FIELD) return size
    size.levels = node.name.value === "__schema" ? 0 : size.levels + 1
    size.aliases += node.alias ? 1 : 0
    if (["__schema", "__type"].includes(node.name.value)) size.schemaAliases = size.aliases
    size.fields += 1
    return size
  }

  return definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION).map(sizeOf)
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
