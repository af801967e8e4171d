import { fetchJson } from "../client/request.ts"
import { useLoad } from "../client/use-read.ts"
import type { Choices } from "../kit/field.tsx"
import { type CatalogDocument, type OfferedApi, toOfferedApis } from "../playground/offered-api.ts"

/** The APIs as choices, grouped by category. */
export function toChoices(apis: readonly OfferedApi[]): Choices {
  return apis.map(({ id, title, category }) => [id, title, category])
}

/** The document does not change while the page is open. */
let catalog: Promise<readonly OfferedApi[]> | null = null

/** The APIs of the service with their parameters, from its OpenAPI document. It is read again when the service is back. */
export function useCatalog() {
  return useLoad("the catalog", () => {
    catalog ??= fetchJson<CatalogDocument>("/openapi.json", {}).then(toOfferedApis)
    return catalog.catch((thrown) => {
      catalog = null
      throw thrown
    })
  })
}
