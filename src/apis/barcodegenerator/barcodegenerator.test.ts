import { expect, test } from "bun:test"
import { createRequire } from "node:module"
import fc from "fast-check"
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader"
import { runIsolated } from "../../../test/support/run-isolated.ts"
import kinds from "./kinds.json"
import { type KindName, kindNames } from "./kinds.ts"
import { reasons, run } from "./run.ts"

const draw = (kind: KindName, text: string, more: object = {}, premium = true) =>
  runIsolated(run, { kind, text, ...more }, premium)

const wasm = createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm")
await prepareZXingModule({
  overrides: { wasmBinary: await Bun.file(wasm).arrayBuffer() },
  fireImmediately: true,
})
async function read(png: string) {
  const [code] = await readBarcodes(Buffer.from(png, "base64"))
  return code && { text: code.text, format: code.format }
}

test.each(kindNames.map((kind) => [kind, kinds[kind].sample] as const))(
  "a reader reads %s of %s",
  async (kind, text) => {
    const { encoded, png } = await draw(kind, text)
    const found = (await read(png))?.text ?? ""
    // Readers give UPC as 13 digits of EAN, and leave the spaces of the printed text out.
    expect([encoded, encoded.padStart(13, "0"), "0012345000065"]).toContain(found)
  },
)

test.each([
  // GS1 General Specifications 3.2 and 3.3: the identifiers (00) and (01) are of these numbers alone.
  ["sscc18", "12345678901234567", "(00)123456789012345675"],
  ["sscc18", "123456789012345675", "(00)123456789012345675"],
  ["sscc18", " 0061 4141 1234567890 ", "(00)006141411234567890"],
  ["ean14", "0952123454321", "(01)09521234543213"],
  ["ean14", "09521234543213", "(01)09521234543213"],
  ["databar_omni", "24012345678905", "(01)24012345678905"],
  ["databar_stacked", "24012345678905", "(01)24012345678905"],
  ["databar_limited", "15012345678907", "(01)15012345678907"],
  ["isbn", "9783161484100", "9783161484100"],
  ["isbn", "978316148410", "9783161484100"],
  ["isbn", "316148410X", "9783161484100"],
  ["ismn", "9790060115615", "9790060115615"],
  ["issn", "0311175X", "9770311175001"],
] as const)("numbers as they are scanned: %s of %s", async (kind, text, encoded) => {
  const drawn = await draw(kind, text)
  expect(drawn.encoded).toBe(encoded)
  expect((await read(drawn.png))?.text).toBe(encoded)
})

test.each([
  ["isbn", "9783161484101"],
  ["sscc18", "123456789012345674"],
  ["ean14", "09521234543214"],
  ["ismn", "9790060115614"],
  ["databar_omni", "24012345678904"],
] as const)("numbers as they are scanned: %s of %s has a wrong check digit", (kind, text) =>
  expect(draw(kind, text)).rejects.toThrow("its check digit is wrong"),
)

test("numbers as they are scanned: a number of another length is told how many digits it needs", () =>
  expect(draw("sscc18", "1234567890123456")).rejects.toThrow("(17 digits, and 18 with the check digit)"))

// GS1 General Specifications, figure 7.11-1: CSET 82 has parentheses. A caret is not in it.
test.each([
  ["gs1_128", "(01)09521234543213(21)5bt(GdU"],
  ["gs1_128", "(21)a)b(c)(10)((x"],
  ["databar_expanded", "(01)09521234543213(10)A(B)C"],
  ["databar_expanded_stacked", "(01)09521234543213(21)(("],
  ["gs1_datamatrix", "(01)09521234543213(21)5bt(GdU)"],
] as const)("parentheses and carets inside values of GS1: a reader reads %s of %s", async (kind, text) => {
  const drawn = await draw(kind, text)
  expect(drawn.encoded).toBe(text)
  expect((await read(drawn.png))?.text).toBe(text)
})

test("parentheses and carets inside values of GS1: a caret is refused, and never stands for another character", () => {
  expect(draw("gs1_128", "(21)a(^065")).rejects.toThrow("a value does not have the form")
  expect(draw("gs1_128", "(21)^065")).rejects.toThrow("a value does not have the form")
})

