/** A program that moves one store to another, prints a line when half of the tables are written, and waits to be killed. */
import { systemClock } from "../../src/ports/clock.ts"
import { keepAliveTimer } from "../../src/ports/timer.ts"
import { moveTables } from "../../src/store/move-tables.ts"
import { isPostgresUrl } from "../../src/store/open.ts"
import { openPostgresTarget } from "../../src/store/postgres/postgres-move.ts"
import { openSqliteSource, openSqliteTarget } from "../../src/store/sqlite/sqlite-move.ts"

const [from = "", to = ""] = process.argv.slice(2)
const options = { timer: keepAliveTimer, clock: systemClock }
const source = openSqliteSource(from)
const target = isPostgresUrl(to) ? await openPostgresTarget(to, options) : openSqliteTarget(to)
for (const table of moveTables.slice(0, 4))
  for await (const rows of source.read(table)) await target.write(table, rows)
console.log("half")
// Until it is killed: its parent never writes.
for await (const _ of Bun.stdin.stream());
