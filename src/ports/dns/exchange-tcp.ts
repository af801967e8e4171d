import { connect } from "node:net"
import type { OpenExchange } from "./exchange.ts"

const prefixBytes = 2

/**
 * One connection per query, with two bytes of length before each message (RFC 1035 §4.2.2). `Bun.connect` cannot be
 * cancelled before it is connected: each query to a silent server would hold a socket for minutes.
 */
export const openTcpExchange: OpenExchange = (server, query, listener) => {
  let open = true
  const frames = createFrameReader()
  const socket = connect({ host: server.host, port: server.port, noDelay: true })
  const close = () => {
    open = false
    socket.destroy()
  }
  const fail = () => {
    if (!open) return
    close()
    listener.broken()
  }
  socket.on("error", fail)
  socket.on("close", fail)
  socket.on("connect", () => {
    const prefix = Buffer.alloc(prefixBytes)
    prefix.writeUInt16BE(query.length)
    // In one piece: some servers read the length and the message with one call each (RFC 7766 §8).
    if (open) socket.write(Buffer.concat([prefix, query]))
  })
  socket.on("data", (chunk: Buffer) => {
    for (const message of frames.push(chunk)) {
      if (open) listener.message(message)
    }
  })
  return { resend() {}, close }
}

/** Joins pieces of any size to messages. Keeps at most one unfinished message, so never more than 64 KiB. */
export function createFrameReader(): { push(chunk: Buffer): readonly Buffer[] } {
  let pieces: Buffer[] = []
  let buffered = 0
  let wanted = prefixBytes
  return {
    push(chunk) {
      const messages: Buffer[] = []
      pieces.push(chunk)
      buffered += chunk.length
      while (buffered >= wanted) {
        const [first] = pieces
        // Many small messages in one piece are not copied again for each of them.
        const bytes = first && pieces.length === 1 ? first : Buffer.concat(pieces)
        const end = prefixBytes + bytes.readUInt16BE(0)
        if (bytes.length < end) {
          pieces = [bytes]
          wanted = end
          break
        }
        messages.push(bytes.subarray(prefixBytes, end))
        pieces = [bytes.subarray(end)]
        buffered -= end
        wanted = prefixBytes
      }
      return messages
    },
  }
}
