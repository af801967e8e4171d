/** Logos against the profile SVG Tiny PS. */
import { expect, test } from "bun:test"
import "reflect-metadata"
import fc from "fast-check"
import { logo, validate } from "../../../test/support/bimi-domains.ts"
import { expectWithinProcessorMs } from "../../../test/support/processor-time.ts"
import { checkSvg, elements } from "../mail/svg-check.ts"

const svgCodes = async (text: string) => (await checkSvg(text)).problems.map(({ code }): string => code)
const inside = (text: string) => logo.replace("</svg>", `${text}</svg>`)

test.each([
  [logo, []],
  [inside("<script/>"), ["svg_script"]],
  [inside('<x:script xmlns:x="http://www.w3.org/2000/svg"/>'), ["svg_script"]],
  [inside("<animate/>"), ["svg_script"]],
  [inside("<foreignObject/>"), ["svg_script"]],
  [logo.replace("<svg", '<svg onload="x()"'), ["svg_script"]],
  [inside('<path d="M0 0" fill="url(https://b.example/x)"/>'), ["svg_reference"]],
  [inside('<path d="M0 0" fill="url(#x)"/>'), []],
  [inside('<use href="#x"/>'), []],
  [inside('<use href="b.svg#x"/>'), ["svg_reference"]],
  [inside('<use href="javascript:x()"/>'), ["svg_script"]],
  [`<?xml version="1.0" encoding="UTF-8"?>${logo}`, []],
  [`<?xml-stylesheet href="https://b.example/x.css"?>${logo}`, ["svg_reference"]],
  [inside("<style>a{}</style>"), ["svg_element"]],
  [inside("<image/>"), ["svg_element"]],
  [inside("<a/>"), ["svg_element"]],
  [inside("<g><title>x</title></g>"), ["svg_element"]],
  [inside("<stop/>"), ["svg_element"]],
  [inside("text"), ["svg_element"]],
  [inside("<![CDATA[text]]>"), ["svg_element"]],
  [inside('<path style="x"/>'), ["svg_attribute"]],
  [inside('<path x="1"/>'), ["svg_attribute"]],
  [inside('<path fill-rule="x"/>'), ["svg_value"]],
  [logo.replace("1.2", "1.1"), ["svg_value"]],
  [logo.replace("<svg", '<svg preserveAspectRatio="xMidYMid meet"'), []],
  [logo.replace("<svg", '<svg preserveAspectRatio="xMinYMin slice"'), ["svg_value"]],
  [logo.replace("tiny-ps", "tiny"), ["svg_value"]],
  [logo.replace(' version="1.2"', ""), ["svg_root"]],
  [logo.replace(' baseProfile="tiny-ps"', ""), ["svg_root"]],
  [logo.replace("http://www.w3.org/2000/svg", "x"), ["svg_root", "svg_element"]],
  ["<x/>", ["svg_root", "svg_title"]],
  [logo.replace("<title>A</title>", ""), ["svg_title"]],
  [logo.replace(">A<", "> <"), ["svg_title"]],
  [inside("<title>B</title>"), ["svg_title"]],
  [logo.replace("<title>A</title>", "<desc>x</desc><title>A</title>"), ["svg_title"]],
  [logo.replace("0 0 9 9", "0 0 9 8"), ["svg_view_box"]],
  [logo.replace(' viewBox="0 0 9 9"', ""), ["svg_view_box"]],
  [logo.replace("<svg", '<svg width="100%"'), ["svg_relative_size"]],
  [inside(`<!--${"x".repeat(33_000)}-->`), ["svg_size"]],
  [`<!DOCTYPE svg>${logo}`, ["svg_doctype"]],
  [`<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>${inside("&a;")}`, ["svg_doctype"]],
  [logo.replace(">A<", ">&a;<"), ["svg_xml"]],
  [logo.slice(0, -3), ["svg_xml"]],
  [`${logo}<svg/>`, ["svg_xml"]],
  ["not XML", ["svg_xml"]],
  ["\u0000", ["svg_xml"]],
])("logos: %s has %j", async (text, codes) => expect(await svgCodes(text)).toEqual(codes))

test("logos that expand, nest or repeat are read within 100 ms, with 51 problems at most", async () => {
  const entity = (n: number) => `<!ENTITY a${n + 1} "${`&a${n};`.repeat(10)}">`
  const entities = Array.from({ length: 9 }, (_, n) => entity(n)).join("")
  const fill = (part: string) => part.repeat(Math.floor(65_000 / part.length))
  for (const text of [
    `<!DOCTYPE svg [<!ENTITY a0 "x">${entities}]><svg>&a9;</svg>`,
    inside(fill("<g>")),
    inside(fill("<x/>")),
    inside(fill("<script/>")),
    inside(fill('<path onx="" on="" y=""/>')),
    logo.replace("<svg", `<svg ${Array.from({ length: 5_000 }, (_, n) => `a${n}=""`).join(" ")}`),
    inside(`<path fill="${fill("url(")}"/>`),
    inside(`<path fill="url(${fill(" ")}"/>`),
    fill("<"),
    fill("&#x61;"),
    fill("]]>"),
  ]) {
    let problems: readonly unknown[] = []
    await expectWithinProcessorMs(100, async () => {
      problems = (await validate({ svg: text })).problems
    })
    expect(problems.length).toBeGreaterThan(0)
    expect(problems.length).toBeLessThanOrEqual(51)
  }
})

test("logos of any elements of the profile have no error if each is where it may be", async () => {
  const tree: fc.Arbitrary<string> = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom(...["path", "rect", "circle", "line", "ellipse", "use"]).map((name) => `<${name}/>`),
      fc.array(tie("node"), { maxLength: 3 }).map((all) => `<g>${all.join("")}</g>`),
      fc.array(tie("node"), { maxLength: 2 }).map((all) => `<defs>${all.join("")}</defs>`),
      fc.constant('<linearGradient id="a"><stop offset="0"/></linearGradient>'),
      fc.constant("<text>ä</text>"),
    ),
  })).node
  await fc.assert(
    fc.asyncProperty(fc.array(tree, { maxLength: 4 }), async (all) => {
      expect(await svgCodes(inside(all.join("")))).toEqual([])
    }),
    { numRuns: 300, seed: 12 },
  )
  expect(elements.size).toBe(20)
})
