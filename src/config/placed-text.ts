import { parse, TomlError } from "smol-toml"
import { isNode, LineCounter, parseDocument, visit } from "yaml"
import { pointerTo } from "../values/json-pointer.ts"
import { readTree } from "./toml-tree.ts"

/** A text as a value. `placeOf` says where the part at a path, or the nearest around it, begins. */
interface PlacedText {
  readonly value: unknown
  readonly placeOf: (path: readonly string[]) => Place
}

/** Line and column, from 1. */
type Place = { readonly line: number; readonly col: number }

/** What a reader calls for each mistake that keeps it from reading a text. */
type Refuse = (place: Place, problem: string) => void

/** Reads YAML, and so JSON. Aliases are refused: a few lines of them can stand for gigabytes. */
export function readPlacedYaml(text: string, refuse: Refuse): PlacedText | null {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, prettyErrors: false })
  const { errors, warnings } = document
  const mistakes = [...errors, ...warnings].map(({ pos: [offset], message }) => ({ offset, message }))
  const message = "must not be an alias of YAML: write the value out"
  visit(document, { Alias: (_, { range }) => void mistakes.push({ offset: range?.[0] ?? 0, message }) })
  for (const { offset, message } of mistakes) refuse(lineCounter.linePos(offset), message)
  if (mistakes.length > 0) return null
  function placeOf(path: readonly string[]): Place {
    const node = path.length === 0 ? document.contents : document.getIn(path, true)
    if (isNode(node) && node.range) return lineCounter.linePos(node.range[0])
    return path.length === 0 ? { line: 1, col: 1 } : placeOf(path.slice(0, -1))
  }
  return { value: document.toJS(), placeOf }
}

/** Reads TOML. Dates become texts, as they are in YAML and JSON. */
export function readPlacedToml(text: string, refuse: Refuse): PlacedText | null {
  try {
    const value: unknown = JSON.parse(JSON.stringify(parse(text)))
    const { sections, entries } = readTree(text)
    // The last path of several wins: the first of a list of sections stands for the list.
    const parts = [...sections, ...entries].map(
      ({ path, start }) => [path.reduce(pointerTo, ""), start] as const,
    )
    const starts = new Map(parts.reverse())
    return {
      value,
      placeOf(path) {
        const around = path.map((_, index) => path.slice(0, path.length - index).reduce(pointerTo, ""))
        const start = starts.get(around.find((pointer) => starts.has(pointer)) ?? "") ?? 0
        const lines = text.slice(0, start).split("\n")
        return { line: lines.length, col: (lines.at(-1)?.length ?? 0) + 1 }
      },
    }
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown
    const [problem = ""] = thrown.message.replace(/^Invalid TOML document: /, "").split("\n")
    refuse({ line: thrown.line, col: thrown.column }, problem)
    return null
  }
}
