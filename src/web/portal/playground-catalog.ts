import { useEffect, useState } from "preact/hooks"
import { returns } from "../client/connection.ts"
import { Problem, Unreachable } from "../client/problem.ts"
import { fetchJson } from "../client/request.ts"
import type { Reading } from "../client/use-read.ts"
import type { Choices } from "../kit/field.tsx"
import { type CatalogDocument, type OfferedApi, toOfferedApis } from "../playground/offered-api.ts"

/** The APIs as choices, grouped by category. */
export function toChoices(apis: readonly OfferedApi[]): Choices {
  return apis.map(({ id, title, category }) => [id, title, category])
}

/** The document does not change while the page is open. */
let reading: Promise<readonly OfferedApi[]> | null = null

/** The APIs of the service with their parameters, from its OpenAPI document. It is read again when the service is back. */
export function useCatalog(): Reading<readonly OfferedApi[]> {
  const [data, setData] = useState<readonly OfferedApi[] | null>(null)
  const [error, setError] = useState<Problem | Unreachable | null>(null)
  const [count, setCount] = useState(0)
  useEffect(() => {
    reading ??= fetchJson<CatalogDocument>("/openapi.json", {}).then(toOfferedApis)
    setError(null)
    reading.then(setData, (thrown) => {
      reading = null
      if (!(thrown instanceof Problem || thrown instanceof Unreachable)) throw thrown
      setError(thrown)
    })
  }, [count, returns.value])
  return {
    data,
    error,
    isLoading: data === null && error === null,
    reload: () => setCount((before) => before + 1),
  }
}
