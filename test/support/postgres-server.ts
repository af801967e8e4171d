/**
 * A program that runs a PostgreSQL server for tests and prints its URL. It crashes and restarts the server for each line `crash`,
 * prints a line when that is done, and stops the server when its standard input ends.
 */
import { startPostgres } from "./postgres.ts"

const server = await startPostgres()
console.log(server.url)
for await (const line of console) {
  // After other lines, Bun 1.4.5 gives the end of the input as an empty one.
  if (line !== "crash") continue
  await server.crash()
  console.log("restarted")
}
await server.stop()
