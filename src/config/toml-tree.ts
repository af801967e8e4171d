import { type AST, parseTOML } from "toml-eslint-parser"

/** Where a part of a text begins and ends. */
export type Range = { readonly start: number; readonly end: number }

/** `key = value`, in a section or in an inline table. */
export interface Entry extends Range {
  /** The names from the root of the document. */
  readonly path: readonly string[]
  readonly value: Range
  /** The inline table that it is in; null on a line of its own. */
  readonly inline: InlineTable | null
}

type InlineTable = Range & { readonly path: readonly string[]; readonly entries: Range[] }

/** `[plans.free]` with the lines below it. */
type Section = Range & { readonly path: readonly string[]; readonly entries: readonly Range[] }

/** The sections and entries of a TOML text, with their positions. */
export interface TomlTree {
  readonly entries: readonly Entry[]
  readonly inlineTables: readonly InlineTable[]
  readonly sections: readonly Section[]
  /** The entries above the first section. */
  readonly top: readonly Range[]
}

/** Reads the positions of sections and entries. The text must be valid TOML. */
export function readTree(text: string): TomlTree {
  const [{ body }] = parseTOML(text).body
  const entries: Entry[] = []
  const inlineTables: InlineTable[] = []

  function read(node: AST.TOMLKeyValue, above: readonly string[], inline: InlineTable | null): Entry {
    const path = [...above, ...node.key.keys.map(nameOf)]
    const { value } = node
    const entry: Entry = { ...rangeOf(node), path, value: rangeOf(value), inline }
    entries.push(entry)
    if (value.type === "TOMLInlineTable") {
      const table: InlineTable = { ...rangeOf(value), path, entries: [] }
      inlineTables.push(table)
      for (const inner of value.body) table.entries.push(read(inner, path, table))
    }
    return entry
  }

  const sections: Section[] = []
  const top: Entry[] = []
  for (const node of body) {
    if (node.type === "TOMLKeyValue") top.push(read(node, [], null))
    else {
      const path = node.resolvedKey.map(String)
      sections.push({ ...rangeOf(node), path, entries: node.body.map((entry) => read(entry, path, null)) })
    }
  }
  return { entries, inlineTables, sections, top }
}

function nameOf(key: AST.TOMLBare | AST.TOMLQuoted): string {
  return key.type === "TOMLBare" ? key.name : key.value
}

function rangeOf({ range: [start, end] }: AST.TOMLNode): Range {
  return { start, end }
}
