import { operator } from "./offer.ts"
import { type Html, html, type Site, type WritePage } from "./site.ts"

/** The page at an address that does not exist. */
export function notFoundPage(write: WritePage): string {
  const missing = "There is no page at this address."
  const links = html`<p class="actions row gap-3"><a class="button primary" href="/">See the APIs</a><a class="button" href="/docs">Read the reference</a></p>`
  return page(write, "Not found", [html`<p class="lead muted">${missing}</p>\n`, links], missing)
}

/** The pages of a link in a notice by mail. They are the same for all accounts, so that they tell nothing about one. */
export const unsubscribePages = {
  /** With the button that ends the notices. */
  ask: (write: WritePage): string =>
    page(write, "Stop notices by mail?", [
      html`<p class="lead muted">Notices tell you when credits run low, when a key expires, and about other events of your account.</p>`,
      html`<form method="post"><p class="actions row gap-3"><button class="button primary" type="submit">Stop notices by mail</button></p></form>`,
      html`<p class="hint">You still get a mail with a link when someone asks to sign in with this address.</p>`,
    ]),
  done: ({ portal, offer }: Site, write: WritePage): string =>
    page(write, "Notices by mail are stopped", [
      html`<p class="lead muted">This address gets no more notices about the account.</p>`,
      portal
        ? html`<p class="hint">You can turn them on again in <a href="/portal/webhook">the portal, under Notices</a>.</p>`
        : html`<p class="hint">To get them again, ask ${operator(offer)}.</p>`,
    ]),
  refused: ({ offer }: Site, write: WritePage): string =>
    page(write, "The link is incomplete", [
      html`<p class="lead muted">Open the link at the end of the mail again, or copy all of it. Nothing was changed.</p>`,
      html`<p class="hint">If that does not help, ask ${operator(offer)}.</p>`,
    ]),
}

function page(write: WritePage, name: string, parts: readonly Html[], description = name): string {
  const main = html`<section class="inner lost">
<h1>${name}</h1>
${parts}
</section>`
  return write({ name, description, main })
}
