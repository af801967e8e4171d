import encodeQR from "qr"
import { type RunOf, reject } from "../contract.ts"
import { toPng, toSvg } from "./draw.ts"
import type { qrcodegenerator } from "./index.ts"

export const run: RunOf<typeof qrcodegenerator> = (input, { premium }) => {
  const { text, border = 4, scale = 8 } = input
  const correction = levelOf(input.correction)
  const [length, most, unit] = capacity(text, correction)
  if (length > most)
    reject("text", `must have at most ${most} ${unit} at '${correction}' correction, and it has ${length}`)
  // The library draws a border of at least one module.
  const drawn = encodeQR(text, "raw", { ecc: correction, border: 1 })
  const modules = drawn.slice(1, -1).map((row) => row.slice(1, -1))
  return {
    version: (modules.length - 17) / 4,
    size: modules.length,
    svg: toSvg(modules, border),
    png: premium ? toPng(modules, border, scale) : "",
  }
}

type Level = "low" | "medium" | "quartile" | "high"

/** A level of correction by its name, or by the letter that ISO/IEC 18004 gives it. */
function levelOf(name: Level | "L" | "M" | "Q" | "H" = "medium"): Level {
  return ({ L: "low", M: "medium", Q: "quartile", H: "high" } as const)[name as "L"] ?? name
}

/** The capacity of a code of version 40 at each correction (ISO/IEC 18004 table 7). */
const capacities = {
  digits: { low: 7_089, medium: 5_596, quartile: 3_993, high: 3_057 },
  characters: { low: 4_296, medium: 3_391, quartile: 2_420, high: 1_852 },
  bytes: { low: 2_953, medium: 2_331, quartile: 1_663, high: 1_273 },
}

/** The length of a text in the unit in which it is encoded, and the most that fits. */
function capacity(text: string, correction: Level) {
  const unit = /^[0-9]+$/.test(text) ? "digits" : /^[0-9A-Z $%*+./:-]+$/.test(text) ? "characters" : "bytes"
  const length = unit === "bytes" ? Buffer.byteLength(text) : text.length
  return [length, capacities[unit][correction], unit] as const
}
