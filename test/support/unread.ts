import { connect } from "node:net"

/** Sends a request and reads nothing of its answer. */
export async function unread(url: string, path: string, body: unknown, key: string) {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) }).pause()
  const text = JSON.stringify(body)
  const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-type: application/json`
  let isClosed = false
  socket.on("error", () => {})
  socket.on("close", () => {
    isClosed = true
  })
  socket.write(`${head}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  return { socket, isClosed: () => isClosed }
}
