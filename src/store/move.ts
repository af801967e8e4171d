import { resolve } from "node:path"
import { withoutPassword } from "../values/text.ts"
import { type MoveSource, type MoveSums, type MoveTarget, moveTables } from "./move-tables.ts"
import { isPostgresUrl, requireStoreName } from "./open.ts"
import { openSqliteSource, openSqliteTarget } from "./sqlite/sqlite-move.ts"
import { StoreUnusable } from "./store.ts"
import type { MoveOptions } from "./store-options.ts"

/**
 * Copies everything but rate buckets and sign-ins from one store to another, empty one, all or nothing. Each may be a data file
 * or the URL of a PostgreSQL database. The first one keeps everything.
 * @returns the names, without passwords, and the sums
 * @throws StoreUnusable when a service works on one of them, or the second one is not empty
 * @throws StoreUnavailable when a store cannot do its work now
 */
export async function move(from: string, to: string, options: MoveOptions) {
  for (const db of [from, to]) requireMovable(db)
  if (nameOf(from) === nameOf(to))
    throw new StoreUnusable("--from and --to name the same store. Name another, empty one with --to.")
  await using source = await openSource(from, options)
  await using target = await openTarget(to, options)
  const moved = await copyRows(source, target)
  await target.commit()
  return { from: withoutPassword(from), to: withoutPassword(to), ...moved }
}

/**
 * Copies all rows, page by page, and compares sums. The caller commits.
 * @throws StoreUnusable when the sums differ, or a service began to work on the source
 */
export async function copyRows(source: MoveSource, target: MoveTarget): Promise<MoveSums> {
  for (const table of moveTables) {
    for await (const rows of source.read(table)) await target.write(table, rows)
  }
  const [expected, moved] = [await source.sums(), await target.sums()]
  const differing = Object.entries(expected).filter(([name, sum]) => moved[name as keyof MoveSums] !== sum)
  if (differing.length > 0) {
    const names = differing.map(([name]) => name).join(", ")
    throw new StoreUnusable(`What was written differs from what was read (${names}). Nothing was moved.`)
  }
  await source.requireUnused()
  return moved
}

async function openSource(db: string, options: MoveOptions): Promise<MoveSource> {
  if (!isPostgresUrl(db)) return openSqliteSource(db)
  return (await import("./postgres/postgres-move.ts")).openPostgresSource(db, options)
}

async function openTarget(db: string, options: MoveOptions): Promise<MoveTarget> {
  if (!isPostgresUrl(db)) return openSqliteTarget(db)
  return (await import("./postgres/postgres-move.ts")).openPostgresTarget(db, options)
}

function requireMovable(db: string): void {
  requireStoreName(db)
  if (db === ":memory:")
    throw new StoreUnusable("A store in memory ends with its process. Name a file or a URL.")
}

function nameOf(db: string): string {
  return isPostgresUrl(db) ? withoutPassword(db) : resolve(db)
}
