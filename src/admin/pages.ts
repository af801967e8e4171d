import type { Page } from "../store/admin-store.ts"
import { AdminFault } from "./fault.ts"

export interface PageInput {
  readonly limit?: number | undefined
  readonly after?: string | undefined
}

export interface Listed<T> {
  data: T[]
  has_more: boolean
  next: string | null
}

/**
 * Reads one page of a list. It asks for one row more than it gives, to know whether there are more.
 * @param place gives the columns that the list is sorted by, the id as the last one
 * @throws AdminFault for a cursor that no page gave
 */
export async function readPage<Row, T>(
  { limit = 100, after }: PageInput,
  read: (page: Page) => Promise<readonly Row[]>,
  place: (row: Row) => readonly (string | number)[],
  show: (row: Row) => T,
): Promise<Listed<T>> {
  const rows = await read({ limit: limit + 1, after: after === undefined ? null : readCursor(after) })
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const hasMore = rows.length > limit
  return {
    data: shown.map(show),
    has_more: hasMore,
    next: hasMore && last !== undefined ? toCursor(place(last)) : null,
  }
}

/**
 * Reads one page of a list whose store says where the next page begins.
 * @throws AdminFault for a cursor that no page gave
 */
export async function readPlacedPage<Row, T>(
  { limit = 100, after }: PageInput,
  read: (page: Page) => Promise<{ readonly rows: readonly Row[]; readonly next: Page["after"] }>,
  show: (row: Row) => T,
): Promise<Listed<T>> {
  const { rows, next } = await read({ limit, after: after === undefined ? null : readCursor(after) })
  return { data: rows.map(show), has_more: next !== null, next: next && toCursor(next) }
}

function toCursor(place: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(place)).toString("base64url")
}

function readCursor(text: string): readonly (string | number)[] {
  try {
    const place: unknown = JSON.parse(Buffer.from(text, "base64url").toString())
    if (isPlace(place) && toCursor(place) === text) return place
  } catch {
    // Not JSON: refused below like any other text.
  }
  throw new AdminFault("invalid", "The 'after' parameter must be the 'next' of the page before.", {
    parameter: "after",
  })
}

function isPlace(value: unknown): value is readonly (string | number)[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= 4 &&
    value.every((part) => typeof part === "string" || Number.isSafeInteger(part))
  )
}
