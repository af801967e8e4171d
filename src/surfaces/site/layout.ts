import { type Html, html } from "./html.ts"
import type { PageParts, Site, SiteAssets } from "./site.ts"

/** A whole page: head, header with the ways to other pages, content, footer. */
export function layout(site: Site, assets: SiteAssets, { name, description, main }: PageParts): string {
  const title = name === null ? site.title : `${name} · ${site.title}`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${description}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${assets.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${assets.style}">
${assets.brandStyle !== null && html`<link rel="stylesheet" href="${assets.brandStyle}">`}
<script type="module" src="${assets.script}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${pageHeader(site, assets)}
<main id="main" tabindex="-1">
${main}
</main>
<footer class="bottom">
<div class="inner">
<p>${site.title} · version ${site.version}</p>
<nav aria-label="Documents"><a href="/openapi.json">OpenAPI</a><a href="/llms.txt">llms.txt</a><a href="/.well-known/api-catalog">API catalog</a><a href="/health">Health</a></nav>
</div>
</footer>
</body>
</html>
`.text
}

/** The name of the service and the ways to its other pages. */
export function pageHeader(site: Site, { icon }: SiteAssets): Html {
  return html`<header class="top">
<div class="inner">
<a class="brand" href="/"><img src="${icon}" alt="" width="28" height="28"><span>${site.title}</span></a>
<nav aria-label="Pages">${linksOf(site).map(({ href, text }) => html`<a href="${href}">${text}</a>`)}</nav>
</div>
</header>`
}

function linksOf({ portal, console }: Site): readonly { href: string; text: string }[] {
  return [
    { href: "/#apis", text: "APIs" },
    { href: "/docs", text: "Reference" },
    ...(portal ? [{ href: "/portal", text: "Portal" }] : []),
    ...(console ? [{ href: "/console", text: "Console" }] : []),
  ]
}
