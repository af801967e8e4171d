import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getNamedType,
  isListType,
  isObjectType,
  type SelectionNode,
} from "graphql"
import { isIncluded, visitFields } from "./query-parts.ts"

type Counts = "once" | "keys"

/** A field of an object that a query selects, under one key of the answer. */
interface Selected {
  readonly keyBytes: number
  read(data: Readonly<Record<string, unknown>>): unknown
  /** The fields that are selected inside the value; null for scalars and lists of them. */
  readonly inner: readonly Selected[] | null
}

/**
 * The bytes of JSON that a field's value takes in the answer. A query may name the same field many times, so it is counted before
 * GraphQL copies it. Stops soon after `maxBytes`.
 * @param counts `once`: each member that is selected, under one of its keys; `keys`: all keys, but no lists inside of the value,
 *   since each of these is counted at its own turn
 */
export function sizeOfResult(value: unknown, info: GraphQLResolveInfo, maxBytes: number, counts: Counts) {
  let bytes = keyBytes(String(info.path.key))

  function add(value: unknown, selected: readonly Selected[] | null): void {
    if (value === null || value === undefined) bytes += nullBytes
    else if (selected === null) bytes += sizeOfScalars(value)
    else if (Array.isArray(value)) addItems(value, selected)
    else addMembers(value as Record<string, unknown>, selected)
  }

  function addItems(items: readonly unknown[], selected: readonly Selected[]): void {
    bytes += bracketBytes
    for (const item of items) {
      if (bytes > maxBytes) return
      bytes += commaBytes
      add(item, selected)
    }
  }

  function addMembers(data: Readonly<Record<string, unknown>>, selected: readonly Selected[]): void {
    bytes += bracketBytes
    for (const { keyBytes, read, inner } of selected) {
      if (bytes > maxBytes) return
      bytes += keyBytes
      add(read(data), inner)
    }
  }

  add(value, keptSelectionOf(info, counts))
  return bytes
}

const nullBytes = "null".length
const bracketBytes = "[]".length
const commaBytes = ",".length

function keyBytes(key: string): number {
  return key.length + '"":,'.length
}

function sizeOfScalars(value: unknown): number {
  return typeof value === "number" ? String(value).length : Buffer.byteLength(JSON.stringify(value))
}

/**
 * Selections by field. Parsed queries are kept too, so to find a selection anew for each request took 6 % of a query of six APIs.
 */
const keptSelections = {
  once: new WeakMap<FieldNode, Selected["inner"]>(),
  keys: new WeakMap<FieldNode, Selected["inner"]>(),
}

/**
 * The selection of the field that `info` is about. It is kept unless variables or other selections of the field may change it.
 */
function keptSelectionOf(info: GraphQLResolveInfo, counts: Counts): Selected["inner"] {
  const { fieldNodes, returnType, variableValues } = info
  const [node, ...others] = fieldNodes
  const known = node && others.length === 0 ? keptSelections[counts].get(node) : undefined
  if (known !== undefined) return known
  let hasDirectives = false
  const isSelected = (node: SelectionNode) => {
    hasDirectives ||= !!node.directives?.length
    return isIncluded(node, variableValues)
  }
  const selection = selectionOf(returnType, fieldNodes, { info, counts, isSelected })
  if (node && others.length === 0 && !hasDirectives) keptSelections[counts].set(node, selection)
  return selection
}

interface Search {
  readonly info: GraphQLResolveInfo
  readonly counts: Counts
  isSelected(node: SelectionNode): boolean
}

/** The fields that some selections of one field select. Equal keys are one, as in the answer (GraphQL §6.3.2). */
function selectionOf(
  fieldType: GraphQLOutputType,
  nodes: readonly FieldNode[],
  search: Search,
): Selected["inner"] {
  const { info, counts, isSelected } = search
  const type = getNamedType(fieldType)
  if (!isObjectType(type)) return null
  const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
  const byKey = new Map<string, FieldNode[]>()
  const add = (field: FieldNode) => {
    const key = (field.alias ?? field.name).value
    const same = byKey.get(key)
    if (same) same.push(field)
    else byKey.set(key, [field])
  }
  visitFields(sets, (name) => info.fragments[name], isSelected, add)
  const members = new Set<string>()
  const counted = [...byKey].filter(([_, [node]]) => {
    const name = node?.name.value ?? ""
    const isFirst = !members.has(name)
    members.add(name)
    return counts === "keys" || isFirst
  })
  return counted.flatMap(([key, same]) => memberOf(type, key, same, search) ?? [])
}

function memberOf(
  type: GraphQLObjectType,
  key: string,
  nodes: readonly FieldNode[],
  search: Search,
): Selected | null {
  const field = type.getFields()[nodes[0]?.name.value ?? ""]
  // The name of the type, which every object has.
  if (!field) return { keyBytes: keyBytes(key), read: () => type.name, inner: null }
  if (search.counts === "keys" && isListType(field.type)) return null
  const member = String(field.extensions.member)
  return {
    keyBytes: keyBytes(key),
    read: (data) => data[member],
    inner: selectionOf(field.type, nodes, search),
  }
}
