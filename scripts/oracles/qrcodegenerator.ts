import { createRequire } from "node:module"
import fc from "fast-check"
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader"
import packageJson from "../../package.json" with { type: "json" }
import type { RunContext } from "../../src/apis/contract.ts"
import { run as draw } from "../../src/apis/qrcodegenerator/run.ts"
import { answersTo, defineOracle } from "./oracle.ts"

const corrections = ["low", "medium", "quartile", "high"] as const
/** Bytes of UTF-8, at most, by correction. */
const most = { low: 2_953, medium: 2_331, quartile: 1_663, high: 1_273 } as const

interface Case {
  readonly text: string
  readonly correction: (typeof corrections)[number]
  readonly border: number
  readonly scale: number
}
/** A code's text, version and error correction; null if it cannot be read. */
type Answer = { readonly text: string; readonly version: number; readonly correction: string } | null

const units: Readonly<Record<string, readonly string[]>> = {
  digits: [..."0123456789"],
  letters: [..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"],
  ascii: Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)),
  control: ["\n", "\t", "a", "\u0001", "\u0000"],
  latin: [..."äöüßéèñçøåÄÖÜ abcdef"],
  kanji: [..."日本語漢字東京大阪世界文字点茗荷"],
  kana: [..."ひらがなカタカナｶﾅ"],
  mixed: [..."aб漢é😀Ω1 ק"],
}

/** Texts of one kind of character that fill a code between nothing and all of it, so that each version comes up. */
const codes = fc
  .tuple(
    fc.constantFrom(...Object.values(units)),
    fc.constantFrom(...corrections),
    fc.noBias(fc.integer({ min: 0, max: 40 })),
    fc.infiniteStream(fc.nat(1_000)),
    fc.integer({ min: 4, max: 8 }),
    fc.integer({ min: 2, max: 4 }),
  )
  .map(([unit, correction, part, picks, border, scale]): Case => {
    const bytes = Math.max(4, Math.floor(most[correction] * (part / 40) ** 2))
    let text = ""
    for (const pick of picks) {
      const next = text + (unit[pick % unit.length] ?? "")
      if (Buffer.byteLength(next) > bytes) break
      text = next
    }
    return { text, correction, border, scale }
  })

/** The PNG of a code as the API draws it. */
async function drawn(test: Case) {
  const context: Pick<RunContext, "premium"> = { premium: true }
  const { png, version } = await draw(test, context as RunContext)
  return { png: Buffer.from(png, "base64"), version }
}

const wasm = createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm")
const levels: Readonly<Record<string, string>> = { L: "low", M: "medium", Q: "quartile", H: "high" }

async function read(test: Case): Promise<Answer> {
  const { png } = await drawn(test)
  const [code] = await readBarcodes(png, { formats: ["QRCode"], maxNumberOfSymbols: 1, textMode: "Plain" })
  if (!code?.isValid) return null
  const text = new TextDecoder().decode(code.bytes)
  return { text, version: Number(code.version), correction: levels[code.ecLevel] ?? code.ecLevel }
}

export const oracle = defineOracle<Case, Answer>({
  api: "qrcodegenerator",
  against: "zxing-wasm",
  cases: 2_500,
  generate: codes,
  version: async () => packageJson.devDependencies["zxing-wasm"],
  ours: async (test) => ({
    text: test.text,
    version: (await drawn(test)).version,
    correction: test.correction,
  }),
  async theirs(tests) {
    const wasmBinary = await Bun.file(wasm).arrayBuffer()
    await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true })
    return answersTo(tests, read, 1)
  },
  known: [],
})
