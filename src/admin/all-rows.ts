import type { Page } from "../store/admin-store.ts"

/** Entries that are read at once. */
const rowsAtOnce = 1_000

/** Reads all pages of a list. */
export async function readAllRows<Row>(
  read: (page: Page) => Promise<readonly Row[]>,
  place: (row: Row) => readonly (string | number)[],
  start: Page["after"] = null,
): Promise<readonly Row[]> {
  const found: Row[] = []
  for (let after = start; ; ) {
    const rows = await read({ limit: rowsAtOnce, after })
    found.push(...rows)
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsAtOnce) return found
    after = place(last)
  }
}
