import type { WorstInputs } from "../support/worst-inputs.ts"

const nested = (depth: number, value: unknown): unknown => (depth === 0 ? value : [nested(depth - 1, value)])
const tree = (depth: number): unknown => (depth === 0 ? 1 : [tree(depth - 1), tree(depth - 1)])
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
const pattern = "(a+)+b"

/** The slowest inputs: paths that visit each value again and again, and patterns. */
export const worst: WorstInputs = {
  "nested descents in 100 levels": { document: nested(100, 1), path: "$..[*]..[*]..[*]..[*]" },
  "nested descents in a tree": { document: tree(13), path: "$..[*]..[*]..[*]" },
  "descents in filters": { document: tree(13), path: "$..[?@..[?@..[?@ == 2]]]" },
  "a filter that looks at the whole document": { document: numbers(19_000), path: "$[?count($..*) == 1]" },
  "240 filters of the same list": { document: numbers(10_000), path: `$[${"?@==-1,".repeat(240)}0]` },
  "a descent of 600 steps": { document: nested(100, 1), path: `$${"..*".repeat(600)}` },
  "patterns that take exponential time elsewhere": {
    document: Array.from({ length: 100 }, () => "a".repeat(10_000)),
    path: `$[?match(@, '${pattern}')]`,
  },
  "a pattern of 1,000,000 parts": {
    document: ["a".repeat(1_000)],
    path: "$[?match(@, '(((a?){100}){100}){100}')]",
  },
  "brackets of patterns in the document": {
    document: [["x", "(".repeat(100_000)]],
    path: "$[?match(@[0], @[1])]",
  },
  "brackets of a filter": { document: [1], path: `$[?${"(".repeat(900)}@==1${")".repeat(900)}]` },
  "an index of 2^53": { document: numbers(10), path: "$[0:9007199254740991:1]" },
}

/** The two that take longest. */
export const inCheck = [
  "a filter that looks at the whole document",
  "patterns that take exponential time elsewhere",
]
