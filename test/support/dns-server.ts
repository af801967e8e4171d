import { createSocket, type RemoteInfo, type Socket as UdpSocket } from "node:dgram"
import { once } from "node:events"
import { createServer, type Server, type Socket } from "node:net"
import { a, txt } from "dns-packet"
import type { DnsZone } from "../../src/apis/contract.ts"
import { createFrameReader } from "../../src/ports/dns/exchange.ts"
import {
  type DnsQuery,
  encodeReply,
  type ReplyOptions,
  type ReplyParts,
  readQuery,
  toRecord,
  toReply,
  toServedZone,
  toWire,
} from "./dns-reply.ts"

/** How a test's server misbehaves. */
export interface DnsServerOptions extends Partial<ReplyOptions> {
  /** Where it listens; the port of the other transport is closed. Both by default. */
  readonly transports?: "both" | "udp" | "tcp"
  /** The port of an earlier server; by default a free one. */
  readonly port?: number
  /** Over UDP, cuts every answer after its first record, with TC set. */
  readonly truncate?: boolean
  /** Ignores the first UDP copy of each question. */
  readonly dropFirst?: boolean
  /** Sends a forged answer first: with another id, for another question, or from another port. */
  readonly spoof?: "id" | "question" | "source"
  /** Sends a datagram first that is no DNS message. */
  readonly garbageFirst?: boolean
  /** Sends an answer over UDP when the test wants it sent. */
  readonly delay?: (send: () => void) => void
  readonly tcp?: "close at once" | "close early" | "byte by byte" | "silent"
  /** Answers in place of the zone; null is silence. */
  readonly answer?: (query: DnsQuery) => ReplyParts | null
  /** The datagrams to send instead of the reply. */
  readonly rewrite?: (reply: Buffer, query: DnsQuery) => readonly Buffer[]
}

export interface TestDnsServer {
  /** `127.0.0.1:PORT`, for `--dns-server`. */
  readonly address: string
  readonly port: number
  /** Every query received, also without an answer. */
  readonly queries: ReadonlyArray<{
    readonly name: string
    readonly type: string
    readonly transport: "udp" | "tcp"
  }>
  /** UDP ports that queries came from. */
  readonly clientPorts: ReadonlySet<number>
  setZone(zone: DnsZone): void
  stop(): Promise<void>
}

const host = "127.0.0.1"
/** The address in every forged answer. */
export const forgedAddress = "6.6.6.6"

/** Starts a DNS server of `zone` on loopback, on one port for UDP and TCP. */
export async function startDnsServer(zone: DnsZone, options: DnsServerOptions = {}): Promise<TestDnsServer> {
  const queries: TestDnsServer["queries"][number][] = []
  const served = { zone: toServedZone(zone) }
  const clientPorts = new Set<number>()
  const seen = new Set<string>()
  const connections = new Set<Socket>()
  const { udp, tcp, other, port } = await bindBoth(options.port)
  const replyOptions: ReplyOptions = {
    ttlSeconds: options.ttlSeconds ?? 60,
    negativeTtlSeconds: options.negativeTtlSeconds === undefined ? 60 : options.negativeTtlSeconds,
    aliasOnly: options.aliasOnly ?? false,
    refuseEdns: options.refuseEdns ?? false,
  }

  function answer(message: Buffer, transport: "udp" | "tcp"): { reply: Buffer; query: DnsQuery } | null {
    const query = readQuery(message)
    queries.push({ name: query.name, type: query.type, transport })
    const key = `${query.name} ${query.type}`
    const isFirst = !seen.has(key)
    seen.add(key)
    if (transport === "udp" && options.dropFirst && isFirst) return null
    const parts = options.answer ? options.answer(query) : toReply(served.zone, query, replyOptions)
    if (!parts) return null
    const edns = query.ednsSize !== null
    const whole = encodeReply(parts, edns)
    const isCut = options.truncate ? parts.answers.length > 0 : whole.length > (query.ednsSize ?? 512)
    if (transport === "tcp" || !isCut) return { reply: whole, query }
    const cut = { ...parts, truncated: true, answers: parts.answers.slice(0, 1), authority: [] }
    return { reply: encodeReply(cut, edns), query }
  }

  function onDatagram(message: Buffer, peer: RemoteInfo): void {
    clientPorts.add(peer.port)
    const found = answer(message, "udp")
    if (!found) return
    const sends = (options.rewrite?.(found.reply, found.query) ?? [found.reply]).map((data) => ({
      data,
      from: udp,
    }))
    if (options.garbageFirst) sends.unshift({ data: Buffer.from("garbage"), from: udp })
    if (options.spoof)
      sends.unshift({
        data: forge(found.query, options.spoof),
        from: options.spoof === "source" ? other : udp,
      })
    if (options.delay) options.delay(() => sendInTurn(sends, peer))
    else sendInTurn(sends, peer)
  }

  function onConnection(socket: Socket): void {
    connections.add(socket)
    socket.on("close", () => connections.delete(socket))
    socket.on("error", () => socket.destroy())
    if (options.tcp === "close at once") {
      socket.destroy()
      return
    }
    const frames = createFrameReader()
    socket.on("data", (chunk: Buffer) => {
      for (const message of frames.push(chunk)) {
        const reply = answer(message, "tcp")?.reply
        if (reply && options.tcp !== "silent") writeReply(socket, reply, options.tcp)
      }
    })
  }

  udp.on("message", onDatagram)
  tcp.on("connection", onConnection)
  const unused: (UdpSocket | Server)[] = { both: [], udp: [tcp], tcp: [udp] }[options.transports ?? "both"]
  await Promise.all(unused.map(closed))
  let stopped: Promise<void> | undefined
  async function stop(): Promise<void> {
    for (const connection of connections) connection.destroy()
    await Promise.all([udp, tcp, other].filter((socket) => !unused.includes(socket)).map(closed))
  }

  return {
    address: `${host}:${port}`,
    port,
    queries,
    clientPorts,
    setZone(next) {
      served.zone = toServedZone(next)
    },
    stop() {
      stopped ??= stop()
      return stopped
    },
  }
}

