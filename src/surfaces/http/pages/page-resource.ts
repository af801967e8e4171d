import type { Picture } from "../../../config/brand.ts"
import { createResource, type Resource } from "../resource.ts"

/** A page may load what this host serves and run no inline script. No other site may frame it, where a click could be stolen. */
function policyOf(more: Readonly<Record<string, string>>): string {
  const rules = {
    "default-src": "'self'",
    "img-src": "'self' data:",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
    ...more,
  }
  return Object.entries(rules)
    .map(([name, value]) => `${name} ${value}`)
    .join("; ")
}

/** The headers of a page, with changes to its policy. */
export function pageHeaders(policy: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return {
    "content-security-policy": policyOf(policy),
    // Pages of other sites that open this one get no handle of its window.
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
  }
}

/** Makes the resource of a picture, in which nothing runs or loads anything. */
export function pictureResource({ type, bytes }: Picture): Resource {
  const policy = { "default-src": "'none'", "img-src": "'none'", "style-src": "'unsafe-inline'", sandbox: "" }
  return createResource({ headers: { ...pageHeaders(policy), "content-type": type }, read: () => bytes })
}

/** Makes the resources of pages with a policy. */
export function pageResources(policy: Readonly<Record<string, string>> = {}) {
  const headers = pageHeaders(policy)
  const text = (contentType: string, print: () => string): Resource =>
    createResource({ headers: { ...headers, "content-type": contentType }, read: print })
  return { html: (print: () => string) => text("text/html; charset=utf-8", print), text }
}
