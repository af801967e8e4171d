import { categories, categoryOf, toCategory } from "../apis/categories.ts"
import type { ApiDefinition } from "../apis/contract.ts"
import type { Config } from "../config/load.ts"
import { ConfigError } from "../config/setting-name.ts"
import type { DataList } from "../values/data-list.ts"
import { nearestFirst } from "../values/nearest.ts"

/**
 * The APIs that an operator has chosen with `[catalog] include` and `exclude`, by id or category; `exclude` wins. The others do
 * not exist for any surface.
 * @throws ConfigError for a name that is neither, and for a choice that leaves nothing
 */
export function servedOf(
  definitions: readonly ApiDefinition[],
  { catalogInclude, catalogExclude }: Pick<Config, "catalogInclude" | "catalogExclude">,
): readonly ApiDefinition[] {
  const mistakes = Object.entries({ include: catalogInclude, exclude: catalogExclude }).flatMap(
    ([setting, chosen]) => mistakesIn(`catalog.${setting}`, chosen, definitions),
  )
  if (mistakes.length > 0) throw new ConfigError(mistakes.join("\n"))
  const served = definitions.filter(
    (api) => (catalogInclude.length === 0 || isIn(api, catalogInclude)) && !isIn(api, catalogExclude),
  )
  if (served.length > 0) return served
  throw new ConfigError("'catalog.include' and 'catalog.exclude' leave no API to serve.")
}

/**
 * The APIs that a setting such as `try.apis` names, by id or category.
 * @throws ConfigError for a name that is neither
 */
function chosenOf(setting: string, chosen: readonly string[], definitions: readonly ApiDefinition[]) {
  const mistakes = mistakesIn(setting, chosen, definitions)
  if (mistakes.length > 0) throw new ConfigError(mistakes.join("\n"))
  return definitions.filter((api) => isIn(api, chosen))
}

function isIn(api: ApiDefinition, chosen: readonly string[]): boolean {
  return chosen.map(toCategory).some((name) => name === api.id || name === categoryOf(api))
}

function mistakesIn(setting: string, chosen: readonly string[], definitions: readonly ApiDefinition[]) {
  const names = [...new Set([...categories, ...definitions.flatMap((api) => [categoryOf(api), api.id])])]
  return chosen
    .filter((name) => !names.includes(toCategory(name)))
    .map((name) => `'${setting}': ${mistakeOf(setting, name, names)}`)
}

function mistakeOf(setting: string, name: string, names: readonly string[]): string {
  const parts = name.split(",").map((part) => part.trim())
  if (parts.length === 1)
    return `there is no API or category '${name}'. There are ${nearestFirst(name, names).join(", ")}.`
  const flags = parts.map((part) => `--${setting.replace(".", "-")} ${toFlagText(part)}`).join(" ")
  return `'${name}' has several names. Repeat the option for each: ${flags}. In the file, write a list of strings.`
}

function toFlagText(name: string): string {
  return /\s/.test(name) ? `'${name}'` : name
}

/** APIs that ask others cost more than a computation, so guests may call only this one of them unless the operator names more. */
const openToGuests: readonly string[] = ["mailaudit"]

/** The APIs that guests may call: those that the operator names, or those of the program that ask nobody else, and mailaudit. */
export function guestApis(
  { tryApis }: Pick<Config, "tryApis">,
  definitions: readonly ApiDefinition[],
  ownIds: readonly string[],
): readonly ApiDefinition[] {
  if (tryApis.length > 0) return chosenOf("try.apis", tryApis, definitions)
  return definitions.filter(
    ({ id, asksDns, asksWeb }) =>
      ownIds.includes(id) && ((!asksDns && !asksWeb) || openToGuests.includes(id)),
  )
}

/** The lists that APIs use, each once, in the order of the APIs. */
export function listsOf(apis: readonly ApiDefinition[]): readonly DataList[] {
  return [...new Map(apis.flatMap(({ lists = [] }) => lists).map((list) => [list.name, list])).values()]
}
