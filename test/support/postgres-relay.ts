import { connect, createServer, type Socket } from "node:net"

/**
 * Passes everything to the server of a URL, and can hold back what the server answers.
 * @param options `dropSettings` drops what a client sets when it connects, as PgBouncer with `ignore_startup_parameters` does
 */
export function createRelay(url: string, { dropSettings = false } = {}) {
  const { port: serverPort } = new URL(url)
  let release: (() => void) | null = null
  let released = Promise.resolve()
  const clients = new Set<Socket>()
  const server = createServer((client) => {
    clients.add(client)
    const target = connect(Number(serverPort), "127.0.0.1")
    target.on("error", () => client.destroy())
    client.on("error", () => target.destroy())
    client.on("close", () => {
      clients.delete(client)
      target.destroy()
    })
    client.on("data", (data) => target.write(dropSettings ? withoutSettings(Buffer.from(data)) : data))
    client.on("end", () => target.end())
    target.on("data", (data) => void released.then(() => client.write(data)))
    target.on("end", () => client.end())
  }).listen(0, "127.0.0.1")
  const address = server.address()
  const port = typeof address === "object" && address ? address.port : 0
  return {
    url: url.replace(`:${serverPort}/`, `:${port}/`),
    holdAnswers() {
      const held = Promise.withResolvers<void>()
      released = held.promise
      release = held.resolve
    },
    release: () => release?.(),
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const client of clients) client.destroy()
      await closed
    },
  }
}

/** Protocol 3.0, the second number of a startup message; every other message begins with a letter (PostgreSQL manual, 55.7). */
const startup = 196_608
const passedOn = ["user", "database", "application_name"]

/** A startup message with the parameters alone that PgBouncer passes on; anything else as it is. */
function withoutSettings(data: Buffer): Buffer {
  if (data.length < 8 || data.readInt32BE(4) !== startup) return data
  const texts = data.toString("latin1", 8, data.readInt32BE(0)).split("\0")
  const kept = texts.filter((_, index) => passedOn.includes(texts[index - (index % 2)] ?? ""))
  const parameters = Buffer.from(`${kept.join("\0")}\0\0`, "latin1")
  const head = Buffer.alloc(8)
  head.writeInt32BE(head.length + parameters.length, 0)
  head.writeInt32BE(startup, 4)
  return Buffer.concat([head, parameters])
}
