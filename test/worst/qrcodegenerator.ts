import type { WorstInputs } from "../support/worst-inputs.ts"

/** The largest codes and pictures. */
export const worst: WorstInputs = {
  "2,953 bytes": { text: "a".repeat(2_953), correction: "low", border: 16, scale: 16 },
  "7,089 digits": { text: "1".repeat(7_089), correction: "low", border: 16, scale: 16 },
  "1,273 bytes at high correction": { text: "x".repeat(1_273), correction: "high", border: 16, scale: 16 },
  "a text that is too long": { text: "é".repeat(7_089) },
}

/** The two that take longest. */
export const inCheck = ["2,953 bytes", "7,089 digits"]
