import { type Html, html } from "./html.ts"

const keywords = {
  curl: ["curl"],
  javascript: ["const", "await", "new", "if", "throw", "true", "false", "null"],
  python: ["import", "with", "as", "None", "True", "False"],
  go: ["package", "import", "func", "if", "defer", "nil"],
  json: ["true", "false", "null"],
} as const

/** The parts of code that get a colour: names of fields, texts, words of the language. */
const patterns: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    Object.entries(keywords).map(([language, words]) => [
      language,
      new RegExp(
        `(?<name>"(?:\\\\.|[^"\\\\])*"(?=:))|(?<text>"(?:\\\\.|[^"\\\\])*"|'[^']*'|\`[^\`]*\`)|(?<word>\\b(?:${words.join("|")})\\b)`,
        "g",
      ),
    ]),
  ),
  xml: /(?<name><[^>]*>)/g,
  yaml: /(?<name>^[ -]*[\w"]+(?=:(?:\s|$)))/gm,
}

/** Code with its parts in elements of their own, for colours. Code in an unknown language stays unchanged. */
export function highlight(language: string, code: string): Html {
  const pattern = patterns[language]
  if (!pattern) return html`${code}`
  const parts: Html[] = []
  let end = 0
  for (const match of code.matchAll(pattern)) {
    const kind = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0] ?? ""
    parts.push(html`${code.slice(end, match.index)}<span class="${kind}">${match[0]}</span>`)
    end = match.index + match[0].length
  }
  return html`${parts}${code.slice(end)}`
}
