import { type Encoded, mapParts, pieceLength } from "./tree.ts"

/** JSON (RFC 8259) of a value that has JSON values only, without cycles. A member that is undefined counts as absent. */
export function encodeJson(value: unknown): Encoded {
  return isSmall(value) ? JSON.stringify(value) : valuePieces(value)
}

/** Neighbouring items of a list, with a comma after the item before them. */
export function encodeJsonItems(items: readonly unknown[], firstIndex: number): Encoded {
  if (!isSmall(items)) return itemPieces(items, firstIndex)
  return (firstIndex === 0 ? "" : ",") + JSON.stringify(items).slice(1, -1)
}

function* valuePieces(value: unknown): Generator<string> {
  if (isSmall(value)) yield JSON.stringify(value)
  else if (typeof value === "string") {
    yield '"'
    yield* mapParts(value, (part) => JSON.stringify(part).slice(1, -1))
    yield '"'
  } else if (Array.isArray(value)) {
    yield "["
    yield* itemPieces(value, 0)
    yield "]"
  } else {
    yield "{"
    yield* memberPieces(value as Readonly<Record<string, unknown>>)
    yield "}"
  }
}

/** Small items are written together, since a call of the encoder takes as long as one of them. */
function* itemPieces(items: readonly unknown[], firstIndex: number): Generator<string> {
  let comma = firstIndex === 0 ? "" : ","
  let small: unknown[] = []
  let weight = 0
  for (const item of items) {
    const itemWeight = weightOf(item, pieceLength)
    if (small.length > 0 && weight + itemWeight > pieceLength) {
      yield comma + JSON.stringify(small).slice(1, -1)
      comma = ","
      small = []
      weight = 0
    }
    if (itemWeight <= pieceLength) {
      small.push(item)
      weight += itemWeight
    } else {
      yield comma
      comma = ","
      yield* valuePieces(item)
    }
  }
  if (small.length > 0) yield comma + JSON.stringify(small).slice(1, -1)
}

function* memberPieces(members: Readonly<Record<string, unknown>>): Generator<string> {
  let comma = ""
  for (const [name, member] of Object.entries(members)) {
    if (member === undefined) continue
    yield `${comma}${JSON.stringify(name)}:`
    comma = ","
    yield* valuePieces(member)
  }
}

function isSmall(value: unknown): boolean {
  return weightOf(value, pieceLength) <= pieceLength
}

/** The time for an object, a list or a scalar besides its characters, in characters that take as long to write. */
const valueWeight = 8

/** How long it takes to write a value, in characters: about the length of its JSON. Stops soon after `limit`. */
export function weightOf(value: unknown, limit: number): number {
  if (typeof value === "string") return valueWeight + value.length
  let weight = valueWeight
  if (typeof value !== "object" || value === null) return weight
  if (Array.isArray(value)) {
    for (const item of value) {
      if (weight > limit) break
      weight += weightOf(item, limit - weight)
    }
    return weight
  }
  for (const name in value) {
    if (weight > limit) break
    weight += weightOf((value as Readonly<Record<string, unknown>>)[name], limit - weight)
  }
  return weight
}
