import { Composer, type Document, isScalar, Lexer, LineCounter, type ParsedNode, Parser, visit } from "yaml"

/** The levels of YAML that are read; a zone has five. 5,000 levels take 40 to 75 ms, in which nothing else runs. */
const maxLevels = 20

/** Refuses what is at an offset of the text. */
export type Fail = (offset: number, problem: string) => never

/**
 * Reads one document of YAML, and so of JSON, in time that grows with its length.
 * @param whole the document's name in messages, such as "a zone"
 * @returns no document for an empty text; `fail` throws an Error whose message begins with the line
 * @throws Error whose message begins with the invalid line
 */
export function readYamlDocument(text: string, whole: string) {
  const lines = new LineCounter()
  const fail: Fail = (offset, problem) => {
    throw new Error(`line ${Math.max(1, lines.linePos(offset).line)}: ${problem}`)
  }
  const composer = new Composer({ uniqueKeys: false })
  const [document, second] = composer.compose(tokensOf(text, whole, lines, fail), true, text.length)
  if (second) fail(second.range[0], `${whole} must be one document`)
  const error = document?.errors[0]
  if (error) fail(error.pos[0], error.message)
  for (const offset of document ? repeatedKeys(document) : []) fail(offset, repeatedKey)
  return { document, fail }
}

/** The syntax of a text, as long as it is not too deep. */
function* tokensOf(text: string, whole: string, lines: LineCounter, fail: Fail) {
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme)
    if (parser.stack.length > maxLevels) fail(parser.offset, `${whole} must have at most ${maxLevels} levels`)
  }
  yield* parser.end()
}

export const repeatedKey = "Map keys must be unique"

/** The offsets of keys that an object has already; the library, if it looks for them, compares each key with all others. */
export function repeatedKeys(document: Document.Parsed<ParsedNode>): number[] {
  const offsets: number[] = []
  visit(document, {
    Map(_, { items }) {
      const keys = new Set<string>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        const text = String(key.value)
        if (keys.has(text)) offsets.push(key.range?.[0] ?? 0)
        keys.add(text)
      }
    },
  })
  return offsets
}
