import { resolve } from "node:path"
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
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
  }
}

/** Makes the resources of a page: its own text, and files that the build embeds. */
export function pageResources(policy: Readonly<Record<string, string>> = {}) {
  const headers = pageHeaders(policy)
  const resource = (contentType: string, read: () => Promise<Uint8Array>): Resource =>
    createResource({ headers: { ...headers, "content-type": contentType }, read })
  const text = (contentType: string, print: () => string): Resource =>
    resource(contentType, async () => new TextEncoder().encode(print()))
  return {
    html: (print: () => string) => text("text/html; charset=utf-8", print),
    text,
    script: (code: string) => text(javascript, () => code),
    scriptFile: (file: string) => resource(javascript, () => readEmbedded(file)),
    styleFile: (file: string) => resource("text/css; charset=utf-8", () => readEmbedded(file)),
  }
}

const javascript = "text/javascript; charset=utf-8"

/** Reads a file by the path of its import, which is relative when the program is one file for Bun. */
function readEmbedded(file: string): Promise<Uint8Array> {
  return Bun.file(resolve(import.meta.dir, file)).bytes()
}
