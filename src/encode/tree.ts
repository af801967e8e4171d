/**
 * Every REST answer, in any format. `data` holds JSON values only, without cycles; keys are letters, digits and underscores.
 * A member that is undefined counts as absent.
 */
export interface Envelope {
  readonly status: "ok" | "error"
  readonly error: string | null
  readonly data: object | null
}

/** The place of a value in the text, in the terms of a format: a path, the name of an element, or the begun line. */
export interface Place {
  readonly text: string
  /** Whether the value is an item of a list. */
  readonly isItem: boolean
  /** How many objects and lists are around the value. */
  readonly depth: number
}

/** How a format writes a tree of JSON values. */
export interface Layout {
  /** Whether nothing at all is written for a member of an object. */
  isAbsent(member: unknown): boolean
  /** The begin and the end of an object or a list that is not empty. */
  begin(place: Place, isList: boolean): string
  end(place: Place, isList: boolean): string
  empty(place: Place, isList: boolean): string
  /** The `text` of the place of a child. */
  member(parent: Place, name: string, isFirst: boolean): string
  item(parent: Place, index: number): string
  /** A value that is neither an object nor a list; text up to {@link maxPartLength}. */
  scalar(place: Place, value: unknown): string
  longText(place: Place, text: string): LongText
}

/** A long text is escaped part by part. */
type LongText = { readonly before: string; readonly escape: (part: string) => string; readonly after: string }

/** The text of a value: whole, or in pieces when it is large. Between two pieces other work may run. */
export type Encoded = string | Iterable<string>

/** All pieces together. */
export function toWhole(encoded: Encoded): string {
  return typeof encoded === "string" ? encoded : [...encoded].join("")
}

/** Text of answers is made in pieces of about this length, each in less than 2 ms. */
export const pieceLength = 65_536
/** The longest text that is escaped at once. */
export const maxPartLength = 16_384

interface Container {
  readonly place: Place
  readonly value: object
  /** The names of an object's members; null for a list. */
  readonly names: readonly string[] | null
  readonly count: number
  next: number
}

/** Writes a value with everything inside it. */
export function encodeTree(layout: Layout, value: unknown, place: Place): Encoded {
  const writer = createTreeWriter(layout, value, place)
  const first = writer.next()
  return writer.isDone() ? first : allPieces(first, writer)
}

function* allPieces(first: string, { next, isDone }: ReturnType<typeof createTreeWriter>): Generator<string> {
  yield first
  while (!isDone()) yield next()
}

/** Keeps its own stack of open objects and lists, so that the writer can stop anywhere. */
function createTreeWriter(layout: Layout, root: unknown, rootPlace: Place) {
  const open: Container[] = []
  /** The rest of a long text. */
  let parts: Iterator<string> | null = null
  let text = ""

  function write(value: unknown, place: Place): void {
    if (typeof value === "object" && value !== null) begin(value, place)
    else if (typeof value === "string" && value.length > maxPartLength) {
      parts = partsOf(layout.longText(place, value), value)
    } else text += layout.scalar(place, value)
  }

  function begin(value: object, place: Place): void {
    const names = Array.isArray(value) ? null : presentNames(value, layout)
    const count = Array.isArray(value) ? value.length : (names?.length ?? 0)
    if (count === 0) {
      text += layout.empty(place, names === null)
      return
    }
    text += layout.begin(place, names === null)
    open.push({ place, value, names, count, next: 0 })
  }

  function writeNext(container: Container): void {
    const { place, value, names, count, next } = container
    if (next === count) {
      open.pop()
      text += layout.end(place, names === null)
      return
    }
    container.next++
    const depth = place.depth + 1
    if (names === null) {
      write((value as unknown[])[next], { text: layout.item(place, next), isItem: true, depth })
    } else {
      const name = names[next] ?? ""
      const member = (value as Record<string, unknown>)[name]
      write(member, { text: layout.member(place, name, next === 0), isItem: false, depth })
    }
  }

  function writePart(left: Iterator<string>): void {
    const part = left.next()
    if (part.done) parts = null
    else text += part.value
  }

  write(root, rootPlace)
  return {
    isDone: () => open.length === 0 && parts === null,
    next() {
      while (text.length < pieceLength) {
        const container = open.at(-1)
        if (parts) writePart(parts)
        else if (container) writeNext(container)
        else break
      }
      const piece = text
      text = ""
      return piece
    },
  }
}

function* partsOf(longText: LongText, text: string): Generator<string> {
  yield longText.before
  yield* mapParts(text, longText.escape)
  yield longText.after
}

/** The parts of a long text, each changed. A pair of surrogates stays together. */
export function* mapParts(text: string, change: (part: string) => string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = start + maxPartLength
    const isCut = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800
    const next = isCut ? end - 1 : end
    yield change(text.slice(start, next))
    start = next
  }
}

function presentNames(value: object, { isAbsent }: Layout): string[] {
  const names = Object.keys(value)
  const isPresent = (name: string) => !isAbsent((value as Record<string, unknown>)[name])
  return names.every(isPresent) ? names : names.filter(isPresent)
}
