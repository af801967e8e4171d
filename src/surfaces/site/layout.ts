import { type Html, html, type PageParts, type Site, type SiteAssets } from "./site.ts"

/** Prints a page: head, header with links to other pages, content, footer. */
export function layout(site: Site, assets: SiteAssets, { name, description, main }: PageParts): string {
  return html`<!doctype html>
<html lang="en">
${pageHead(site, assets, { name, description })}
<body>
<a class="skip" href="#main">Skip to the content</a>
${pageHeader(site, assets)}
<main id="main" tabindex="-1">
${main}
</main>
<footer class="bottom">
<div class="inner row between">
<p>${site.title} · version ${site.version}</p>
<nav class="row" aria-label="Documents and contact">${offerLinks(site)}<a href="/openapi.json">OpenAPI</a><a href="/llms.txt">llms.txt</a><a href="/.well-known/api-catalog">API catalog</a><a href="/health">Health</a></nav>
</div>
</footer>
<script type="module" src="${assets.script}"></script>
</body>
</html>
`.text
}

/** The head of a page. */
function pageHead(
  { title }: Site,
  { icon, style, brandStyle }: SiteAssets,
  { name, description }: Pick<PageParts, "name" | "description">,
): Html {
  const sheets = brandStyle === null ? [style] : [style, brandStyle]
  return html`<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name === null ? title : `${name} · ${title}`}</title>
<meta name="description" content="${description}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${icon}">
${sheets.map((sheet) => html`<link rel="stylesheet" href="${sheet}">`)}
</head>`
}

/** The header of a page: the name of the service and links to its other pages. */
function pageHeader(site: Site, { logo }: SiteAssets): Html {
  return html`<header class="top">
<div class="inner row between">
<a class="brand inline" href="/"><img src="${logo}" alt="" height="28"><span>${site.title}</span></a>
<nav class="row" aria-label="Pages">${linksOf(site)}</nav>
</div>
</header>`
}

function offerLinks({ offer: { contact, terms, privacy, status } }: Site): readonly Html[] {
  const links = [
    [contact, "Contact"],
    [terms, "Terms"],
    [privacy, "Privacy"],
    [status, "Status"],
  ] as const
  return links.flatMap(([href, text]) => (href === null ? [] : html`<a href="${href}">${text}</a>`))
}

/**
 * The links of the header. The script changes those with a mark for customers who are signed in. Not the console: it is for
 * operators, who know its address.
 */
function linksOf({ portal, offer: { plans, signUp } }: Site): readonly Html[] {
  return [
    html`<a href="/#apis">APIs</a>`,
    ...(plans.length > 0 ? [html`<a href="/#plans">Plans</a>`] : []),
    html`<a href="/docs">Reference</a>`,
    ...(portal ? [html`<a href="/portal" data-sign-in>Sign in</a>`] : []),
    ...(signUp === null ? [] : [html`<a href="${signUp}" data-sign-up>Sign up</a>`]),
  ]
}
