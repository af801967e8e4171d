import { readFileSync } from "node:fs"
import { join } from "node:path"
import { readMarkdown } from "../../../src/apis/markdownconverter/render.ts"
import { run } from "../../../src/apis/markdownconverter/run.ts"
import { runIsolated } from "../../../test/support/run-isolated.ts"
import type { Suite } from "../suite.ts"

/** HTML in one form: of tags without content, of `>`, and of the order of attributes. */
function normal(html: string): string {
  return html
    .replaceAll(" />", ">")
    .replaceAll("&gt;", ">")
    .replaceAll('=""', "")
    .replace(
      /<input ([^>]*)>/g,
      (_, attributes: string) => `<input ${attributes.split(" ").sort().join(" ")}>`,
    )
    .trim()
}

const extensions: Suite = {
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
        const isRight = normal(got) === normal(html)
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

const address = /^\W*(?:javascript|vbscript|data|livescript|mocha|feed|view-source)\s*:/i

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
          const isCode = address.test(text.replace(/[\t\n\r]|&(?:Tab|NewLine);/g, "").replace("&colon;", ":"))
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

export const suites = [extensions, attacks]
