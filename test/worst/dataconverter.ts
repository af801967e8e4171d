import type { WorstInputs } from "../support/worst-inputs.ts"

const length = 200_000
/** A text of the most characters that are taken. */
const fill = (piece: string, start = "", end = "") =>
  start + piece.repeat((length - start.length - end.length) / piece.length) + end
const letters = [..."abcdefghijklmnop"]
const aliases = letters.map(
  (letter, index) => `${letter}: &${letter} [${`*${letters[index - 1] ?? "z"},`.repeat(9)}]\n`,
)

/** The slowest of some 70 texts, the ones that would take most memory, and known attacks on converters. */
export const worst: WorstInputs = {
  "rows of CSV to YAML": { text: `a\n${"1\n".repeat(99_990)}`, from: "csv", to: "yaml" },
  "a list of YAML in one line": { text: fill("a, ", "[", "]"), from: "yaml", to: "json" },
  "a list of YAML without values": { text: fill("-\n"), from: "yaml", to: "json" },
  "tags of YAML": { text: fill("!a "), from: "yaml", to: "json" },
  "brackets that close nothing": { text: fill("]"), from: "yaml", to: "json" },
  "documents of YAML": { text: fill("---\n"), from: "yaml", to: "json" },
  "aliases of aliases": { text: `z: &z 1\n${aliases.join("")}`, from: "yaml", to: "json" },
  "aliases of a long text": {
    text: fill("- *a\n", `- &a ${"x".repeat(90_000)}\n`),
    from: "yaml",
    to: "yaml",
  },
  "100,000 nested lists": { text: "[".repeat(100_000), from: "yaml", to: "json" },
  "10,000 nested lists": { text: "[".repeat(10_000), from: "json", to: "yaml" },
  "a list of TOML": { text: fill("1,", "a=[", "]"), from: "toml", to: "json" },
  "nested lists of TOML": { text: fill("[", "a="), from: "toml", to: "json" },
  "a key of TOML with 100,000 parts": { text: fill(".a", "a", "=1"), from: "toml", to: "json" },
  "a text of TOML with quotes and no end": { text: fill('\\"', 'a="'), from: "toml", to: "json" },
  "elements of XML": { text: fill("<a/>", "<r>", "</r>"), from: "xml", to: "json" },
  "entities of entities": {
    text: `<!DOCTYPE a [<!ENTITY a "xxxxxxxxxx">${letters.slice(1).map((letter, index) => `<!ENTITY ${letter} "${`&${letters[index]};`.repeat(10)}">`)}]><a>&p;</a>`,
    from: "xml",
    to: "json",
  },
  "a long name for many elements": {
    text: `{"${"x".repeat(90_000)}": [${"1,".repeat(50_000)}1]}`,
    from: "json",
    to: "xml",
  },
}

/** The two that take longest. */
export const inCheck = ["rows of CSV to YAML", "a list of TOML"]
