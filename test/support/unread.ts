import { readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"

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

/**
 * The bytes that the other end of a connection of this machine has sent, and that lie in the buffers of the system. Linux only.
 */
export function bytesInSystem({ localPort, remotePort }: Socket): number {
  const portIn = (address = "") => Number.parseInt(address.split(":")[1] ?? "", 16)
  let bytes = 0
  // Linux, proc_pid_net(5): number, local and remote address, state, and the queues of bytes to send and to read.
  for (const line of readFileSync("/proc/net/tcp", "latin1").split("\n").slice(1)) {
    const [, local, remote, , queues = ""] = line.trim().split(/\s+/)
    const [toSend = 0, toRead = 0] = queues.split(":").map((digits) => Number.parseInt(digits, 16))
    const ports = `${portIn(local)} ${portIn(remote)}`
    if (ports === `${remotePort} ${localPort}`) bytes += toSend
    if (ports === `${localPort} ${remotePort}`) bytes += toRead
  }
  return bytes
}
