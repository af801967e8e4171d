import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { tempDir } from "../../test/support/temp.ts"
import { readBrand, toPicture } from "./brand.ts"
import { loadConfig } from "./load.ts"

const bytesOf = (text: string) => new TextEncoder().encode(text)
const svg = (inner: string, attributes = "") =>
  `<svg xmlns="http://www.w3.org/2000/svg"${attributes}>${inner}</svg>\n`

function png(width: number, height: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(64)
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52])
  new DataView(bytes.buffer).setUint32(16, width)
  new DataView(bytes.buffer).setUint32(20, height)
  return bytes
}

test.each([
  svg("<rect/>"),
  `<?xml version="1.0"?>\n<!-- made by hand -->\n${svg("<use href='#a'/>")}`,
  `\ufeff${svg('<style>.a { fill: url(#g) }</style><image href="data:image/png;base64,AA=="/>')}`,
])("a picture is an SVG: %s", (text) =>
  expect(toPicture(bytesOf(text))).toMatchObject({ type: "image/svg+xml" }),
)

test.each([
  ["<script>1</script>", "a script"],
  ["<svg:script>1</svg:script>", "a script"],
  ["<rect onload = '1'/>", "scripts in attributes"],
  ["<a href='javascript:1'/>", "addresses that run scripts"],
  ["<foreignObject/>", "other documents in it"],
  ["<image href='https://evil.example/a.png'/>", "links to other files"],
  ["<style>@import 'a.css'</style>", "links to other files"],
  ["<rect fill='url(https://evil.example/#a)'/>", "links to other files"],
])("a picture is no SVG with what runs or loads something: %s", (inner, name) =>
  expect(toPicture(bytesOf(svg(inner)))).toBe(`must not have ${name}: a picture needs none`),
)

test("a picture is no SVG with entities", () =>
  expect(toPicture(bytesOf(`<!DOCTYPE svg [<!ENTITY a "b">]>${svg("")}`))).toBeString())

test("a picture is a PNG of a size that a browser can show", () => {
  expect(toPicture(png(512, 128))).toMatchObject({ type: "image/png" })
  for (const [width, height] of [[2_049, 1] as const, [1, 100_000] as const, [0, 5] as const])
    expect(toPicture(png(width, height))).toBe("must be at most 2048 pixels wide and high")
  expect(toPicture(png(1, 1).slice(0, 20))).toBe("is cut short")
})

test.each(["", "<html></html>", "GIF89a", "<svg", `${svg("")}<p>`])("a picture is nothing else: %s", (text) =>
  expect(toPicture(bytesOf(text))).toBe("is neither an SVG nor a PNG picture"),
)

test("the mistake of a file names its setting", () => {
  const dir = tempDir()
  const large = join(dir, "large.svg")
  writeFileSync(large, " ".repeat(131_073))
  const brand = loadConfig({ flags: {}, env: {}, file: null })
  expect(() => readBrand({ ...brand, logo: large })).toThrow("--logo")
  expect(() => readBrand({ ...brand, logo: large })).toThrow("has more than 131072 bytes")
  const missing = { ...brand, favicon: join(dir, "none.png") }
  expect(() => readBrand(missing)).toThrow(/^--favicon .* cannot be read\.$/)
  const inFile = loadConfig({ flags: {}, env: {}, file: { name: "p.toml", values: { logo: large } } })
  expect(() => readBrand(inFile)).toThrow(`'logo' in p.toml: ${large} has more than`)
  const logo = join(dir, "logo.svg")
  writeFileSync(logo, svg(""))
  expect(readBrand({ ...brand, logo }).favicon?.type).toBe("image/svg+xml")
})
