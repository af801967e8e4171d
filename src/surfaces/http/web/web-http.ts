import { readWebFiles } from "#web-files"
import type { Brand } from "../../../config/brand.ts"
import { pageHeaders } from "../pages/page-resource.ts"
import { createResource, type Resource } from "../resource.ts"
import { sendAsset } from "./asset.ts"
import { createBrandFiles } from "./brand-files.ts"
import { printWebPage, type WebPage } from "./page.ts"

/** Nothing may be loaded from another host, and no script or style may stand in the page. */
const headers = {
  ...pageHeaders({ "img-src": "'self' data:", "form-action": "'self'" }),
  "content-type": "text/html; charset=utf-8",
}

/** Answers requests for the pages of the front end and for the files that they load. */
export async function createWebHttp(brand: Brand) {
  const files = await readWebFiles()
  const brandFiles = createBrandFiles(brand)
  const own = [brandFiles.style, brandFiles.icon, brandFiles.logo]
  const page = (name: WebPage) =>
    createResource({ headers, read: () => printWebPage(name, files, brand, brandFiles) })
  return {
    pages: { console: page("console"), portal: page("portal"), mock: page("mock") },
    /** Undefined for an unknown name. */
    asset(name: string): Resource | undefined {
      const file = own.find((each) => each?.name === name) ?? files.get(name)
      return file && ((request, set) => sendAsset(file, request, set))
    },
  }
}
