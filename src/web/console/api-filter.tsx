import { may } from "../client/session.ts"
import type { PlanList } from "../client/types.ts"
import { useRead } from "../client/use-read.ts"
import { ChoiceFilter, filterValue, TextFilter } from "../kit/filters.tsx"

/** A filter for one API; typed where the APIs may not be listed. */
export function ApiFilter({ others = [] }: { readonly others?: readonly (readonly [string, string])[] }) {
  const mayList = may("plans.list")
  const { data } = useRead<PlanList>(mayList ? "/plans" : null)
  if (!mayList) return <TextFilter name="api" label="API" placeholder="hmac" />
  const value = filterValue("api")
  const known = [...Object.keys(data?.prices ?? {}).map((api) => [api, api] as const), ...others]
  const isKnown = value === null || known.some(([each]) => each === value)
  const choices = [["", "All APIs"] as const, ...known, ...(isKnown ? [] : [[value, value] as const])]
  return <ChoiceFilter name="api" label="API" choices={choices} />
}
