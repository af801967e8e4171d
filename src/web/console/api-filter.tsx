import { may } from "../client/session.ts"
import { useRead } from "../client/use-read.ts"
import { withPresent } from "../kit/field.tsx"
import { ChoiceFilter, filterValue, TextFilter } from "../kit/filters.tsx"
import type { ApiChoice } from "../shared/key-fields.tsx"

/** All APIs to choose from; none until they are read, or if the session may not list them. */
export function useApiChoices(): readonly ApiChoice[] {
  const { data } = useRead(may("plans.list") ? "plans.list" : null, {})
  return Object.keys(data?.prices ?? {}).map((api) => [api, api] as const)
}

/** A filter for one API; a text field if the session may not list the APIs. */
export function ApiFilter({ others = [] }: { readonly others?: readonly (readonly [string, string])[] }) {
  const apis = useApiChoices()
  if (!may("plans.list")) return <TextFilter name="api" label="API" placeholder="hmac" />
  const value = filterValue("api")
  const known = [...apis, ...others]
  const choices = withPresent([["", "All APIs"], ...known], value)
  return <ChoiceFilter name="api" label="API" choices={choices} />
}
