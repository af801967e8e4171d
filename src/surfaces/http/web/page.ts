import { hashedName, type WebFiles } from "./web-files.ts"

/** How the operator's service presents itself. */
export interface Brand {
  /** Its name. */
  readonly title: string
  /** Such as `#0b6b5d`; null for the colour of the style sheet. */
  readonly color: string | null
}

/** The name of a page: what runs in it, and what its address begins with. */
export type WebPage = "console" | "portal"

/**
 * The page of the console or of the portal. It holds no data, script or style, so that its policy can forbid them; what is shown is
 * fetched by its script.
 */
export function printWebPage(page: WebPage, files: WebFiles, { title }: Brand, brandStyle: string): string {
  const asset = (name: string) => `/assets/${hashedName(files, name)}`
  const name = Bun.escapeHTML(title)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="application-name" content="${name}">
<title>${name}</title>
<link rel="icon" href="${asset("icon.svg")}" type="image/svg+xml">
<link rel="stylesheet" href="${asset("penknife.css")}">
<link rel="stylesheet" href="/assets/${brandStyle}">
<script type="module" src="${asset(`${page}.js`)}"></script>
</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript. Everything that it does can also be done with the API: see <a href="/docs">/docs</a>.</noscript>
</body>
</html>
`
}
