/** A DNS server that plays tricks, over UDP and TCP on loopback. The label before `test` in a name is the trick. */
import type { RemoteInfo } from "node:dgram"
import type { Socket } from "node:net"
import { createFrameReader } from "../../src/ports/dns/exchange.ts"
import { type DnsQuery, readQuery } from "./dns-reply.ts"
import { bindBoth } from "./dns-server.ts"
import { encode, hostileModes, type Mode } from "./hostile-modes.ts"
import { signedParts } from "./hostile-zones.ts"

const host = "127.0.0.1"

interface HostileDns {
  /** `127.0.0.1:PORT`, for `--dns-server`. */
  readonly address: string
  readonly port: number
  /** How many queries each trick got. */
  readonly queries: ReadonlyMap<string, number>
  stop(): Promise<void>
}

/** Starts the server. */
export async function startHostileDns(): Promise<HostileDns> {
  const queries = new Map<string, number>()
  const sockets = new Set<Socket>()
  const { udp, tcp, other, port } = await bindBoth()
  // Some tricks cannot be sent.
  for (const socket of [udp, other]) socket.removeAllListeners("error").on("error", () => {})

  function messagesFor(message: Buffer, transport: "udp" | "tcp") {
    const query = readQuery(message)
    const name = modeOf(query)
    queries.set(name, (queries.get(name) ?? 0) + 1)
    const mode: Mode = hostileModes[name] ?? plain
    return { messages: mode.reply(query, transport), mode }
  }

  udp.on("message", (message: Buffer, peer: RemoteInfo) => {
    const { messages, mode } = messagesFor(message, "udp")
    const from = mode.fromElsewhere ? other : udp
    for (const one of messages.map(cut)) from.send(one, peer.port, peer.address)
  })
  tcp.on("connection", (socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => socket.destroy())
    const frames = createFrameReader()
    socket.on("data", (chunk: Buffer) => {
      for (const frame of frames.push(chunk)) {
        const { messages, mode } = messagesFor(frame, "tcp")
        if (mode.closesTcp) socket.destroy()
        else for (const one of messages) writeFrame(socket, one, mode)
      }
    })
  })
  return {
    address: `${host}:${port}`,
    port,
    queries,
    async stop() {
      for (const socket of sockets) socket.destroy()
      const closed = [udp, other, tcp].map(
        (one) => new Promise<void>((resolve) => one.close(() => resolve())),
      )
      await Promise.all(closed)
    },
  }
}

/** Names that no trick has: signed where the zones have something, and without records elsewhere. */
const plain: Mode = { what: "ordinary", reply: (query) => [encode(query, signedParts(query))] }

/** The trick that a query is for: 10.0.NUMBER.x in reverse names, or the label before `test`. */
function modeOf({ name }: Pick<DnsQuery, "name">): string {
  const reverse = /(?:^|\.)(\d+)\.0\.10\.in-addr\.arpa$/.exec(name)
  if (reverse) return Object.keys(hostileModes)[Number(reverse[1])] ?? ""
  return /(?:^|\.)([a-z\d-]+)\.test$/.exec(name)?.[1] ?? ""
}

/** A datagram holds so much. */
const cut = (message: Buffer): Buffer => message.subarray(0, 65_507)

function writeFrame(socket: Socket, message: Buffer, { cutsTcp = false }: Mode): void {
  const whole = message.subarray(0, 65_535)
  const frame = Buffer.concat([Buffer.from([whole.length >> 8, whole.length & 255]), whole])
  if (cutsTcp) socket.end(frame.subarray(0, frame.length - 1))
  else socket.write(frame)
}
