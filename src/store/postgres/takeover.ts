import type { SchemaStep } from "../schema-step.ts"
import { StoreUnusable } from "../store.ts"
import functions from "./functions.sql" with { type: "text" }
import schema from "./schema.sql" with { type: "text" }
import changes from "./takeover.sql" with { type: "text" }

/** The version of the last builds before the first release. They kept it under another name. */
export const lastUnreleased = 10

/** Runs statements without parameters in the transaction under way. */
export type RunScript = <Row>(statements: string) => Promise<readonly Row[]>

/** Makes all tables and functions in the current schema. */
export async function makeTables(run: RunScript): Promise<void> {
  await runFunctions(run)
  await run(schema)
}

/** Makes or replaces the functions. Their bodies name tables that may not be there yet. */
export async function runFunctions(run: RunScript): Promise<void> {
  await run("SET LOCAL check_function_bodies = off")
  await run(functions)
}

/**
 * Makes the tables of a build before the first release those of version 1, in the transaction under way. Needs the right to
 * create a schema, in which it makes the tables to compare with.
 * @param steps lead from version 1 to the tables of this program; they are tried, and taken back
 * @throws StoreUnusable when they differ from what that build made; the caller must roll back
 */
export async function takeOver(run: RunScript, address: string, steps: readonly SchemaStep[]): Promise<void> {
  await run(`SAVEPOINT baseline`)
  await run("CREATE SCHEMA penknife_baseline; SET LOCAL search_path TO penknife_baseline")
  await makeTables(run)
  const expected = await describeTables(run)
  await run("ROLLBACK TO SAVEPOINT baseline")

  const build = `${address} was made by a build of penknife before version 0.1.0, and its tables`
  try {
    await runFunctions(run)
    await run(changes)
    await run("SAVEPOINT version_1")
    for (const { change, indexes = [] } of steps) {
      await run(change)
      for (const { name, on, isUnique = false } of indexes) {
        await run(`CREATE ${isUnique ? "UNIQUE " : ""}INDEX ${name} ON ${on}`)
      }
    }
  } catch (cause) {
    throw new StoreUnusable(`${build} could not be taken over: ${String(cause)}. ${advice}`, { cause })
  }
  const different = [...expected.symmetricDifference(await describeTables(run))]
  await run("ROLLBACK TO SAVEPOINT version_1")
  const names = [...new Set(different.map((line) => line.split(":")[0]))].sort()
  if (names.length > 0)
    throw new StoreUnusable(
      `${build} are not those that this build made: ${names.join(", ")} differ. ${advice}`,
    )
}

const advice = "Nothing was changed. Restore a backup, or name a new database."

/** All that makes up the tables of the current schema, as texts `name: details`. The order of columns does not matter. */
export async function describeTables(run: RunScript): Promise<ReadonlySet<string>> {
  const rows = await run<{ line: string }>(describe)
  return new Set(rows.map(({ line }) => line))
}

const isOwn = (oid: string) => `NOT EXISTS (SELECT FROM pg_depend WHERE objid = ${oid} AND deptype = 'e')`

const describe = `
  WITH here AS (SELECT oid, quote_ident(nspname) || '.' AS prefix FROM pg_namespace WHERE nspname = current_schema()),
  relations AS (SELECT c.*, prefix FROM pg_class c JOIN here ON relnamespace = here.oid WHERE ${isOwn("c.oid")}),
  lines (name, details) AS (
    SELECT relname::text, concat_ws(' ', relkind, relpersistence, reloptions::text) FROM relations
    UNION ALL SELECT relname || '.' || attname, concat_ws(' ', format_type(atttypid, atttypmod), collname, attnotnull,
        attgenerated, pg_get_expr(adbin, adrelid))
      FROM relations JOIN pg_attribute a ON attrelid = relations.oid AND attnum > 0 AND NOT attisdropped
        LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        LEFT JOIN pg_collation ON pg_collation.oid = attcollation
      WHERE relkind IN ('r', 'p', 'v')
    UNION ALL SELECT relname::text, replace(pg_get_indexdef(oid), prefix, '') FROM relations WHERE relkind = 'i'
    UNION ALL SELECT relname::text, pg_get_viewdef(oid) FROM relations WHERE relkind = 'v'
    -- PostgreSQL 18 lists NOT NULL here too, which the columns have. The names of checks follow from their order.
    UNION ALL SELECT relname::text, replace(pg_get_constraintdef(k.oid), prefix, '')
      FROM relations JOIN pg_constraint k ON conrelid = relations.oid WHERE contype <> 'n'
    UNION ALL SELECT tgname || ' on ' || relname, replace(pg_get_triggerdef(t.oid), prefix, '')
      FROM relations JOIN pg_trigger t ON tgrelid = relations.oid WHERE NOT tgisinternal
    UNION ALL SELECT proname || '()', concat_ws(' ', pg_get_function_identity_arguments(p.oid), pg_get_function_result(p.oid),
        lanname, provolatile, proparallel, proisstrict, prosecdef, proconfig::text, prosrc)
      FROM pg_proc p JOIN here ON pronamespace = here.oid JOIN pg_language l ON l.oid = prolang WHERE ${isOwn("p.oid")}
  )
  SELECT name || ': ' || details AS line FROM lines`
