import { expect, test } from "bun:test"
import { createRequire } from "node:module"
import { inflateSync } from "node:zlib"
import fc from "fast-check"
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader"
import type { RunContext } from "../contract.ts"
import { run } from "./run.ts"

const draw = async (text: string, more: Omit<Parameters<typeof run>[0], "text"> = {}, premium = true) =>
  run({ text, ...more }, { premium } as RunContext)

/** The dark pixels of a PNG with one bit a pixel, row by row: `#` and `.`. */
function pixelsOf(base64: string): string[] {
  const png = Buffer.from(base64, "base64")
  const side = png.readUInt32BE(16)
  const data = inflateSync(png.subarray(41, 41 + png.readUInt32BE(33)))
  const bytes = data.length / side
  return Array.from({ length: side }, (_, y) => {
    const row = data.subarray(y * bytes + 1, (y + 1) * bytes)
    return Array.from({ length: side }, (_, x) => ((row[x >> 3] ?? 0) & (0x80 >> (x & 7)) ? "." : "#")).join(
      "",
    )
  })
}

/** The same of an SVG. */
function modulesOf(svg: string): string[] {
  const side = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1])
  const rows = Array.from({ length: side }, () => Array<string>(side).fill("."))
  for (const [, x, y, length] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g))
    rows[Number(y)]?.fill("#", Number(x), Number(x) + Number(length))
  return rows.map((row) => row.join(""))
}

test.each([
  ["L", "low"],
  ["M", "medium"],
  ["Q", "quartile"],
  ["H", "high"],
] as const)("the correction %s is %s", async (correction, name) => {
  expect(await draw("Letters of ISO/IEC 18004", { correction })).toEqual(
    await draw("Letters of ISO/IEC 18004", { correction: name }),
  )
  expect(draw("x".repeat(3_000), { correction })).rejects.toThrow(`at '${name}' correction`)
})

test("the SVG and the PNG show the same modules, inside a white border", async () => {
  const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 100 })
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 0, max: 16 }), async (text, border) => {
      const { svg, png, size, version } = await draw(text, { border, scale: 1 })
      const modules = modulesOf(svg)
      expect(pixelsOf(png)).toEqual(modules)
      expect([modules.length, size]).toEqual([size + 2 * border, 17 + 4 * version])
      const inner = modules.slice(border, border + size).map((row) => row.slice(border, border + size))
      expect(inner[0]?.startsWith("#######.")).toBe(true)
      expect(modules.join("").replaceAll(".", "")).toBe(inner.join("").replaceAll(".", ""))
    }),
    { numRuns: 25, seed: 20261123 },
  )
})

test("a module of the PNG has scale × scale pixels", async () => {
  const [one, three] = [await draw("x", { scale: 1 }), await draw("x", { scale: 3 })]
  const expected = pixelsOf(one.png).flatMap((row) => Array(3).fill(row.replace(/./g, "$&$&$&")))
  expect(pixelsOf(three.png)).toEqual(expected)
})

test("a reader reads what was drawn, of each kind of text and correction", async () => {
  const file = createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm")
  await prepareZXingModule({
    overrides: { wasmBinary: await Bun.file(file).arrayBuffer() },
    fireImmediately: true,
  })
  const addresses = ["HTTPS://EXAMPLE.COM", "https://example.com/ä?b=c"]
  const texts = ["0123456789", ...addresses, "日本語", "a\n\u0000b", "😀"]
  for (const text of texts)
    for (const correction of ["low", "medium", "quartile", "high"] as const) {
      const { png } = await draw(text, { correction, scale: 3 })
      const [code] = await readBarcodes(Buffer.from(png, "base64"))
      const read = [new TextDecoder().decode(code?.bytes), code?.ecLevel]
      expect(read).toEqual([text, correction.charAt(0).toUpperCase()])
    }
})

test.each([
  ["low", "1", 7_089, "digits"],
  ["high", "1", 3_057, "digits"],
  ["medium", "A", 3_391, "characters"],
  ["quartile", "$", 2_420, "characters"],
  ["low", "a", 2_953, "bytes"],
  ["high", "a", 1_273, "bytes"],
] as const)("the largest texts at %s correction of '%s': %i", async (correction, unit, most, name) => {
  expect((await draw(unit.repeat(most), { correction, scale: 1 })).version).toBe(40)
  expect(draw(unit.repeat(most + 1), { correction })).rejects.toThrow(
    `The 'text' parameter must have at most ${most} ${name} at '${correction}' correction, and it has ${most + 1}`,
  )
})

test("the largest texts: bytes of UTF-8 count, not characters", () =>
  expect(draw("é".repeat(1_500), { correction: "low" })).rejects.toThrow("and it has 3000"))

test("no PNG is drawn for plans without premium fields", async () =>
  expect((await draw("x", {}, false)).png).toBe(""))
