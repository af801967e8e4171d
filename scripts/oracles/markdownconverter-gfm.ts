import { readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { readMarkdown } from "../../src/apis/markdownconverter/render.ts"
import { run } from "../../src/apis/markdownconverter/run.ts"
import { runIsolated } from "../../test/support/run-isolated.ts"
import { areEqualBut, convertAll, known } from "./markdownconverter.ts"
import { debianVersion, defineOracle, type Judgement, type Suite } from "./oracle.ts"

const extensions = ["table", "strikethrough", "tasklist", "autolink"]

const words = ["a", "b c", "word", "ä", "1", "*e*", "**f**", "`x`", "&amp;", "\\*", "<b>g</b>", "!", "."]
const joined = (parts: readonly string[], between: string, maxLength = 5) =>
  fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength }).map((all) => all.join(between))

const cell = fc.oneof(joined(words, " ", 2), fc.constantFrom("", " ", "\\|", "`\\|`", "~~d~~", " padded "))
const cells = fc.array(cell, { minLength: 1, maxLength: 4 })
const line = (all: readonly string[]) => `|${all.join("|")}|`
const mark = fc.constantFrom("-", "---", ":-", "-:", ":-:", " - ", ":--:")
/** One table of four has another number of cells in its second row than in the first, so that it is none. */
const table = fc
  .tuple(cells, fc.array(mark, { minLength: 4, maxLength: 4 }), fc.array(cells, { maxLength: 4 }), fc.nat(3))
  .map(([header, marks, rows, other]) =>
    [
      line(header),
      line(marks.slice(0, other === 0 ? 2 : header.length)),
      ...rows.map((row) => line(row)),
    ].join("\n"),
  )
const tables = fc
  .tuple(
    fc.constantFrom("", "", "before\n", "# before\n", "> "),
    table,
    fc.constantFrom("", "\n\nafter", "\nafter", "\n> after", "\n# after"),
  )
  .map(([before, rows, after]) => (before === "> " ? rows.replace(/^/gm, before) : before + rows) + after)

const struck = joined(["~~", "~~", "~", "~", "a", "b", " ", "*", "**", ".", "ä", "`~~`", "\\~", "\n"], "", 8)

const tasks = fc
  .array(
    fc
      .tuple(
        fc.constantFrom("- ", "- ", "* ", "1. ", "  - ", "+ "),
        fc.constantFrom("[ ]", "[x]", "[X]", "[]", "[y]", "[ x]", "\\[ ]"),
        fc.constantFrom(" ", ""),
        joined(words, " "),
      )
      .map((parts) => parts.join("")),
    { minLength: 1, maxLength: 4 },
  )
  .map((lines) => lines.join("\n"))

const addresses =
  "www.a.example www.a.example/(b) www.a.example/b_c www.a_b.example www.a_b.c.example xwww.a.example http://a.example/b https://a.example/?c=d&e https://a.example:80/#f http:// http://a_b.example ftp://a.example a@b.example a.b-c+d@e.example a@b a@b.example- a@b_c.example /c_d b.example".split(
    " ",
  )
const address = fc
  .tuple(
    fc.constantFrom("", "", "(", "*", "_", "x "),
    fc.constantFrom(...addresses),
    fc.constantFrom("", "", ...`. ) )) * _ ~ !) &copy; &copy ; , : ? < ' " /`.split(" ")),
  )
  .map((parts) => parts.join(""))
const autolinks = fc.array(address, { minLength: 1, maxLength: 3 }).map((all) => all.join(" "))

/** HTML as XHTML has it, without the line break at the end. */
const normal = (html: string): string => html.replaceAll(" />", ">").trimEnd()

const linkTag = /<\/?a\b[^>]*>/g

/** Where a section is named, it is one of the specification of GFM 0.29. */
const gfmKnown: readonly Judgement<string, string>[] = [
  {
    reason:
      "runs of one and of two tildes, struck text alone: where two of different lengths meet, cmark-gfm sometimes looks for an earlier or later one; the specification (6.5) only says that they strike in pairs",
    fits: (text, ours, theirs) =>
      /(?<!~)~(?!~)/.test(text) && /(?<!~)~~(?!~)/.test(text) && areEqualBut(/<\/?del>|~/g, ours, theirs),
  },
  {
    reason:
      "stars beside tildes, emphasis and struck text alone: cmark-gfm looks past tildes for what stands beside a star, of which the specification says nothing",
    fits: (text, ours, theirs) =>
      /~[\s\S]*\*|\*[\s\S]*~/.test(text) && areEqualBut(/<\/?(?:em|strong|del)>|[_*~]/g, ours, theirs),
  },
  {
    reason:
      "an underscore or a full stop right after a domain, with a difference of links alone: neither is part of the address (6.9); cmark-gfm takes it for the last part of the domain where more text follows, and is wrong",
    fits: (text, ours, theirs) =>
      /(?:www\.|:\/\/)[a-z.]*_[a-z._]*/.test(text) && areEqualBut(linkTag, ours, theirs),
  },
  ...known,
]

