import { parse, TomlError } from "smol-toml"
import { isMap, isNode, LineCounter, parseDocument, visit } from "yaml"
import { repeatedKey, repeatedKeys } from "../ports/yaml-document.ts"
import { pointerTo } from "../values/json-value.ts"
import { readTree } from "./toml-tree.ts"

/** A line and a column, from 1. */
type Place = readonly [line: number, column: number]

/** A text as a value; undefined if it has mistakes. */
interface PlacedText {
  readonly value: unknown
  readonly mistakes: readonly (readonly [...Place, problem: string])[]
  /** The place of the part at a path, or of its name; or of the nearest part around it. */
  readonly placeOf: (path: readonly string[], ofName?: boolean) => Place
}

/** Reads YAML, and so JSON. Aliases are refused: a few lines of them can stand for gigabytes. */
export function readPlacedYaml(text: string): PlacedText {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: false })
  const at = (offset: number): Place => [lineCounter.linePos(offset).line, lineCounter.linePos(offset).col]
  const mistakes = [...document.errors, ...document.warnings].map(
    ({ pos: [offset], code, message }) =>
      [...at(offset), code === "MULTIPLE_DOCS" ? "must be one document of YAML" : message] as const,
  )
  for (const offset of repeatedKeys(document)) mistakes.push([...at(offset), repeatedKey])
  const alias = "must not be an alias of YAML: write the value out"
  visit(document, {
    Alias(_, { range }) {
      mistakes.push([...at(range?.[0] ?? 0), alias])
    },
  })
  function placeOf(path: readonly string[], ofName = false): Place {
    const around = ofName ? document.getIn(path.slice(0, -1), true) : null
    const pair = isMap(around) ? around.items.find(({ key }) => String(key) === path.at(-1)) : null
    const node = pair?.key ?? document.getIn(path, true)
    if (isNode(node) && node.range) return at(node.range[0])
    return path.length === 0 ? [1, 1] : placeOf(path.slice(0, -1))
  }
  return { value: mistakes.length > 0 ? undefined : document.toJS(), mistakes, placeOf }
}

/** Reads TOML. Dates become texts, as they are in YAML and JSON. */
export function readPlacedToml(text: string): PlacedText {
  try {
    const value: unknown = JSON.parse(JSON.stringify(parse(text)))
    const { sections, entries } = readTree(text)
    // The last of several wins: the first of a list of sections stands for the list.
    const parts = [...sections, ...entries].map(
      ({ path, start }) => [path.reduce(pointerTo, ""), start] as const,
    )
    const starts = new Map(parts.reverse())
    function placeOf(path: readonly string[]): Place {
      const start = starts.get(path.reduce(pointerTo, ""))
      if (start === undefined && path.length > 0) return placeOf(path.slice(0, -1))
      const lines = text.slice(0, start ?? 0).split("\n")
      return [lines.length, (lines.at(-1)?.length ?? 0) + 1]
    }
    return { value, mistakes: [], placeOf }
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown
    const [problem = ""] = thrown.message.replace(/^Invalid TOML document: /, "").split("\n")
    return { value: undefined, mistakes: [[thrown.line, thrown.column, problem]], placeOf: () => [1, 1] }
  }
}
