import { highlight } from "./highlight.ts"
import { type Html, html } from "./html.ts"

export interface Tab {
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
<legend>${legend}</legend>
${entries.map(
  (tab, index) =>
    html`<input type="radio" name="${id}" id="${id}-${tab.id}"${index === 0 && html` checked`}><label for="${id}-${tab.id}">${tab.name}</label>`,
)}
${entries.map(({ content }) => html`<div class="panel">${content}</div>`)}
</fieldset>`
}

/** A block of code. The page's script adds a button that copies it. */
export function codeBlock(language: string, label: string, text: string): Html {
  return html`<div class="code"><pre tabindex="0" role="region" aria-label="${label}"><code data-language="${language}">${highlight(language, text)}</code></pre></div>`
}
