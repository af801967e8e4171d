import type { WorstInputs } from "../support/worst-inputs.ts"

/** The slowest inputs: lists in which most items change, values inside many lists, and patches of many operations. */
const items = (count: number) => Array.from({ length: count }, (_, index) => index)
const nested = (depth: number, value: unknown): unknown => (depth === 0 ? value : [nested(depth - 1, value)])
const texts = (count: number, text: string) => Array.from({ length: count }, () => text)
const manyTexts = Array.from({ length: 90_000 }, (_, index) => `${index}`)

export const worst: WorstInputs = {
  "lists of 9,000 in the other order": { from: items(9_000), to: items(9_000).reverse() },
  "lists of 1,990 texts, of which half stay": {
    from: manyTexts.slice(0, 1_990),
    to: manyTexts.slice(1_000, 2_990),
  },
  "90,000 texts below 98 lists, of which the last differs": {
    from: nested(98, [...texts(90_000, ""), "a"]),
    to: nested(98, [...texts(90_000, ""), "b"]),
  },
  "3,000 operations at the begin of a list of 90,000": {
    from: manyTexts,
    patch: Array.from({ length: 3_000 }, () => ({ op: "remove", path: "/0" })),
  },
  "40 copies of a document into itself": {
    from: [],
    patch: Array.from({ length: 40 }, () => ({ op: "copy", from: "", path: "/-" })),
  },
  "3,000 copies of a long text": {
    from: ["x".repeat(500_000)],
    patch: Array.from({ length: 3_000 }, () => ({ op: "copy", from: "/0", path: "/-" })),
  },
}

/** The two that take longest. */
export const inCheck = [
  "90,000 texts below 98 lists, of which the last differs",
  "lists of 9,000 in the other order",
]
