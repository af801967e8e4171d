/**
 * A program that runs a PostgreSQL server for tests and prints its URL. It crashes and restarts the server for each line that it
 * reads, prints a line when that is done, and stops the server when its standard input ends.
 */
import { startPostgres } from "./postgres.ts"

const server = await startPostgres()
console.log(server.url)
for await (const _ of console) {
  await server.crash()
  console.log("restarted")
}
await server.stop()
