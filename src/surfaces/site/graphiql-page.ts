import { html } from "./html.ts"
import { pageHead, pageHeader } from "./layout.ts"
import type { Site, SiteAssets } from "./site.ts"

/** The paths of the files that the page at `/graphiql` loads. */
export interface GraphiqlAssets {
  readonly styles: readonly string[]
  /** Scripts that each make a global name, in the order in which they run. */
  readonly libraries: readonly string[]
  readonly script: string
}

/** The page at `/graphiql`: a field for the key, and below it GraphiQL, which its script starts. */
export function graphiqlPage(site: Site, assets: SiteAssets, { styles, libraries, script }: GraphiqlAssets) {
  return html`<!doctype html>
<html lang="en">
${pageHead(site, assets, { name: "GraphiQL", description: "Write a GraphQL query, run it, and read the schema.", styles })}
<body>
${pageHeader(site, assets)}
<main>
<h1 class="away">GraphiQL</h1>
<div class="key">
<label for="key">API key</label>
<input id="key" type="password" autocomplete="off" spellcheck="false" aria-describedby="key-hint">
<p id="key-hint">Kept in this page until you leave it. With a key the schema is loaded, too. <a href="/docs/graphql">About GraphQL</a></p>
</div>
<div id="graphiql"${site.apis.some(({ definition }) => definition.id === "bluetoothlookup") && html` data-example`}></div>
<noscript><p>This page needs JavaScript. <a href="/docs/graphql">How to send queries</a> can be read without.</p></noscript>
</main>
${libraries.map((script) => html`<script src="${script}" defer></script>`)}
<script type="module" src="${script}"></script>
</body>
</html>
`.text
}
