import { KindGuard, type TSchema } from "@sinclair/typebox"
import type { Page } from "../store/admin-store.ts"
import { parseJson } from "../values/is-object.ts"
import { invalid } from "./fault.ts"

interface PageInput {
  readonly limit?: number | undefined
  readonly after?: string | undefined
}

/** The answer of a list: one page of it. */
export interface Listed<T> {
  data: T[]
  has_more: boolean
  next: string | null
}

/** The most entries that are counted. */
const mostCounted = 100_000

/** Adds how many entries all pages have, if that is asked for. */
export async function withTotal<T>(
  page: Listed<T>,
  isAsked: boolean | undefined,
  count: (most: number) => Promise<{ readonly count: number; readonly isExact: boolean }>,
): Promise<Listed<T> & { total?: { count: number; is_exact: boolean } }> {
  if (isAsked !== true) return page
  const total = await count(mostCounted)
  return { ...page, total: { count: total.count, is_exact: total.isExact } }
}

/**
 * Reads one page of a list. It reads one row more than it returns, to know whether there are more.
 * @param list the name of the list, which its cursors hold, so that no other list takes them
 * @param place returns the values of the columns that the list is sorted by, the id last
 * @throws AdminFault for a cursor that is not of this list
 */
export async function readPage<Row, T>(
  list: string,
  { limit = 100, after }: PageInput,
  read: (page: Page) => Promise<readonly Row[]>,
  place: (row: Row) => readonly (string | number)[],
  show: (row: Row) => T,
): Promise<Listed<T>> {
  const rows = await read({ limit: limit + 1, after: after === undefined ? null : readCursor(list, after) })
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const hasMore = rows.length > limit
  return {
    data: shown.map(show),
    has_more: hasMore,
    next: hasMore && last !== undefined ? toCursor(list, place(last)) : null,
  }
}

/**
 * Reads one page of a list whose store says where the next page begins.
 * @param list as in {@link readPage}
 * @throws AdminFault for a cursor that is not of this list
 */
export async function readPlacedPage<Row, T>(
  list: string,
  { limit = 100, after }: PageInput,
  read: (page: Page) => Promise<{ readonly rows: readonly Row[]; readonly next: Page["after"] }>,
  show: (row: Row) => T,
): Promise<Listed<T>> {
  const { rows, next } = await read({ limit, after: after === undefined ? null : readCursor(list, after) })
  return { data: rows.map(show), has_more: next !== null, next: next && toCursor(list, next) }
}

/** The answer of a list that is always whole. */
export function wholeList<T>(data: T[]): Listed<T> {
  return { data, has_more: false, next: null }
}

function toCursor(list: string, place: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify([list, ...place])).toString("base64url")
}

function readCursor(list: string, text: string): readonly (string | number)[] {
  const cursor = parseJson(Buffer.from(text, "base64url").toString())
  const [name, ...place] = Array.isArray(cursor) ? cursor : []
  if (name === list && isPlace(place) && toCursor(list, place) === text) return place
  throw invalid("after", "The 'after' parameter must be the 'next' of the page before, of this very list.")
}

function isPlace(parts: readonly unknown[]): parts is readonly (string | number)[] {
  return (
    parts.length > 0 &&
    parts.length <= 4 &&
    parts.every((part) => typeof part === "string" || Number.isSafeInteger(part))
  )
}

/** The schema of the entries of a list; null for another answer. */
export function itemOf(output: TSchema): TSchema | null {
  if (!KindGuard.IsObject(output) || !("has_more" in output.properties)) return null
  const { data } = output.properties
  return data && KindGuard.IsArray(data) ? data.items : null
}

/**
 * The columns of a list's table, in the order of the schema. Optional fields, such as the columns of usage, are included if the
 * first entry has them.
 */
export function listColumns(entry: TSchema, first: object | undefined): readonly string[] {
  if (!KindGuard.IsObject(entry)) return []
  const required = entry.required ?? []
  return Object.keys(entry.properties).filter(
    (name) => required.includes(name) || (first !== undefined && name in first),
  )
}

/** Entries that are read at once. */
const rowsAtOnce = 1_000

/** Reads all pages of a list whose newest rows come first, and returns them oldest first. */
export async function readAllRows<Row extends { readonly atMs: number; readonly id: string }>(
  read: (page: Page) => Promise<readonly Row[]>,
  start: Page["after"] = null,
): Promise<readonly Row[]> {
  const found: Row[] = []
  for (let after = start; ; ) {
    const rows = await read({ limit: rowsAtOnce, after })
    found.push(...rows)
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsAtOnce) return found.toReversed()
    after = [last.atMs, last.id]
  }
}
