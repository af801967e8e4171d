import type { Socket } from "node:net"

/** Sends a text again and again, as fast as it is read, and closes the connection after 64 MB. */
export function sendEndlessly(socket: Socket, piece: string): void {
  const chunk = piece.repeat(32_768 / piece.length)
  let left = 64_000_000
  const send = () => {
    while (left > 0) {
      left -= chunk.length
      if (!socket.write(chunk)) return
    }
    socket.end()
  }
  socket.on("drain", send)
  send()
}

/** May come before the status of an answer: interim answers (RFC 9110 §15.2), and blank lines, which clients skip. */
export const beforeStatus = [
  "HTTP/1.1 100 Continue\r\n\r\n",
  "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
  "\r\n",
] as const