export const oracle = defineOracle<string, string>({
  api: "markdownconverter",
  against: "cmark-gfm",
  cases: 8_000,
  generate: fc.oneof(tables, struck, tasks, autolinks),
  version: () => debianVersion("cmark-gfm"),
  ours: async (text) => normal(readMarkdown(text, "gfm").write()),
  theirs: async (texts) =>
    (await convertAll(["cmark-gfm", "--unsafe", ...extensions.flatMap((name) => ["-e", name])], texts)).map(
      normal,
    ),
  known: gfmKnown,
})

/** HTML in one form: of tags without content, of `>`, and of the order of attributes. */
const inOneForm = (html: string): string =>
  html
    .replaceAll(" />", ">")
    .replaceAll("&gt;", ">")
    .replaceAll('=""', "")
    .replace(
      /<input ([^>]*)>/g,
      (_, attributes: string) => `<input ${attributes.split(" ").sort().join(" ")}>`,
    )
    .trim()

const ofSpecification: Suite = {
  api: "markdownconverter",
  name: "cmark-gfm",
  get: "git clone https://github.com/github/cmark-gfm",
  async run(folder) {
    const text = readFileSync(join(folder, "test/spec.txt"), "utf8")
    const examples = text.matchAll(/^`{32} example (\w+)\n([\s\S]*?)^\.\n([\s\S]*?)^`{32}$/gm)
    return Promise.all(
      [...examples].map(async ([, extension = "", markdown = "", html = ""]) => {
        // Safe HTML differs for the tags that are filtered; what they become is the same.
        const got =
          extension === "tagfilter"
            ? (await runIsolated(run, { text: markdown })).html
            : readMarkdown(markdown, "gfm").write()
        const test = `${extension}: ${JSON.stringify(markdown)}: ${JSON.stringify(got)}`
        const isRight = inOneForm(got) === inOneForm(html)
        return { test, isRight, reason: extension === "tagfilter" ? closed : undefined }
      }),
    )
  },
}

const closed = "a tag without an end gets one here, so that it does not go on in the page around it"

/** The places of a document in which HTML and links occur. */
const contexts: readonly ((attack: string) => string)[] = [
  (attack) => attack,
  (attack) => `a ${attack} b`,
  (attack) => `# ${attack}`,
  (attack) => `- ${attack}`,
  (attack) => `> ${attack}`,
  (attack) => `| ${attack} |\n|-|\n| ${attack} |`,
  (attack) => `[x](${attack})`,
  (attack) => `![${attack}](${attack} "${attack}")`,
  (attack) => `<${attack}>`,
  (attack) => `<p title="${attack}">x</p>`,
  (attack) => `\`\`\`${attack}\n${attack}\n\`\`\``,
  (attack) => `**~~${attack}~~**\n\n${attack}`,
]

const codeAddress = /^\W*(?:javascript|vbscript|data|livescript|mocha|feed|view-source)\s*:/i

function dangersIn(html: string): string[] {
  const dangers: string[] = []
  new HTMLRewriter()
    .on("*", {
      element({ tagName, attributes }) {
        if (/^(?:script|style|iframe|object|embed|svg|math|link|meta|base|form|template)$/i.test(tagName))
          dangers.push(tagName)
        for (const [name, value] of attributes) {
          const text = value.replace(/&#(?:x([\da-f]+)|(\d+));?/gi, (_, hex, digits) =>
            String.fromCodePoint(Number.parseInt(hex ?? digits, hex ? 16 : 10)),
          )
          const isCode = codeAddress.test(
            text.replace(/[\t\n\r]|&(?:Tab|NewLine);/g, "").replace("&colon;", ":"),
          )
          if (/^(?:on|style$|srcdoc$|xlink|formaction$)/i.test(name) || isCode)
            dangers.push(`${name}=${value}`)
        }
      },
    })
    .transform(html)
  return dangers
}

/**
 * 180 ways to run code in a page, evenly from a public list, in each of the places. No handler, script or address that runs
 * code may be in what comes out, as a parser of HTML reads it.
 */
const attacks: Suite = {
  api: "markdownconverter, renderings of attacks",
  name: "payloadbox-xss",
  get: "git clone https://github.com/payloadbox/xss-payload-list payloadbox-xss",
  async run(folder) {
    const lines = readFileSync(join(folder, "Intruder/xss-payload-list.txt"), "utf8").split("\n")
    const distinct = [...new Set(lines.filter((line) => line !== "" && line.length < 2_000))]
    const chosen = distinct
      .filter((_, index) => index % Math.floor(distinct.length / 180) === 0)
      .slice(0, 180)
    return Promise.all(
      chosen.flatMap((attack) =>
        contexts.map(async (context) => {
          const text = context(attack)
          const { html, table_of_contents } = await runIsolated(run, { text, heading_ids: true })
          const dangers = dangersIn(html + table_of_contents)
          return { test: `${JSON.stringify(text)}: ${dangers.join(" ")}`, isRight: dangers.length === 0 }
        }),
      ),
    )
  },
}

export const suites = [ofSpecification, attacks]
