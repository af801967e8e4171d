import { expect, test } from "bun:test"
import fc from "fast-check"
import { XMLParser, XMLValidator } from "fast-xml-parser"
import { anyEnvelope, everything, failure, toJsonValue } from "../../test/data/envelope-samples.ts"
import { encodeEnvelope } from "./formats.ts"
import type { Envelope } from "./tree.ts"

const encodeXml = (envelope: Envelope) => encodeEnvelope("xml", envelope)

const head =
  '<?xml version="1.0" encoding="UTF-8"?><response xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'

function encodeData(data: object): string {
  const xml = encodeXml({ status: "ok", error: null, data })
  const start = `${head}<status>ok</status><error xsi:nil="true"/>`
  expect(xml).toStartWith(start)
  expect(xml).toEndWith("</response>")
  return xml.slice(start.length, -"</response>".length)
}

test("form: success and failure", () => {
  expect(encodeXml({ status: "ok", error: null, data: { hmac: "ab" } })).toBe(
    `${head}<status>ok</status><error xsi:nil="true"/><data><hmac>ab</hmac></data></response>`,
  )
  expect(encodeXml(failure)).toBe(
    `${head}<status>error</status><error>${failure.error}</error><data xsi:nil="true"/></response>`,
  )
})

test("form: null, empty text, empty object, empty array", () => {
  expect(encodeData({ a: null, b: "", c: {}, d: [], e: [null, ""] })).toBe(
    '<data><a xsi:nil="true"/><b/><c/><e xsi:nil="true"/><e/></data>',
  )
  expect(encodeData({})).toBe("<data/>")
})

test("form: arrays repeat their element in order, whatever the items are", () =>
  expect(encodeData({ x: ["a", { b: 1 }, null, "c", true], y: [[1, 2], [], [[3]]] })).toBe(
    '<data><x>a</x><x><b>1</b></x><x xsi:nil="true"/><x>c</x><x>true</x>' +
      "<y><y>1</y><y>2</y></y><y/><y><y><y>3</y></y></y></data>",
  ))

test("form: numbers and booleans are as in JSON", () =>
  expect(encodeData({ n: [0, -0, -1.5, 1e21, 1e-7], b: false })).toBe(
    "<data><n>0</n><n>0</n><n>-1.5</n><n>1e+21</n><n>1e-7</n><b>false</b></data>",
  ))

test("form: names that XML does not allow", () =>
  expect(encodeData({ "1st": 1, "a b": 2, "><x": 3, "@id": 4, "#text": 5 })).toBe(
    "<data><_1st>1</_1st><a_b>2</a_b><__x>3</__x><_id>4</_id><_text>5</_text></data>",
  ))

test.each([
  ["a & b < c > d", "a &amp; b &lt; c &gt; d"],
  ["]]>", "]]&gt;"],
  ["&lt;", "&amp;lt;"],
  [`"quotes" 'too'`, `"quotes" 'too'`],
  ["a\r\nb\rc\n\t", "a&#xD;\nb&#xD;c\n\t"],
  ["  x  ", "  x  "],
  ["\0\x08\x0B\x0C\x0E\x1F", "\uFFFD".repeat(6)],
  ["\uFFFE\uFFFF\uFFFD", "\uFFFD".repeat(3)],
  ["\uD83D x \uDE00", "\uFFFD x \uFFFD"],
  ["😀\x7F\x85\u2028\uFEFF", "😀\x7F\x85\u2028\uFEFF"],
])("form: text %j is written %j", (text, written) => {
  expect(encodeData({ text })).toBe(`<data><text>${written}</text></data>`)
  expect(encodeXml({ status: "error", error: text, data: null })).toContain(`<error>${written}</error>`)
})

test("form: depth is not limited", () => {
  let data = {}
  for (let depth = 0; depth < 150; depth++) data = { a: data }
  expect(encodeData(data)).toContain("<a/>")
})

test("read back: the JSON value", () => {
  expectSameValue(everything)
  expectSameValue(failure)
})

test("read back: the JSON value of any envelope", () =>
  fc.assert(fc.property(anyEnvelope, expectSameValue), { numRuns: 150 }))

interface Element {
  readonly name: string
  readonly nil: boolean
  readonly children: readonly Element[]
  readonly text: string
}

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  ignoreDeclaration: true,
  htmlEntities: true,
  maxNestedTags: 1000,
})

function expectSameValue(envelope: Envelope): void {
  const xml = encodeXml(envelope)
  expect([[...xml].every(isXmlCharacter), XMLValidator.validate(xml)]).toEqual([true, true])
  const [response, ...others] = toElements(parser.parse(xml))
  expect([response?.name, others]).toEqual(["response", []])
  expectElement(response, toJsonValue(envelope, toXmlText))
}

/** XML has no types: the JSON value says what each element has to be. */
function expectElement(element: Element | undefined, value: unknown): void {
  expect(element?.nil).toBe(value === null)
  if (Array.isArray(value)) {
    expectRepeated(element?.children ?? [], element?.name ?? "", value)
  } else if (typeof value === "object" && value !== null) {
    expectMembers(element?.children ?? [], value)
  } else {
    expect([element?.text, element?.children]).toEqual([value === null ? "" : String(value), []])
  }
}

function expectMembers(elements: readonly Element[], value: object): void {
  const expected = Object.entries(value).map(
    ([key, member]) => [/^\d/.test(key) ? `_${key}` : key, member] as const,
  )
  for (const [name, member] of expected) {
    const found = elements.filter((element) => element.name === name)
    if (Array.isArray(member)) expectRepeated(found, name, member)
    else {
      expect(found).toHaveLength(1)
      expectElement(found[0], member)
    }
  }
  const names = new Set(expected.map(([name]) => name))
  expect(elements.every((element) => names.has(element.name))).toBe(true)
}

function expectRepeated(elements: readonly Element[], name: string, items: readonly unknown[]): void {
  expect(elements.map((element) => element.name)).toEqual(items.map(() => name))
  for (const [index, item] of items.entries()) expectElement(elements[index], item)
}

/** From the parser's ordered nodes: `{name: [children], ":@": {attributes}}` and `{"#text": text}`. */
function toElements(nodes: unknown): Element[] {
  if (!Array.isArray(nodes)) return []
  return nodes.flatMap((node: Record<string, unknown>) => {
    const { ":@": attributes, "#text": text, ...tag } = node
    return Object.entries(tag).map(([name, inner]) => ({
      name,
      nil: Object(attributes)["@_xsi:nil"] === "true",
      children: toElements(inner),
      text: textOf(inner),
    }))
  })
}

function textOf(nodes: unknown): string {
  if (!Array.isArray(nodes)) return ""
  return nodes.map((node: Record<string, unknown>) => node["#text"] ?? "").join("")
}

const toXmlText = (text: string): string =>
  [...text].map((character) => (isXmlCharacter(character) ? character : "\uFFFD")).join("")

/** XML 1.0 §2.2, production 2. */
function isXmlCharacter(character: string): boolean {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || code >= 0x10000
}
