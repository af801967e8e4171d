import type { RunOf } from "../contract.ts"
import { findHeadings, toContents } from "./headings.ts"
import type { markdownconverter } from "./index.ts"
import { readMarkdown } from "./render.ts"
import { sanitize } from "./sanitize.ts"

export const run: RunOf<typeof markdownconverter> = (
  { text, dialect = "gfm", heading_ids = false },
  { premium },
) => {
  const document = readMarkdown(text, dialect)
  const headings = findHeadings(document.tokens, heading_ids)
  return {
    html: sanitize(document.write()),
    headings: [...headings],
    table_of_contents: premium ? toContents(headings) : "",
  }
}
