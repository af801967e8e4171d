import type { WorstInputs } from "../support/worst-inputs.ts"

/** The largest barcodes and pictures of the kinds that take longest. */
export const worst: WorstInputs = {
  "1,800 letters as Aztec": { kind: "aztec", text: "a".repeat(1_800), scale: 8 },
  "1,800 digits as Aztec": { kind: "aztec", text: "1".repeat(1_800), scale: 8 },
  "1,555 letters as Data Matrix": { kind: "datamatrix", text: "a".repeat(1_555), scale: 8 },
  "bytes that change between encodings as Data Matrix": {
    kind: "datamatrix",
    text: "é\u0001".repeat(500),
    scale: 8,
  },
  "1,800 letters as PDF417": { kind: "pdf417", text: "a".repeat(1_800), scale: 8 },
  "80 characters in bars": { kind: "code128", text: "a1".repeat(40), scale: 8 },
  "more text than the kind has room for": { kind: "aztec", text: "é".repeat(1_800), scale: 8 },
}

/** The two that take longest. */
export const inCheck = ["1,800 digits as Aztec", "1,555 letters as Data Matrix"]
