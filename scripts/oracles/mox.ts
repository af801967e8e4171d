/** Tables of records that mox, a mail server in Go, takes or refuses. */
export { suites } from "./suites/mox.ts"