test("parentheses and carets inside values of GS1: any serial number of CSET 82 is read as it was written", async () => {
  const unit = fc.constantFrom(..."!\"%&'()*+,-./0123456789:;<=>?ABCXYZ_abcxyz")
  const serials = fc.string({ unit, minLength: 1, maxLength: 20 }).filter((text) => !/\(\d{2,4}\)/.test(text))
  await fc.assert(
    fc.asyncProperty(serials, async (serial) => {
      const text = `(01)09521234543213(21)${serial}`
      expect((await read((await draw("gs1_datamatrix", text)).png))?.text).toBe(text)
    }),
    { numRuns: 60 },
  )
})

test.each([
  ["ean13", "400638133393", "4006381333931"],
  ["ean13", "4006381333931", "4006381333931"],
  ["ean8", "9638507", "96385074"],
  ["upca", "03600029145", "036000291452"],
  ["upce", "0123456", "01234565"],
  ["isbn", "978-3-16-148410", "9783161484100"],
  ["issn", "0311-175", "9770311175001"],
  ["itf14", "1540014128876", "15400141288763"],
  ["sscc18", "(00)00614141123456789", "(00)006141411234567890"],
  ["code32", "01234567", "A012345676"],
  ["code128", "abc", "abc"],
] as const)("check digits: %s of %s: %s", async (kind, text, encoded) =>
  expect((await draw(kind, text)).encoded).toBe(encoded),
)

test("check digits: a wrong one is refused with the reason, and what to change", () =>
  expect(draw("ean13", "4006381333932")).rejects.toThrow(
    "The 'text' parameter must fit the kind 'ean13', such as 400638133393 (12 digits, and 13 with the check digit): its check digit is wrong; leave it out to have it computed",
  ))

test.each([
  ["ean13", "x"],
  ["ean13", "٤٠٠٦٣٨١٣٣٣٩٣"],
  ["isbn", "978-3-16"],
  ["gs1_128", "(01)123"],
  ["gs1_128", "1"],
  ["gs1_datamatrix", "("],
  ["databar_expanded", "1"],
  ["databar_expanded_stacked", " "],
  ["gs1_128", "(99999)1"],
  ["codabar", "__proto__"],
  ["code39", "lower"],
  ["code128", "é"],
  ["code128", "a".repeat(81)],
  ["interleaved2of5", "12a"],
  ["microqr", "a".repeat(100)],
  ["maxicode", "a".repeat(1_000)],
  ["aztec", "é".repeat(1_800)],
] as const)("%s of %s names the text", (kind, text) =>
  expect(draw(kind, text)).rejects.toThrow("The 'text' parameter must "),
)

test("the SVG has a size, a white background, and the text only where it is wanted", async () => {
  const { svg } = await draw("ean13", "400638133393")
  expect(svg).toMatch(
    /^<svg width="\d+" height="\d+" viewBox="0 0 \d+ \d+" xmlns="http:\/\/www\.w3\.org\/2000\/svg">/,
  )
  expect(svg.toLowerCase()).toContain("#ffffff")
  const without = await draw("ean13", "400638133393", { show_text: false })
  expect(without.svg.length).toBeLessThan(svg.length / 2)
  expect(await read(without.png)).toEqual({ text: "4006381333931", format: "EAN13" })
})

test("no PNG is drawn for plans without premium fields", async () =>
  expect((await draw("ean8", "9638507", {}, false)).png).toBe(""))

test("any text of any kind is drawn or refused", async () => {
  const unit = fc.constantFrom(..."0123456789()ABCabcXx-+$/. ^*\u0000\u001dé日😀{}[]<>\"'\\")
  const text = fc.oneof(
    fc.string({ unit, minLength: 1, maxLength: 30 }),
    fc.stringMatching(/^[0-9]{1,18}$/),
    fc.stringMatching(/^\((0[01]|10|17|21|37)\)[0-9]{1,16}$/),
  )
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...kindNames), text, async (kind, words) => {
      const answer = await draw(kind, words, {}, false).catch((error: Error) => error)
      if (answer instanceof Error) {
        expect(answer.name).toBe("InputRejected")
        // No words of the library, which are for programmers: each message is one of ours.
        if (!/must have at most 80 characters|must fit the kind '\w+', such as \S+\.$/.test(answer.message))
          expect(reasons.some((reason) => answer.message.endsWith(`: ${reason}.`))).toBe(true)
      } else {
        expect(answer.svg).toStartWith("<svg ")
        expect(answer.svg).not.toMatch(/script|href|NaN|undefined|Infinity/)
      }
    }),
    { numRuns: 120, seed: 20261123 },
  )
})