interface Datagram {
  readonly data: Buffer
  readonly from: UdpSocket
}

/** Sends one after the other, so that they arrive in this order. */
function sendInTurn([first, ...others]: readonly Datagram[], peer: RemoteInfo): void {
  first?.from.send(first.data, peer.port, peer.address, () => sendInTurn(others, peer))
}

function forge(query: DnsQuery, what: "id" | "question" | "source"): Buffer {
  const question = what === "question" ? toWire("evil.example") : query.question.subarray(0, -4)
  const pointer = Buffer.from([0xc0, 12])
  const answers =
    query.type === "TXT"
      ? [toRecord(pointer, 16, 600, txt.encode([Buffer.from("v=spf1 +all")]))]
      : [toRecord(pointer, 1, 600, a.encode(forgedAddress))]
  return encodeReply(
    {
      id: what === "id" ? query.id ^ 0x5555 : query.id,
      question: Buffer.concat([question, query.question.subarray(-4)]),
      rcode: 0,
      truncated: false,
      answers,
      authority: [],
    },
    query.ednsSize !== null,
  )
}

function writeReply(socket: Socket, reply: Buffer, manner: DnsServerOptions["tcp"]): void {
  const framed = Buffer.concat([Buffer.from([reply.length >> 8, reply.length & 0xff]), reply])
  if (manner === "close early") socket.end(framed.subarray(0, framed.length - 1))
  else if (manner === "byte by byte") writeBytes(socket, framed)
  else socket.write(framed)
}

/** Writes each byte in a separate turn of the event loop, so that the reader gets pieces. */
function writeBytes(socket: Socket, bytes: Buffer): void {
  if (bytes.length === 0 || socket.destroyed) return
  socket.write(bytes.subarray(0, 1), () => setImmediate(writeBytes, socket, bytes.subarray(1)))
}

/** Binds one port for both. Tries again when another process has the port on the other transport. */
export async function bindBoth(wanted = 0) {
  const other = await boundUdp(0)
  for (;;) {
    const tcp = createServer({ noDelay: true })
    tcp.listen(wanted, host)
    await once(tcp, "listening")
    const address = tcp.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    try {
      return { udp: await boundUdp(port), tcp, other, port }
    } catch {
      await closed(tcp)
    }
  }
}

async function boundUdp(port: number): Promise<UdpSocket> {
  const socket = createSocket("udp4")
  socket.bind(port, host)
  await once(socket, "listening")
  // The system reports a datagram to a client that has closed its port.
  socket.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "ECONNREFUSED") throw error
  })
  return socket
}

const closed = (socket: UdpSocket | Server): Promise<void> =>
  new Promise((resolve) => socket.close(() => resolve()))
