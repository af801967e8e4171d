import { connect } from "node:net"

/**
 * Sends a request and reads nothing of its answer.
 * @param line method and path
 */
export function unread(url: string, line: string, headers: Readonly<Record<string, string>>, body = "") {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) }).pause()
  const sent = { host: "x", ...headers, ...(body && { "content-length": `${Buffer.byteLength(body)}` }) }
  const head = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`)
  let isClosed = false
  socket.on("error", () => {})
  socket.on("close", () => {
    isClosed = true
  })
  socket.write(`${line} HTTP/1.1\r\n${head.join("")}\r\n${body}`)
  /** Resolves when the beginning of the answer is there. */
  const answered = new Promise((resolve) => socket.once("readable", resolve))
  return { socket, answered, isClosed: () => isClosed }
}

/** {@link unread} for a call with a JSON body. */
export function unreadCall(url: string, path: string, body: unknown, key: string) {
  const headers = { "x-api-key": key, "content-type": "application/json" }
  return unread(url, `POST ${path}`, headers, JSON.stringify(body))
}
