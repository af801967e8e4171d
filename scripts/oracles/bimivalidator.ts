import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { bimivalidator } from "../../src/apis/bimivalidator/index.ts"
import { attributeValues, elements } from "../../src/apis/mail/svg-check.ts"
import { ask, debianVersion, defineOracle, MissingTool, run } from "./oracle.ts"

/**
 * The schema of SVG Tiny PS in Relax NG, from the Perl module Mail::BIMI. It is not in this repository: it has another licence.
 */
const schema = "mail-bimi/lib/Mail/BIMI/Data/SVG_1.2_PS.rng"

const names = [...elements.keys(), "image", "a", "tspan", "animate", "switch", "style"]
const attributes = [...new Set([...elements.values()].flatMap((rule) => [...rule.attributes]))].filter(
  // Types of XML Schema, which are not compared: names, languages and addresses.
  (name) => !/^(?:id|class|xmlns|xml:(?:id|base|lang)|xlink:href)$/.test(name),
)
const attributeOf = (from: readonly string[]) =>
  fc.tuple(fc.constantFrom(...from), fc.nat(9), fc.boolean()).map(([name, at, isWrong]) => {
    const values = attributeValues[name]
    const value =
      values && !(isWrong && at === 0)
        ? (values[at % values.length] ?? "x")
        : name === "href"
          ? "#x"
          : name === "preserveAspectRatio" && at > 2
            ? "xMidYMid meet"
            : "1"
    return [name, value] as const
  })
const attribute = attributeOf([...attributes, "style", "clip-path", "onclick"])
const known = (name: string) => {
  const own = attributes.filter((one) => elements.get(name)?.attributes.has(one))
  return attributeOf(own.length > 0 ? own : ["style"])
}

/** An element with at most so many levels below it. */
function nodeOf(depth: number): fc.Arbitrary<string> {
  const name = fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom(...names) },
    { weight: 1, arbitrary: fc.constant("svg") },
  )
  const list = (own: string) =>
    fc.uniqueArray(fc.oneof({ weight: 15, arbitrary: known(own) }, { weight: 1, arbitrary: attribute }), {
      maxLength: 3,
      selector: ([attributeName]) => attributeName,
    })
  const below = depth === 0 ? null : fc.array(nodeOf(depth - 1), { maxLength: 3 }).map((all) => all.join(""))
  return name.chain((own) => {
    const rule = elements.get(own)
    const hasChildren = (rule?.children.size ?? 0) > 0
    const inside = hasChildren && below ? below : fc.constant(rule?.hasText ? "text" : "")
    return fc.tuple(list(own), inside).map(([all, content]) => `<${own}${write(all)}>${content}</${own}>`)
  })
}

const write = (list: readonly (readonly [string, string])[]): string =>
  list.map(([name, value]) => ` ${name}="${value}"`).join("")

const some = (text: string) =>
  fc.oneof({ weight: 30, arbitrary: fc.constant(text) }, { weight: 1, arbitrary: fc.constant("") })
const generate = fc
  .tuple(
    some(' xmlns="http://www.w3.org/2000/svg"'),
    some(' version="1.2"'),
    some(' baseProfile="tiny-ps"'),
    some("<title>A</title>"),
    fc.uniqueArray(
      known("svg").filter(([name]) => name !== "version" && name !== "baseProfile"),
      { maxLength: 3, selector: ([name]) => name },
    ),
    fc.array(nodeOf(2), { maxLength: 3 }),
  )
  .map(
    ([space, version, profile, title, list, all]) =>
      `<svg${space}${version}${profile}${write(list)}>${title}${all.join("")}</svg>`,
  )

export const oracle = defineOracle<string, boolean>({
  api: "bimivalidator",
  against: "xmllint with the Relax NG schema of SVG Tiny PS",
  cases: 4_000,
  generate,
  async version(suites) {
    if (!existsSync(join(suites, schema)))
      throw new MissingTool(schema, `cd ${suites} && git clone https://github.com/marcbradshaw/mail-bimi`)
    return debianVersion("libxml2-utils")
  },
  async ours(svg) {
    const answer = await ask(bimivalidator, { svg })
    return answer?.is_svg_valid ?? false
  },
  async theirs(tests, suites) {
    const folder = mkdtempSync(join(tmpdir(), "svg-"))
    try {
      const files = tests.map((svg, index) => {
        const file = join(folder, `${index}.svg`)
        writeFileSync(file, svg)
        return file
      })
      const { err } = await run(
        ["xmllint", "--noout", "--nonet", "--relaxng", join(suites, schema), ...files],
        "",
      )
      const valid = new Set(err.split("\n").filter((line) => line.endsWith(" validates")))
      return files.map((file) => valid.has(`${file} validates`))
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
  known: [
    {
      reason:
        "the schema leaves out inherit for font-weight of svg, which SVG Tiny 1.2 has for every element",
      fits: (svg, ours, theirs) => ours && !theirs && /^<svg[^>]* font-weight="inherit"/.test(svg),
    },
  ],
})
