import type { Brand } from "./brand.ts"
import type { BrandFiles } from "./brand-files.ts"
import { hashedName, type WebFiles } from "./web-files.ts"

/** The name of a page: what runs in it, and what its address begins with. */
export type WebPage = "console" | "portal"

/**
 * The page of the console or of the portal. It holds no data, script or style, so that its policy can forbid them; what is shown is
 * fetched by its script.
 */
export function printWebPage(
  page: WebPage,
  files: WebFiles,
  { title }: Brand,
  brandFiles: BrandFiles,
): string {
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
<link rel="icon" href="/assets/${brandFiles.icon.name}" type="image/svg+xml">
<link rel="stylesheet" href="${asset("penknife.css")}">
<link rel="stylesheet" href="/assets/${brandFiles.style.name}">
<script type="module" src="${asset(`${page}.js`)}"></script>
</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript. Everything that it does can also be done with the API: see <a href="/docs">/docs</a>.</noscript>
</body>
</html>
`
}
