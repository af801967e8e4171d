import { connect, type Socket } from "node:net"
import { gunzipSync } from "node:zlib"

/** A request whose bytes are sent as they are; `fetch` would correct some. */
export interface WireRequest {
  readonly method: string
  /** Path and query as they are sent, one byte per character. */
  readonly target: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Buffer | null
  /** Whether the body is sent in chunks, without its length. */
  readonly chunked: boolean
}

/** A connection that carries one request after another. */
export interface Wire {
  /** Rejects when the whole answer does not arrive in time. */
  send(request: WireRequest): Promise<Response>
  close(): void
}

const hangMs = 60_000
const bodiless = new Set([204, 304])

export function createWire(url: string): Wire {
  const { hostname, port } = new URL(url)
  let socket: Socket | null = null

  function open(): Socket {
    const opened = connect(Number(port), hostname)
    opened.setNoDelay(true)
    opened.setTimeout(hangMs)
    // A failed connection rejects the answer that is waited for.
    opened.on("error", () => opened.destroy())
    return opened
  }

  async function exchange(connection: Socket, request: WireRequest): Promise<Response | null> {
    const bytes = toBytes(request)
    const answer = await new Promise<{ response: Response; keep: boolean } | null>((resolve, reject) => {
      const reader = createReader(request.method === "HEAD")
      const onData = (piece: Buffer) => {
        try {
          const found = reader.push(piece)
          if (found) finish(() => resolve(found))
        } catch (thrown) {
          finish(() => reject(thrown))
        }
      }
      const onClose = () => finish(() => (reader.isEmpty() ? resolve(null) : reject(new Error("cut off"))))
      const onTimeout = () => finish(() => reject(new Error(`no answer in ${hangMs / 1000} s: it hangs`)))
      const finish = (end: () => void) => {
        connection.off("data", onData).off("close", onClose).off("timeout", onTimeout)
        end()
      }
      connection.on("data", onData).on("close", onClose).on("timeout", onTimeout)
      connection.write(bytes)
    })
    if (answer && !answer.keep) {
      connection.destroy()
      socket = null
    }
    return answer?.response ?? null
  }

  return {
    async send(request) {
      if (socket && !socket.destroyed) {
        // Null when the server closed the connection before it read the request.
        const response = await exchange(socket, request)
        if (response) return response
      }
      socket = open()
      const response = await exchange(socket, request)
      if (!response) throw new Error("the connection was closed without an answer")
      return response
    },
    close() {
      socket?.destroy()
    },
  }
}

export function toBytes({ method, target, headers, body, chunked }: WireRequest): Buffer {
  const framing: (readonly [string, string])[] =
    body === null
      ? []
      : chunked
        ? [["transfer-encoding", "chunked"]]
        : [["content-length", String(body.length)]]
  const lines = [...headers, ...framing].map(([name, value]) => `${name}: ${value}\r\n`).join("")
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines}\r\n`, "latin1")
  return body === null ? head : Buffer.concat([head, chunked ? inChunks(body) : body])
}

function inChunks(body: Buffer): Buffer {
  const pieces: Buffer[] = []
  for (let at = 0; at < body.length; at += 7_001) {
    const piece = body.subarray(at, at + 7_001)
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n"))
  }
  return Buffer.concat([...pieces, Buffer.from("0\r\n\r\n")])
}

/** Collects bytes until they are an answer (RFC 9112 §6). */
function createReader(isHead: boolean) {
  let gathered: Buffer = Buffer.alloc(0)
  return {
    isEmpty: () => gathered.length === 0,
    push(piece: Buffer): { response: Response; keep: boolean } | null {
      gathered = gathered.length === 0 ? piece : Buffer.concat([gathered, piece])
      return readAnswer(gathered, isHead)
    },
  }
}

function readAnswer(bytes: Buffer, isHead: boolean) {
  const end = bytes.indexOf("\r\n\r\n")
  if (end === -1) return null
  const [first = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n")
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1])
  if (!status) throw new Error(`this is no status line: ${first}`)
  if (status < 200) return readAnswer(bytes.subarray(end + 4), isHead)
  const headers = new Headers(lines.map((line) => line.split(/:\s*(.*)/s, 2) as [string, string]))
  const sent = readBody(bytes.subarray(end + 4), headers, isHead || bodiless.has(status))
  if (!sent) return null
  const keep = headers.get("connection")?.toLowerCase() !== "close"
  const isZipped = headers.get("content-encoding") === "gzip"
  const body = sent.length === 0 ? null : isZipped ? gunzipSync(sent) : sent
  return { response: new Response(body, { status, headers }), keep }
}

/** The body; null while some of it is missing. */
function readBody(bytes: Buffer, headers: Headers, isBodiless: boolean): Buffer | null {
  if (isBodiless) return Buffer.alloc(0)
  if (headers.get("transfer-encoding") === "chunked") return readChunks(bytes)
  const length = Number(headers.get("content-length") ?? 0)
  return bytes.length < length ? null : bytes.subarray(0, length)
}

function readChunks(bytes: Buffer): Buffer | null {
  const pieces: Buffer[] = []
  for (let at = 0; ; ) {
    const end = bytes.indexOf("\r\n", at)
    if (end === -1) return null
    const length = Number.parseInt(bytes.toString("latin1", at, end), 16)
    const next = end + 2 + length + 2
    if (bytes.length < next) return null
    if (length === 0) return Buffer.concat(pieces)
    pieces.push(bytes.subarray(end + 2, end + 2 + length))
    at = next
  }
}
