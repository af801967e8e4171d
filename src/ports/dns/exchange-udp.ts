import { createSocket } from "node:dgram"
import type { OpenExchange } from "./exchange.ts"

/**
 * Over UDP, each query from a socket of its own: its random port is half of what a forger has to guess (RFC 5452
 * §9.2). The socket is connected, so the kernel drops what comes from any other address and reports a closed port.
 */
export const openUdpExchange: OpenExchange = (server, query, listener) => {
  let open = true
  let isConnected = false
  const socket = createSocket(server.family === 6 ? "udp6" : "udp4")
  const close = () => {
    if (!open) return
    open = false
    socket.close()
  }
  const fail = () => {
    if (!open) return
    close()
    listener.broken()
  }
  const send = () => {
    if (open && isConnected) socket.send(query)
  }
  socket.on("error", fail)
  socket.on("message", (message) => {
    if (open) listener.message(message)
  })
  // On failure the callback is called with the error, which the published types leave out.
  const onConnect = (error?: Error | null) => {
    if (error) return fail()
    isConnected = true
    send()
  }
  try {
    socket.connect(server.port, server.host, onConnect)
  } catch {
    queueMicrotask(fail)
  }
  return { resend: send, close }
}
