import { html } from "./html.ts"
import { pageHeader } from "./layout.ts"
import type { Site, SiteAssets } from "./site.ts"

/** The page of `GET /docs`, which Swagger UI fills with the OpenAPI document. */
export function docsPage(site: Site, assets: SiteAssets): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Reference · ${site.title}</title>
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${assets.icon}" type="image/svg+xml">
<link rel="stylesheet" href="/docs/viewer.css">
<link rel="stylesheet" href="${assets.docsStyle}">
${assets.brandStyle !== null && html`<link rel="stylesheet" href="${assets.brandStyle}">`}
<script src="/docs/viewer.js" defer></script>
<script type="module" src="${assets.docsScript}"></script>
</head>
<body>
<a class="skip" href="#viewer">Skip to the content</a>
${pageHeader(site, assets)}
<main id="viewer" tabindex="-1"></main>
<noscript><p class="no-script">This page needs JavaScript. Each API also has a page without: <a href="/#apis">see the APIs</a>. The document is <a href="/openapi.json">/openapi.json</a>.</p></noscript>
</body>
</html>
`.text
}
