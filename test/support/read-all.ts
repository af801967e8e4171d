import type { Page } from "../../src/store/admin-store.ts"

/**
 * Reads a whole list by pages.
 * @param placeOf the place of a row in the list, after which the next page begins
 */
export async function readAll<Row>(
  read: (page: Page) => Promise<readonly Row[]>,
  placeOf: (row: Row) => readonly (string | number)[],
  limit: number,
): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (let after: Page["after"] = null; ; ) {
    const page = await read({ limit, after })
    if (page.length > limit) throw new Error(`a page of ${limit} rows has ${page.length}`)
    rows.push(...page)
    const last = page.at(-1)
    if (last === undefined) return rows
    after = placeOf(last)
  }
}
