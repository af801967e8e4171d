import { readWebFiles } from "#web-files"
import { apiPage } from "../../site/api-page.ts"
import { docsPage } from "../../site/docs-page.ts"
import { icon } from "../../site/icon.ts"
import { landingPage } from "../../site/landing-page.ts"
import { layout } from "../../site/layout.ts"
import { notFoundPage } from "../../site/not-found-page.ts"
import { robots } from "../../site/robots.ts"
import type { Site, WritePage } from "../../site/site.ts"
import type { Resource } from "../resource.ts"
import type { Brand } from "../web/brand.ts"
import { createBrandFiles, iconColor } from "../web/brand-files.ts"
import { hashedName } from "../web/web-files.ts"
import { pageResources } from "./page-resource.ts"

/** The pages for people, by path, and those that stand in no list. */
export interface SitePages {
  readonly byPath: ReadonlyMap<string, Resource>
  readonly notFound: Resource
}

const { html, text } = pageResources()

/** Makes the pages. Each is written with its first request. */
export async function createSitePages(site: Site, brand: Brand): Promise<SitePages> {
  const files = await readWebFiles()
  const brandFiles = createBrandFiles(brand)
  const assets = {
    style: `/assets/${hashedName(files, "site.css")}`,
    brandStyle: brandFiles.style && `/assets/${brandFiles.style.name}`,
    script: `/assets/${hashedName(files, "site.js")}`,
    icon: `/assets/${brandFiles.icon.name}`,
    docsStyle: `/assets/${hashedName(files, "docs.css")}`,
    docsScript: `/assets/${hashedName(files, "docs.js")}`,
  }
  const write: WritePage = (parts) => layout(site, assets, parts)
  return {
    byPath: new Map([
      ["/", html(() => landingPage(site, write))],
      ...site.apis.map(
        (api) => [`/apis/${api.definition.id}`, html(() => apiPage(site, api, write))] as const,
      ),
      ["/docs", html(() => docsPage(site, assets))],
      ["/favicon.ico", text("image/svg+xml", () => icon(iconColor(brand)))],
      ["/robots.txt", text("text/plain; charset=utf-8", () => robots)],
    ]),
    notFound: html(() => notFoundPage(write)),
  }
}
