import { categories, categoryOf, toCategory } from "../apis/categories.ts"
import type { ApiDefinition } from "../apis/contract.ts"
import { ConfigError } from "../config/config-error.ts"
import type { Config } from "../config/load.ts"
import type { DataList } from "../values/data-list.ts"
import { nearestFirst } from "../values/nearest.ts"

/**
 * The APIs that an operator has chosen with `[catalog] include` and `exclude`, by id or category; `exclude` wins. What is not
 * chosen does not exist for any surface.
 * @throws ConfigError for a name that is neither, and for a choice that leaves nothing
 */
export function servedOf(
  definitions: readonly ApiDefinition[],
  { catalogInclude, catalogExclude }: Pick<Config, "catalogInclude" | "catalogExclude">,
): readonly ApiDefinition[] {
  const names = [...new Set([...categories, ...definitions.flatMap((api) => [categoryOf(api), api.id])])]
  const mistakes = Object.entries({ include: catalogInclude, exclude: catalogExclude }).flatMap(
    ([setting, chosen]) =>
      chosen
        .filter((name) => !names.includes(toCategory(name)))
        .map((name) => `'catalog.${setting}': ${mistakeOf(setting, name, names)}`),
  )
  if (mistakes.length > 0) throw new ConfigError(mistakes.join("\n"))
  const isIn = (api: ApiDefinition, chosen: readonly string[]) =>
    chosen.map(toCategory).some((name) => name === api.id || name === categoryOf(api))
  const served = definitions.filter(
    (api) => (catalogInclude.length === 0 || isIn(api, catalogInclude)) && !isIn(api, catalogExclude),
  )
  if (served.length > 0) return served
  throw new ConfigError("'catalog.include' and 'catalog.exclude' leave no API to serve.")
}

function mistakeOf(setting: string, name: string, names: readonly string[]): string {
  const parts = name.split(",").map((part) => part.trim())
  if (parts.length === 1)
    return `there is no API or category '${name}'. There are ${nearestFirst(name, names).join(", ")}.`
  const flags = parts.map((part) => `--catalog-${setting} ${toFlagText(part)}`).join(" ")
  return `'${name}' has several names. Repeat the option for each: ${flags}. In the file, write a list of strings.`
}

function toFlagText(name: string): string {
  return /\s/.test(name) ? `'${name}'` : name
}

/** The lists that APIs use, each once, in the order of the APIs. */
export function listsOf(apis: readonly ApiDefinition[]): readonly DataList[] {
  return [...new Map(apis.flatMap(({ lists = [] }) => lists).map((list) => [list.name, list])).values()]
}
