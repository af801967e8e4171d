/** The categories of the catalog, in the order in which they are shown. Each API of the catalog has one of them. */
export const categories = ["mail", "identity", "data", "time and place", "text"] as const

/** The part of an API's definition that places it in a category. */
interface Categorized {
  readonly category?: string
}

/** The APIs of one category. */
interface CategoryOf<Api> {
  /** The form in which categories are compared, see {@link toCategory}. */
  readonly name: string
  /** With a capital letter, for people. */
  readonly heading: string
  /** The id of its heading in a page. */
  readonly anchor: string
  readonly apis: readonly Api[]
}

/** The category of the APIs that name none. */
const others = "others"

/** A category as it is compared: `Time-and-place` and `time and place` are the same one. */
export function toCategory(text: string): string {
  return (
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join(" ") ?? others
  )
}

/** The category of an API, as it is compared. */
export function categoryOf({ category = others }: Categorized): string {
  return toCategory(category)
}

/**
 * The APIs by category: first the categories of the catalog, then those that only own APIs have, in the order of the APIs, and
 * last those without one.
 */
export function byCategory<Api extends { readonly definition: Categorized }>(
  apis: readonly Api[],
): readonly CategoryOf<Api>[] {
  const members = Map.groupBy(apis, ({ definition }) => categoryOf(definition))
  const names = new Set<string>([...categories, ...members.keys()])
  names.delete(others)
  return [...names, others].flatMap((name) => {
    const found = members.get(name)
    const text = found?.[0]?.definition.category?.trim() ?? name
    const heading = text.charAt(0).toUpperCase() + text.slice(1)
    return found ? [{ name, heading, anchor: `category-${name.replaceAll(" ", "-")}`, apis: found }] : []
  })
}
