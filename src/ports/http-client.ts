import type { Timer } from "../apis/contract.ts"
import { messageOf } from "../values/message-of.ts"

/** One request to a server that the user has named. */
export interface HttpRequest {
  readonly method: string
  /** `http:` or `https:`. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** Time for the whole answer. Milliseconds. */
  readonly limitMs: number
}

/** An answer, read to its end. */
export type HttpReply = { readonly status: number; readonly headers: Headers; readonly text: string }

/**
 * Why there is no answer. `refused`: nothing listens there. `unknown-host`: the name has no address. `untrusted`: the certificate
 * is not accepted. `not-tls`: the server does not speak TLS. `broken`: the connection ended early. `timeout`: no answer in time.
 */
export type HttpFailureKind = "refused" | "unknown-host" | "untrusted" | "not-tls" | "broken" | "timeout"

/** Thrown if there is no answer, with the system's message. */
export class HttpFailure extends Error {
  override readonly name = "HttpFailure"
  readonly kind: HttpFailureKind
  constructor(kind: HttpFailureKind, message: string, cause: unknown) {
    super(message, { cause })
    this.kind = kind
  }
}

/**
 * Reads the pieces of an {@link HttpClient.open} as one text.
 * @throws Error if there are more than `mostBytes`
 */
export async function textOf(pieces: AsyncIterable<Uint8Array>, mostBytes = Number.POSITIVE_INFINITY) {
  const read: Uint8Array[] = []
  let bytes = 0
  for await (const piece of pieces) {
    bytes += piece.byteLength
    if (bytes > mostBytes) throw new Error(`the answer has more than ${mostBytes} bytes`)
    read.push(piece)
  }
  return Buffer.concat(read).toString()
}

/** Outbound HTTP for commands. */
export type HttpClient = ReturnType<typeof createHttpClient>

/** The runtime's client. It trusts the system's certificates, and those that NODE_EXTRA_CA_CERTS names. */
export function createHttpClient(timer: Timer) {
  return {
    /**
     * Sends one request. Follows no redirects, since they would carry the key elsewhere.
     * @throws HttpFailure
     */
    async send({ method, url, headers, body, limitMs }: HttpRequest): Promise<HttpReply> {
      const limit = createTimeLimit(timer, limitMs)
      try {
        const reply = await fetch(url, { method, headers, body, redirect: "manual", signal: limit.signal })
        return { status: reply.status, headers: reply.headers, text: await reply.text() }
      } catch (cause) {
        throw limit.failure(cause)
      } finally {
        limit.end()
      }
    },
    /**
     * The same for an answer that is read while it comes, until one side ends it. `limitMs` is the longest time without any of
     * it. After `stop` the pieces end; they throw an HttpFailure when the connection ends early, or nothing has come for that
     * time.
     * @throws HttpFailure
     */
    async open(
      { method, url, headers, body, limitMs }: HttpRequest,
      stop: AbortSignal,
    ): Promise<Omit<HttpReply, "text"> & { readonly pieces: AsyncIterable<Uint8Array> }> {
      const limit = createTimeLimit(timer, limitMs)
      const signal = AbortSignal.any([limit.signal, stop])
      try {
        const reply = await fetch(url, { method, headers, body, redirect: "manual", signal })
        return { status: reply.status, headers: reply.headers, pieces: readPieces(reply, limit, stop) }
      } catch (cause) {
        throw limit.failure(cause)
      }
    },
  }
}

function createTimeLimit(timer: Timer, limitMs: number) {
  const abort = new AbortController()
  let isOver = false
  const begin = () =>
    timer.after(limitMs, () => {
      isOver = true
      abort.abort()
    })
  let cancel = begin()
  return {
    signal: abort.signal,
    /** Begins the time again, since something has come. */
    heard() {
      cancel()
      cancel = begin()
    },
    /** Ends the connection, if it is still open. */
    end() {
      cancel()
      abort.abort()
    },
    failure(cause: unknown) {
      cancel()
      return new HttpFailure(isOver ? "timeout" : kindOf(cause), messageOf(cause), cause)
    },
  }
}

async function* readPieces(
  { body }: Response,
  limit: ReturnType<typeof createTimeLimit>,
  stop: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    if (body) {
      for await (const piece of body) {
        limit.heard()
        yield piece
      }
    }
  } catch (cause) {
    if (!stop.aborted) throw limit.failure(cause)
  } finally {
    limit.end()
  }
}

function kindOf(cause: unknown): HttpFailureKind {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  if (code === "ECONNREFUSED") return "refused"
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "unknown-host"
  if (code === "EPROTO") return "not-tls"
  return /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code) ? "untrusted" : "broken"
}
