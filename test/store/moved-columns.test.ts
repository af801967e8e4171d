/** A move names the tables and columns that it takes along. One that is missing there would be lost without a word. */
import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { SQL } from "bun"
import { moveTables } from "../../src/store/move-tables.ts"
import { isPostgresUrl } from "../../src/store/open.ts"
import { openAnyStore, useStoreKinds } from "../support/any-store.ts"
import { closeAndWait } from "../support/move.ts"

/** Why these tables and columns stay behind. */
const leftOut: Readonly<Record<string, string>> = {
  email_link_tokens: "a copy must not sign anyone in",
  email_links: "a copy must not sign anyone in",
  history_writers: "no process writes to both stores",
  "ledger.allowance": "the next charge sets it",
  "ledger.charges": "counts the changes of the row",
  "ledger.number": "the new store counts it",
  "ledger.revision": "counts the changes of the row",
  "mails.number": "the new store counts it",
  "notices.number": "the new store counts it",
  passkey_challenges: "a copy must not sign anyone in",
  rates: "full again within a minute",
  sessions: "a copy must not sign anyone in",
  sign_in_links: "a copy must not sign anyone in",
  usage_changes: "part of the sums below",
  usage_set_aside: "missing in the sums below, which are made anew",
  usage_sums: "the new store adds them up",
  usage_totals: "the new store adds them up",
}

const isLeftOut = (column: string) => [column, column.split(".")[0] ?? ""].some((name) => name in leftOut)

test.each(useStoreKinds())("$name: each column of each table is moved, or has a reason", async (kind) => {
  const db = await kind.create()
  const { store } = await openAnyStore(db)
  await closeAndWait(store, db)
  const columns = await (isPostgresUrl(db) ? columnsOfDatabase(db) : columnsOfFile(db))
  const moved = moveTables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column}`))
  expect(moved.toSorted()).toEqual(columns.filter((column) => !isLeftOut(column)).toSorted())
})

/** All but generated ones, as `table.column`. */
function columnsOfFile(file: string): readonly string[] {
  using database = new Database(file, { readonly: true })
  return database
    .query<{ name: string }, []>(
      `SELECT tables.name || '.' || columns.name AS name
       FROM sqlite_schema AS tables JOIN pragma_table_xinfo(tables.name) AS columns
       WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite!_%' ESCAPE '!' AND hidden = 0`,
    )
    .all()
    .map(({ name }) => name)
}

async function columnsOfDatabase(url: string): Promise<readonly string[]> {
  await using sql = new SQL(url)
  const rows: readonly { readonly name: string }[] = await sql`
    SELECT table_name || '.' || column_name AS name
    FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema = current_schema AND table_type = 'BASE TABLE' AND is_generated = 'NEVER'`
  return rows.map(({ name }) => name)
}
