import { brotliCompressSync, gzipSync } from "node:zlib"
import { readWebFiles } from "#web-files"
import { pageHeaders } from "../pages/page-resource.ts"
import { createResource, type Resource } from "../resource.ts"
import { sendAsset } from "./asset.ts"
import { printBrandStyle } from "./brand-style.ts"
import { type Brand, printWebPage, type WebPage } from "./page.ts"
import type { Coding } from "./web-files.ts"

/** What answers requests for the pages of the front end and for what they load. */
export interface WebHttp {
  readonly pages: Readonly<Record<WebPage, Resource>>
  /** Undefined for an unknown name. */
  asset(name: string): Resource | undefined
}

/** Nothing may be loaded from another host, and no script or style may stand in the page. */
const headers = {
  ...pageHeaders({ "img-src": "'self'", "form-action": "'self'" }),
  "content-type": "text/html; charset=utf-8",
}

/** Everything of the front end, loaded with the first request for it. */
export async function createWebHttp(brand: Brand): Promise<WebHttp> {
  const files = await readWebFiles()
  const style = new TextEncoder().encode(printBrandStyle(brand.color))
  const hash = new Bun.CryptoHasher("sha256").update(style).digest("hex").slice(0, 8)
  const brandStyle = {
    name: `brand-${hash}.css`,
    read: async (coding: Coding) => (coding === "br" ? brotliCompressSync(style) : gzipSync(style)),
  }
  const page = (name: WebPage) =>
    createResource({
      headers,
      read: async () => new TextEncoder().encode(printWebPage(name, files, brand, brandStyle.name)),
    })
  return {
    pages: { console: page("console"), portal: page("portal") },
    asset(name) {
      const file = name === brandStyle.name ? brandStyle : files.get(name)
      return file && ((request, set) => sendAsset(file, request, set))
    },
  }
}
