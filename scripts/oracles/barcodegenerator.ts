import { createRequire } from "node:module"
import fc from "fast-check"
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader"
import packageJson from "../../package.json" with { type: "json" }
import { type KindName, kindOf } from "../../src/apis/barcodegenerator/kinds.ts"
import { run as draw } from "../../src/apis/barcodegenerator/run.ts"
import { runIsolated } from "../../test/support/run-isolated.ts"
import { answersTo, debianVersion, defineOracle, digits, MissingTool, run, unlessRefused } from "./oracle.ts"

interface Case {
  readonly kind: KindName
  readonly text: string
  readonly scale: number
}
/** A barcode's text, without the brackets of GS1; null if it cannot be read. */
type Answer = string | null

const letters = (unit: string, minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...unit), minLength, maxLength })
const ascii = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join("")
const capitals = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. $/+%"
const anyText = fc.oneof(letters(ascii, 1, 60), letters("äéßñø日本語漢字😀ab ", 4, 40), digits(20))

/** The check digit of a number of GS1: the last digits count three times and once in turn. */
function gtinCheck(number: string): string {
  const sum = [...number]
    .reverse()
    .reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 3 : 1), 0)
  return String((10 - (sum % 10)) % 10)
}
const gtin = digits(12).map((rest) => `0${rest}`)
const elements = fc
  .tuple(gtin, letters("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", 1, 12))
  .map(([number, batch]) => `(01)${number}${gtinCheck(number)}(10)${batch}`)
const omni = gtin.map((number) => `(01)${number}${gtinCheck(number)}`)

const texts = {
  ean13: digits(12),
  ean8: digits(7),
  upca: digits(11),
  upce: digits(6).map((rest) => `0${rest}`),
  isbn: digits(9).map((rest) => `978-${rest.slice(0, 1)}-${rest.slice(1, 4)}-${rest.slice(4)}`),
  issn: digits(7).map((rest) => `${rest.slice(0, 4)}-${rest.slice(4)}`),
  ismn: digits(8).map((rest) => `979-0-${rest.slice(0, 4)}-${rest.slice(4)}`),
  ean14: gtin.map((number) => `(01)${number}`),
  sscc18: digits(17).map((number) => `(00)${number}`),
  itf14: digits(13),
  code128: letters(ascii, 1, 30),
  gs1_128: elements,
  code39: letters(capitals, 1, 20),
  code39ext: letters(ascii, 4, 15),
  code93: letters(capitals, 1, 20),
  codabar: fc
    .tuple(fc.constantFrom(..."ABCD"), letters("0123456789-$:/.+", 3, 20), fc.constantFrom(..."ABCD"))
    .map((parts) => parts.join("")),
  interleaved2of5: fc.integer({ min: 4, max: 10 }).chain((pairs) => digits(2 * pairs)),
  code32: digits(8),
  databar_omni: omni,
  databar_stacked: omni,
  databar_limited: omni,
  databar_expanded: elements,
  databar_expanded_stacked: elements,
  datamatrix: anyText,
  gs1_datamatrix: elements,
  aztec: anyText,
  pdf417: anyText,
  micropdf417: letters(ascii, 1, 40),
  microqr: fc.oneof(digits(10), letters("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 1, 12), letters(ascii, 1, 9)),
  maxicode: letters(ascii, 1, 50),
} satisfies Readonly<Record<KindName, fc.Arbitrary<string>>>

const names = Object.keys(texts) as KindName[]

/** Barcodes of some kinds, each with a text that it takes. */
const barcodes = (kinds: readonly KindName[]) =>
  fc
    .tuple(fc.constantFrom(...kinds), fc.integer({ min: 2, max: 4 }))
    .chain(([kind, scale]) => texts[kind].map((text): Case => ({ kind, text, scale })))

/** The text that the API promises to readers, and the PNG. */
const drawn = ({ kind, text, scale }: Case) =>
  unlessRefused(async () => {
    const { encoded, png } = await runIsolated(draw, { kind, text, scale })
    // Readers leave out the brackets of GS1.
    const said = kindOf(kind).sample.startsWith("(") ? encoded.replace(/[()]/g, "") : encoded
    return { encoded: said, png: Buffer.from(png, "base64") }
  })

/** UPC-E as the number of EAN-13 that it is short for, which readers give; other numbers with zeros before them. */
function asRead(kind: KindName, encoded: string): string {
  if (kind === "upca") return `0${encoded}`
  if (kind !== "upce") return encoded
  const [, a, b, c, d, e, last, check] = encoded
  const middle =
    Number(last) < 3
      ? `${a}${b}${last}0000${c}${d}${e}`
      : last === "3"
        ? `${a}${b}${c}00000${d}${e}`
        : last === "4"
          ? `${a}${b}${c}${d}00000${e}`
          : `${a}${b}${c}${d}${e}0000${last}`
  return `00${middle}${check}`
}

const wasm = createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm")

async function readByZxing(test: Case): Promise<Answer> {
  const picture = await drawn(test)
  if (!picture) return null
  const [code] = await readBarcodes(picture.png, { textMode: "Plain" })
  if (!code?.isValid) return null
  // GS1 ends elements of varying length with this character.
  const text = kindOf(test.kind).isLinear ? code.text : new TextDecoder().decode(code.bytes)
  return text.replaceAll("\u001d", "")
}

async function readByZbar(test: Case): Promise<Answer> {
  const picture = await drawn(test)
  if (!picture) return null
  const { code, out } = await run(["zbarimg", "--raw", "--quiet", "--nodbus", "--oneshot", "-"], picture.png)
  return code === 0 ? out.trimEnd().replaceAll("\u001d", "") : null
}

const zxing = defineOracle<Case, Answer>({
  api: "barcodegenerator",
  against: "zxing-wasm",
  cases: 3_000,
  generate: barcodes(names),
  version: async () => packageJson.devDependencies["zxing-wasm"],
  async ours(test) {
    const picture = await drawn(test)
    return picture && asRead(test.kind, picture.encoded)
  },
  async theirs(tests) {
    const wasmBinary = await Bun.file(wasm).arrayBuffer()
    await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true })
    return answersTo(tests, readByZxing, 1)
  },
  known: [
    {
      reason:
        "Code 39, its extended form and Code 32 have the same bars, and zxing guesses which it is; zbarimg reads plain Code 39 as it is",
      fits: ({ kind }) => kind === "code39" || kind === "code39ext",
    },
  ],
})

const zbar = defineOracle<Case, Answer>({
  api: "barcodegenerator",
  against: "zbarimg",
  cases: 2_000,
  // The kinds that zbarimg reads, in the form in which it gives them.
  generate: barcodes([
    ...(["ean13", "ean8", "upca", "upce", "isbn", "issn", "ismn", "ean14", "sscc18", "itf14"] as const),
    ...(["gs1_128", "code39", "codabar", "interleaved2of5", "databar_omni", "databar_expanded"] as const),
  ]),
  async version() {
    if (Bun.which("zbarimg") === null) throw new MissingTool("zbarimg", "apt-get install zbar-tools")
    return debianVersion("zbar-tools")
  },
  async ours(test) {
    const picture = await drawn(test)
    return picture && asRead(test.kind, picture.encoded).trimEnd()
  },
  theirs: (tests) => answersTo(tests, readByZbar),
  known: [],
})

export const oracles = [zxing, zbar]
