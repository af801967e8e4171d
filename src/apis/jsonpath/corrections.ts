import { jsonpath as library } from "json-p3"

/** RFC 9535 section 2.3.5.1. */
const numberForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i
/** RFC 9535 section 2.5.1.1. */
const nameForm = /^[a-z_\u0080-\uffff][\w\u0080-\uffff]*$/i
/** RFC 9535 section 2.3.4.1. */
const sliceForm = /^(?:-?\d+\s*)?:\s*(?:-?\d+\s*)?(?::\s*(?:-?\d+)?)?$/

/** The parts of the library's private parser that are used here. */
interface Parser {
  readonly tokenMap: Map<string, (stream: Stream) => unknown>
  parseNumber(stream: Stream): unknown
  parsePrefixExpression(stream: Stream): unknown
  parseGroupedExpression(stream: Stream): object
  parseInfixExpression(stream: Stream, left: object): { readonly right: object }
  parseSelectors(stream: Stream): unknown
  parseSlice(stream: Stream): unknown
  decodeString(token: library.Token): string
  stringFromCodePoint(codePoint?: number): string
}
interface Stream {
  readonly current: library.Token
  readonly peek: library.Token
}

/**
 * Corrects the parser of json-p3 2.3.1 by RFC 9535: it refuses `0.5` and `"\u0001"`, and accepts `-01`, `$.a-b`, `$[:1 2]`,
 * `$[?!!@.a]`, `$[?1 == !@.a]` and `$[?@.a == @.b == 1]`.
 */
export function correctParser(environment: library.JSONPathEnvironment): void {
  // biome-ignore lint/complexity/useLiteralKeys: TypeScript lets a literal key reach what is private
  const parser: Parser = environment["parser"]
  const parseNumber = parser.parseNumber
  parser.tokenMap.set(library.TokenKind.NUMBER, (stream) => {
    const token = stream.current
    if (!numberForm.test(token.value)) throw mistake(`'${token.value}' is not a number of JSON`, token)
    // The library looks at the first character alone to find zeros before other digits.
    Object.assign(token, { value: token.value.replace(/^0/, "+0") })
    return parseNumber.call(parser, stream)
  })

  const parseNot = parser.parsePrefixExpression
  parser.tokenMap.set(library.TokenKind.NOT, (stream) => {
    if (stream.peek.kind === library.TokenKind.NOT) throw mistake("'!' must not follow '!'", stream.peek)
    return parseNot.call(parser, stream)
  })

  const grouped = new WeakSet<object>()
  const parseGrouped = parser.parseGroupedExpression
  parser.tokenMap.set(library.TokenKind.LPAREN, (stream) => {
    const expression = parseGrouped.call(parser, stream)
    grouped.add(expression)
    return expression
  })

  const parseInfix = parser.parseInfixExpression
  parser.parseInfixExpression = (stream, left) => {
    const operator = stream.current
    const isComparison = /^[=!<>]/.test(operator.value)
    if (
      isComparison &&
      (stream.peek.kind === library.TokenKind.NOT || stream.peek.kind === library.TokenKind.LPAREN)
    )
      throw mistake(`a value must follow '${stream.current.value}', and not an expression`, stream.peek)
    const expression = parseInfix.call(parser, stream, left)
    // A comparison cannot be compared, nor what is negated or in parentheses (RFC 9535, section 2.3.5.1).
    if (isComparison && [left, expression.right].some((side) => grouped.has(side) || "operator" in side))
      throw mistake(
        `only values and paths can stand beside '${operator.value}', and no expressions`,
        operator,
      )
    return expression
  }

  const parseSelectors = parser.parseSelectors
  parser.parseSelectors = (stream) => {
    const token = stream.current
    if (token.kind === library.TokenKind.NAME && !nameForm.test(token.value))
      throw mistake("names with other characters than letters, digits and _ need quotes and brackets", token)
    return parseSelectors.call(parser, stream)
  }

  const parseSlice = parser.parseSlice
  parser.parseSlice = (stream) => {
    const first = stream.current
    const slice = parseSlice.call(parser, stream)
    const last = stream.current
    if (!sliceForm.test(first.input.slice(first.index, last.index + last.value.length)))
      throw mistake("expected ':' between the numbers of a slice", last)
    return slice
  }

  const decodeString = parser.decodeString
  parser.decodeString = (token) => {
    if ([...token.value].some((character) => character < " "))
      throw mistake("control characters in quotes must be escaped, as in \\u000a", token)
    return decodeString.call(parser, token)
  }
  // The library refuses control characters here also where an escape stands for them.
  parser.stringFromCodePoint = (codePoint = 0) => String.fromCodePoint(codePoint)
}

/** A mistake that is found here; its sentence is shown as it is. */
export class FoundMistake extends library.JSONPathSyntaxError {
  readonly reason: string
  constructor(reason: string, token: library.Token) {
    super(reason, token)
    this.reason = reason
  }
}

function mistake(reason: string, token: library.Token) {
  return new FoundMistake(reason, token)
}
