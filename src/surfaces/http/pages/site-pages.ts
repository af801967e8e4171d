import { readWebFiles } from "#web-files"
import type { ApiDefinition } from "../../../apis/contract.ts"
import { exampleService } from "../../../code-examples/code-call.ts"
import type { Brand } from "../../../config/brand.ts"
import { exampleAnswer, toApiPage } from "../../markdown/api-page.ts"
import type { DocumentedApi } from "../../openapi/json-object.ts"
import { apiPage, indexPage } from "../../site/index-page.ts"
import { landingPage } from "../../site/landing-page.ts"
import { layout } from "../../site/layout.ts"
import { checkPage, hasDomainCheck } from "../../site/offer.ts"
import { notFoundPage, unsubscribePages } from "../../site/plain-pages.ts"
import { graphqlApis } from "../../site/query-examples.ts"
import { rulesOf } from "../../site/reference-page.ts"
import { rulePage } from "../../site/rules.ts"
import type { Site, WritePage } from "../../site/site.ts"
import { createResource, pageResources, pictureResource, type Resource } from "../resource.ts"
import { createBrandFiles, faviconOf } from "../web/brand-files.ts"
import { hashedName } from "../web/web-files.ts"

const { html, text } = pageResources()
/** The field that checks a domain works without a script too. */
const withForm = pageResources({ "form-action": "'self'" })

/** Makes the pages for people, by path, and those that stand in no list. Each is written with its first request. */
export async function createSitePages(site: Site, brand: Brand) {
  const files = await readWebFiles()
  const asset = (name: string) => `/assets/${hashedName(files, name)}`
  const brandFiles = createBrandFiles(brand)
  const assets = {
    style: asset("site.css"),
    brandStyle: brandFiles.style && `/assets/${brandFiles.style.name}`,
    script: asset("site.js"),
    icon: `/assets/${brandFiles.icon.name}`,
    logo: `/assets/${brandFiles.logo.name}`,
  }
  const write: WritePage = (parts) => layout(site, assets, parts)
  return {
    byPath: new Map<string, Resource>([
      ["/", withForm.html(() => landingPage(site, write))],
      ...site.apis.map(
        (api) => [`/apis/${api.definition.id}`, html(() => apiPage(site, api, write))] as const,
      ),
      ...(hasDomainCheck(site) ? [["/check", withForm.html(() => checkPage(site, write))] as const] : []),
      ["/docs", html(() => indexPage(site, write))],
      ...rulesOf(site).map((rule) => [`/docs/${rule.id}`, html(() => rulePage(site, rule, write))] as const),
      ...(site.graphql
        ? graphqlApis(site).map((api) => [`/docs/${api.id}.graphql`, schemaOf(api)] as const)
        : []),
      ...site.apis.map((api) => [`/docs/${api.definition.id}.md`, markdownOf(api, site)] as const),
      ["/favicon.ico", pictureResource(faviconOf(brand))],
      ["/robots.txt", text("text/plain; charset=utf-8", () => robots)],
    ]),
    notFound: html(() => notFoundPage(write)),
    unsubscribe: {
      ask: withForm.html(() => unsubscribePages.ask(write)),
      done: html(() => unsubscribePages.done(site, write)),
      refused: html(() => unsubscribePages.refused(site, write)),
    },
  }
}

/** The page of an API in Markdown. */
function markdownOf({ definition, credits }: DocumentedApi, { publicUrl }: Site): Resource {
  const options = {
    credits,
    url: publicUrl ?? exampleService,
    key: "YOUR-KEY",
    answer: exampleAnswer(definition),
  }
  return createResource({
    headers: { "content-type": "text/markdown; charset=utf-8" },
    read: () => toApiPage(definition, options),
  })
}

/** The part of GraphQL's schema that belongs to an API, in the schema definition language. */
function schemaOf(api: ApiDefinition): Resource {
  const read = async () => (await import("../../graphql/schema.ts")).printCatalogSchema([api])
  return createResource({ headers: { "content-type": "text/plain; charset=utf-8" }, read })
}

/** The rules for crawlers (RFC 9309): pages and documents, but nothing that needs a key or changes with every request. */
const robots = `User-agent: *
Disallow: /v1/
Disallow: /admin
Disallow: /check/
Disallow: /console
Disallow: /portal
Disallow: /unsubscribe
Disallow: /mcp
Disallow: /metrics
Disallow: /health
Disallow: /ready
Disallow: /_mock
Allow: /
`
