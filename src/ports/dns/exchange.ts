import { connect } from "node:net"
import type { ServerAddress } from "./server-address.ts"

/** Takes what comes back for one query. Nothing comes after `close`. */
export interface Listener {
  /** One whole message from the server's address, valid or not. There may be several. */
  message(message: Buffer): void
  /** The server cannot be reached or has ended the connection. No message follows. */
  broken(): void
}

/** One query on its way. */
export interface Exchange {
  /** Sends the same query once more, unless the transport repeats it by itself. */
  resend(): void
  close(): void
}

/** Sends one query and listens until it is closed. Never throws, and calls `listener` only after it has returned. */
type OpenExchange = (server: ServerAddress, query: Buffer, listener: Listener) => Exchange

/**
 * Each query has a socket with a random port, which a forger must guess besides the query's id (RFC 5452 §9.2). The socket is
 * connected, so that the kernel drops messages from other addresses and reports a closed port.
 */
export const openUdpExchange: OpenExchange = (server, query, listener) => {
  let isOpen = true
  let socket: Bun.udp.ConnectedSocket<"buffer"> | null = null
  const close = () => {
    isOpen = false
    socket?.close()
    socket = null
  }
  const fail = () => {
    if (!isOpen) return
    close()
    listener.broken()
  }
  const send = () => {
    try {
      socket?.send(query)
    } catch {
      fail()
    }
  }
  void connect()
  return { resend: send, close }

  async function connect(): Promise<void> {
    try {
      const connected = await Bun.udpSocket({
        // Bun binds to IPv4 by default, and such a socket cannot be connected to an IPv6 address.
        hostname: server.family === 6 ? "::" : "0.0.0.0",
        connect: { hostname: server.host, port: server.port },
        socket: {
          data: (_socket, message) => {
            if (isOpen) listener.message(message)
          },
          error: fail,
        },
      })
      if (!isOpen) return connected.close()
      socket = connected
      send()
    } catch {
      // It fails at once without a network or a free descriptor, when the caller has no exchange yet.
      await undefined
      fail()
    }
  }
}

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
