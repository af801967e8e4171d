import { type Html, html } from "./site.ts"

interface Tab {
  readonly id: string
  readonly name: string
  readonly content: Html
}

/**
 * A group of which one panel shows. Radio buttons choose it, so that it needs no script and the arrow keys work; the style
 * sheet shows the panel that stands in the same place as the chosen button.
 * @param id begins every id within the group
 */
export function tabs(id: string, legend: string, entries: readonly Tab[]): Html {
  return html`<fieldset class="tabs">
<legend class="muted small">${legend}</legend>
${entries.map(
  (tab, index) =>
    html`<input type="radio" name="${id}" id="${id}-${tab.id}"${index === 0 && html` checked`}><label class="muted" for="${id}-${tab.id}">${tab.name}</label>`,
)}
${entries.map(({ content }) => html`<div class="panel">${content}</div>`)}
</fieldset>`
}

/** A block of code. The page's script adds a button that copies it. */
export function codeBlock(language: string, label: string, text: string): Html {
  return html`<div class="code"><pre class="sunken" tabindex="0" role="region" aria-label="${label}"><code data-language="${language}">${highlight(language, text)}</code></pre></div>`
}

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
function highlight(language: string, code: string): Html {
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
