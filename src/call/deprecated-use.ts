import type { TSchema } from "@sinclair/typebox"
import { type DeprecatedPart, deprecatedEntry } from "../accounts/deprecated-entry.ts"
import { type ApiDefinition, deprecationOf, deprecationText } from "../apis/contract.ts"
import type { ChargeItem } from "../store/store.ts"
import type { RawInput } from "./input.ts"

/** Lists the deprecated items that a call uses. Null if none of the API's can be seen in its input. */
export type FindDeprecated = ((input: RawInput) => readonly string[]) | null

/** Compiles an API's search for deprecated items, once. The search returns usage entries. */
export function compileDeprecated({ id, deprecation, input }: ApiDefinition): FindDeprecated {
  const ofApi = deprecation ? [deprecatedEntry(id, "api")] : []
  const parameters = Object.entries(input.properties)
    .filter(([, schema]) => deprecationOf(schema))
    .map(([name]) => [name, deprecatedEntry(id, `parameter ${name}`)] as const)
  if (ofApi.length === 0 && parameters.length === 0) return null
  return (raw) => [...ofApi, ...parameters.flatMap(([name, entry]) => (isGiven(raw, name) ? [entry] : []))]
}

/** Whether a call has a parameter. One that is null counts as left out. */
export function isGiven(input: RawInput, parameter: string): boolean {
  if (input.kind === "typed")
    return Object.hasOwn(input.values, parameter) && input.values[parameter] !== null
  return input.parameters.some(({ name }) => name === parameter)
}

/** The items to record with a charge: each usage entry with the number of calls that used it. */
export function usesOf(counts: ReadonlyMap<string, number>): readonly ChargeItem[] {
  return [...counts].map(([api, calls]) => ({ api, calls, credits: 0 }))
}

/** Counts one more call that used the entries. */
export function countUses(counts: Map<string, number>, entries: Iterable<string>): void {
  for (const entry of entries) counts.set(entry, (counts.get(entry) ?? 0) + 1)
}

/** The deprecated items of a catalog, by usage entry, each with the sentence for its callers. */
export function deprecationsOf(apis: readonly ApiDefinition[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const { id, deprecation, input, output } of apis) {
    const add = (part: DeprecatedPart, schema: TSchema) => {
      const mark = deprecationOf(schema)
      if (mark) found.set(deprecatedEntry(id, part), deprecationText(mark))
    }
    if (deprecation) found.set(deprecatedEntry(id, "api"), deprecationText(deprecation))
    for (const [name, schema] of Object.entries(input.properties)) add(`parameter ${name}`, schema)
    forEachField(output, [], (path, schema) => add(`field ${path.join(".")}`, schema))
  }
  return found
}

type Visit = (path: readonly string[], schema: TSchema) => void

function forEachField(schema: TSchema, path: readonly string[], visit: Visit): void {
  const members: Readonly<Record<string, TSchema>> = schema.properties ?? {}
  for (const [name, member] of Object.entries(members)) {
    visit([...path, name], member)
    forEachField(member, [...path, name], visit)
  }
  const inner: readonly TSchema[] = [schema.items ?? [], schema.anyOf ?? []].flat()
  for (const one of inner) forEachField(one, path, visit)
}
