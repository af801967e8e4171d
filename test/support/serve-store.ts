/** A program that opens a data file as a server does, prints a line, and keeps it open until its standard input ends. */
import { keepAliveTimer } from "../../src/ports/timer.ts"
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite.ts"

const { store } = openSqliteStore(process.argv[2] ?? "", {
  timer: keepAliveTimer,
  serving: { onChange() {} },
})
console.log("open")
for await (const _ of Bun.stdin.stream()) {
  // Nothing is expected.
}
await store.close()
