/** Choices in forms and filters of several screens, and sizes. */
import { may } from "../client/session.ts"
import { useRead } from "../client/use-read.ts"
import type { Choices } from "../kit/field.tsx"
import { ChoiceFilter, TextFilter } from "../kit/filters.tsx"

/** How an account gets notices. */
export const notifyChoices = [
  ["webhook", "By webhook"],
  ["mail", "By mail"],
  ["both", "By webhook and mail"],
  ["none", "Not at all"],
] as const satisfies Choices

/** The events about which an account gets notices. */
export const eventChoices = [
  ["credits.exhausted", "All credits are used up"],
  ["key.expiring", "A key expires in 7 days, and again in 1 day"],
  ["key.created", "A key was created"],
  ["key.revoked", "A key was revoked"],
  ["month.renewed", "A new credit month has begun"],
] as const satisfies Choices

/** All plans; undefined if the session may not list them, so that a name is typed. */
export function usePlanChoices(): Choices | undefined {
  const { data } = useRead(may("plans.list") ? "plans.list" : null, {})
  return may("plans.list") ? (data?.data ?? []).map(({ name }) => [name, name]) : undefined
}

/** All APIs; none until they are read, or if the session may not list them. */
export function useApiChoices(): Choices {
  const { data } = useRead(may("plans.list") ? "plans.list" : null, {})
  return Object.keys(data?.prices ?? {}).map((api) => [api, api] as const)
}

/** A filter for one API; a text field if the session may not list the APIs. */
export function ApiFilter({ others = [] }: { readonly others?: Choices }) {
  const apis = useApiChoices()
  if (!may("plans.list")) return <TextFilter name="api" label="API" placeholder="hmac" />
  return <ChoiceFilter name="api" label="API" choices={[["", "All APIs"], ...apis, ...others]} />
}

/** `1.5 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), 4)
  const value = bytes / 1_000 ** power
  return `${value.toFixed(value < 10 ? 1 : 0)} ${["B", "kB", "MB", "GB", "TB"][power]}`
}
