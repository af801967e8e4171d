import { html } from "./html.ts"
import type { WritePage } from "./site.ts"

/** What a browser sees at an address that does not exist. */
export function notFoundPage(write: WritePage): string {
  return write({
    name: "Not found",
    description: "There is no page at this address.",
    main: html`<section class="inner lost">
<h1>Not found</h1>
<p class="lead">There is no page at this address.</p>
<p class="actions"><a class="button primary" href="/">See what there is</a><a class="button" href="/docs">Read the reference</a></p>
</section>`,
  })
}
