import { type JSONVisitor, printParseErrorCode, visit } from "jsonc-parser"
import { explain } from "./mistakes.ts"
import { addKey, Numeral, placeAt, refuse, requireDepth, type Value } from "./values.ts"

interface Open {
  readonly value: Value[] | Map<string, Value>
  key: string
  keyAt: number
}

/** Reads JSON (RFC 8259). Refuses a repeated key, since programs differ in which value they use. */
export function readJson(text: string): Value {
  const open: Open[] = []
  let root: Value | undefined

  function take(value: Value): void {
    const parent = open.at(-1)
    if (!parent) root = value
    else if (Array.isArray(parent.value)) parent.value.push(value)
    else addKey(parent.value, parent.key, value, () => placeAt(text, parent.keyAt))
  }
  function begin(value: Open["value"], offset: number): void {
    take(value)
    open.push({ value, key: "", keyAt: offset })
    requireDepth(open.length, () => placeAt(text, offset))
  }
  const end = () => open.pop()

  const events: JSONVisitor = {
    onObjectBegin: (offset) => begin(new Map(), offset),
    onArrayBegin: (offset) => begin([], offset),
    onObjectEnd: end,
    onArrayEnd: end,
    onObjectProperty(key, offset) {
      const parent = open.at(-1)
      if (parent) Object.assign(parent, { key, keyAt: offset })
    },
    onLiteralValue(value: unknown, offset, length) {
      take(typeof value === "number" ? new Numeral(text.slice(offset, offset + length)) : toScalar(value))
    },
    onError: (code, offset) =>
      refuse("JSON", placeAt(text, offset), explain("JSON", printParseErrorCode(code))),
  }
  visit(text, events, { disallowComments: true })
  if (root === undefined) refuse("JSON", placeAt(text, text.length), "a value is missing")
  return root
}

function toScalar(value: unknown): Value {
  return typeof value === "string" || typeof value === "boolean" ? value : null
}
