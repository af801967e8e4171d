import type { OpenExchange } from "./exchange.ts"

/**
 * Each query has a socket with a random port, which is half of what a forger has to guess (RFC 5452 §9.2). The socket is
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
  connect()
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
      fail()
    }
  }
}
