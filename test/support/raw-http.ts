import { connect } from "node:net"
import { connect as connectTls } from "node:tls"

/** Sends bytes as they are, and returns the answer once the server has closed the connection. */
export function converse(url: string, text: string): Promise<string> {
  const { written, finish } = slowly(url, text)
  return written.then(() => finish(""))
}

/** A client that sends the first part now, and the rest when the test says so. */
export function slowly(url: string, first: string) {
  const { protocol, hostname, port } = new URL(url)
  const socket =
    protocol === "https:"
      ? // The tests' own certificate.
        connectTls({ host: hostname, port: Number(port), rejectUnauthorized: false })
      : connect(Number(port), hostname)
  let answer = ""
  socket.on("data", (chunk) => {
    answer += chunk.toString("latin1")
  })
  const closed = new Promise<string>((resolve, reject) => {
    socket.on("close", () => resolve(answer))
    socket.on("error", reject)
  })
  return {
    /** Resolves once the first part has left. */
    written: new Promise<void>((resolve) => socket.write(first, () => resolve())),
    /** Sends the rest, and returns the answer once the server has closed the connection. */
    finish(rest: string): Promise<string> {
      if (rest !== "") socket.write(rest)
      return closed
    },
    /** The part of the answer that has come so far. */
    answer: () => answer,
    /** The answer, once the server has closed the connection. */
    closed,
    socket,
  }
}
