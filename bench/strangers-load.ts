/**
 * Clients without a key that open a new connection for each request: `bun bench/strangers-load.ts URL CLIENTS SECONDS`, with the
 * bytes of the request on standard input. A process of its own, so that the waits of others can be measured beside it.
 */
import { connect } from "node:net"

const [url = "", clients = "", seconds = ""] = process.argv.slice(2)
const { hostname, port } = new URL(url)
const bytes = await Bun.stdin.bytes()
let answers = 0
let isOver = false

function open(): void {
  const socket = connect(Number(port), hostname, () => socket.write(bytes))
  socket.once("data", () => {
    answers++
    socket.destroy()
  })
  // A refused connection is opened again, too.
  socket.on("error", () => {})
  socket.on("close", () => {
    if (!isOver) open()
  })
}

for (let client = 0; client < Number(clients); client++) open()
await Bun.sleep(Number(seconds) * 1_000)
isOver = true
process.stdout.write(`${answers}\n`)
process.exit(0)
