/** Explanations of the parsers' errors, by code or message. The libraries' own texts are written for their developers. */
const meanings = {
  JSON: [
    [/InvalidSymbol/, "a text must be in quotation marks"],
    [/Number/, "a number must be written as JSON has it"],
    [/PropertyName/, "a name in quotation marks must follow"],
    [/ValueExpected/, "a value must follow"],
    [/Colon/, "a colon must follow"],
    [/Comma/, "a comma must follow"],
    [/CloseBrace/, "a closing brace must follow"],
    [/CloseBracket/, "a closing bracket must follow"],
    [/EndOfFile/, "nothing must follow the value"],
    [/Comment/, "there are no comments in JSON"],
    [/EndOfString/, "a quotation mark is missing at the end of a text"],
    [/Unicode|Escape/, "an escape must be one of JSON"],
    [/InvalidCharacter/, "a control character must be escaped"],
  ],
  YAML: [
    [/ALIAS/, "an alias must stand alone, and name an anchor"],
    [/DIRECTIVE/, "a line that begins with % must be a directive, before ---"],
    [/DQ_ESCAPE/, "an escape must be one of YAML"],
    [/INDENT/, "the line must be indented as its neighbours, by spaces, or a bracket is not closed"],
    [/PROP_ORDER|MULTIPLE_(?:ANCHORS|TAGS)/, "a value has one anchor and one tag at most, before it"],
    [/SCALAR_START/, "a text that begins with such a character must be in quotation marks"],
    [/BLOCK|MULTILINE|1024/, "a key must be in one line, and a block in its own"],
    [/MISSING_CHAR/, "a comma, a bracket, a quotation mark or a blank is missing"],
    [/COLLECTION_TYPE|TAG/, "the tag does not fit a list, an object or the value"],
    [/MULTIPLE_DOCS/, "two documents must be parted by ---"],
  ],
  TOML: [
    [/Unterminated string/, "a quotation mark is missing at the end of a text"],
    [/Unterminated/, "a closing bracket or brace is missing"],
    [/bare keys|dot/, "a key must not be empty, nor have a dot without names on both sides"],
    [/must be on the same line|No newlines|newline/, "a line break is missing, or is where none may be"],
    [/equal/, "an equals sign must follow the key"],
    [/Unspecified/, "a value must follow"],
    [/comma/i, "a comma is missing, or is where none may be"],
    [/multiple times/, "a key must not be there twice, nor a table that is a value already"],
    [/code point|escape|Control/, "a character must be an escape of TOML, or is not allowed"],
    [/Underscores/, "an underscore must be between digits"],
    [/spaces/, "a blank is where none may be"],
    [/quotes/, "three quotation marks in a row end the text"],
    [/invalid (?:date|time)/, "a date or time must exist"],
    [/zeros/, "a number must not begin with 0 before other digits"],
  ],
} as const satisfies Record<string, readonly (readonly [RegExp, string])[]>

/** Says in a clause why a text is refused. */
export function explain(format: keyof typeof meanings, error: string): string {
  const found = meanings[format].find(([pattern]) => pattern.test(error))
  return found?.[1] ?? "a character is where none of its kind may be"
}
