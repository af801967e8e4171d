/** A process that passes the bytes of one port on to another port of loopback, until it ends: `bun proxy.ts FROM TO`. */
import { connect, createServer } from "node:net"

const [from, to] = process.argv.slice(2).map(Number)
if (!from || !to) throw new Error("two ports are needed")

createServer({ noDelay: true }, (client) => {
  const target = connect({ port: to, host: "127.0.0.1", noDelay: true })
  client.on("error", () => target.destroy())
  target.on("error", () => client.destroy())
  client.on("close", () => target.destroy())
  target.on("close", () => client.destroy())
  client.pipe(target).pipe(client)
}).listen(from, "127.0.0.1", () => console.log("ready"))
