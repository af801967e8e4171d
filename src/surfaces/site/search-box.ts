import { type Html, html } from "./site.ts"

/**
 * The field that searches a page. Its script (src/web/site/search.ts) shows the field, and hides each `.entry` that lacks a typed
 * word and each section without visible entries. Without the script, everything but the field is shown.
 * @param parts `label` is the label of the field, `many` the plural for entries: "APIs"
 */
export function searchBox({ label, many }: { readonly label: string; readonly many: string }): Html {
  return html`<search class="search" data-many="${many}" hidden>
<label for="search">${label}</label>
<input type="search" id="search" autocomplete="off" spellcheck="false" aria-describedby="search-hint search-count">
<p class="hint" id="search-hint">Press <kbd>/</kbd> to search, arrow keys to move, <kbd>Enter</kbd> to open.</p>
<p class="hint" id="search-count" role="status"></p>
</search>`
}

/** A part of a page with a heading. */
interface SearchedPart {
  /** The id of its heading. */
  readonly anchor: string
  readonly heading: string
  /** How many entries it has. */
  readonly count: number
}

/** Links to the searched parts of the same page. The search updates their counts. */
export function partLinks(parts: readonly SearchedPart[]): Html {
  return html`<nav class="parts" aria-label="On this page"><ul class="row">${parts.map(
    ({ anchor, heading, count }) =>
      html`<li><a href="#${anchor}">${heading}</a> <span class="muted">${count}</span></li>`,
  )}</ul></nav>`
}
