import type { Timer } from "../../../apis/contract.ts"
import { Fault, inputFault } from "../../../call/fault.ts"
import { httpLimits } from "./limits.ts"

/** The bounds of request bodies. */
export type Intake = ReturnType<typeof createIntake>

/** Counts requests and the bytes of their bodies. One count may be shared by several intakes. */
interface Waits {
  awaited: number
  readonly arriving: ArrivingBodies
}

interface Wait {
  cancelTimer: (() => void) | null
  readonly giveUp: () => void
}

/** Nearly every body arrives within this time. Only a later one gets a timer of its own, which costs a tenth of a call. */
const unwatchedMs = 50

/**
 * @param timeoutMs the longest wait for a body
 * @param waits where requests that wait for their client to send more are counted
 */
export function createIntake(
  maxBytes: number,
  timeoutMs: number,
  timer: Timer,
  waits: Waits = { awaited: 0, arriving: createArrivingBodies(httpLimits.arrivingBytes) },
) {
  /** Bodies that have not arrived and have no timer yet. One that arrives leaves at once, so that it can be freed. */
  const unwatched = new Set<Wait>()
  let isWatchPlanned = false

  function watch(): void {
    isWatchPlanned = false
    for (const wait of unwatched) wait.cancelTimer = timer.after(timeoutMs - unwatchedMs, wait.giveUp)
    unwatched.clear()
  }

  function begin(giveUp: () => void): Wait {
    const wait: Wait = { cancelTimer: null, giveUp }
    unwatched.add(wait)
    if (!isWatchPlanned) timer.after(unwatchedMs, watch)
    isWatchPlanned = true
    waits.awaited++
    return wait
  }

  // Written into its one caller, a POST at full speed took 5 % more processor time.
  function end(wait: Wait): void {
    waits.awaited--
    if (!unwatched.delete(wait)) wait.cancelTimer?.()
  }

  return {
    maxBytes,
    /** The same intake with another size. */
    limitedTo: (bytes: number) => createIntake(bytes, timeoutMs, timer, waits),
    timeoutMs,
    waits,
    /**
     * Counts the body of a request that itself has to wait before it begins: the runtime keeps up to 1.2 MB of what arrives
     * meanwhile. A body that is given up is not kept, and the request is refused where it would be read.
     */
    async holdDuring(pause: Promise<void>, request: Request): Promise<void> {
      const { body } = request
      if (body === null || hasSmallBody(request)) return pause
      const counted = waits.arriving.open(() => {
        givenUp.add(request)
        body.cancel().catch(() => {})
      })
      counted.add(Math.min(maxBytes, Number(request.headers.get("content-length") ?? maxBytes)))
      await pause
      counted.close()
    },
    /**
     * Leaves the rest of a request's body. A server that closes while the client still sends resets the connection, and the
     * answer is lost (RFC 9112 §9.6). So the rest is read before the answer where the connection ends with it, for a bounded
     * while. Otherwise the runtime reads it away, also after the answer.
     * @param isClosing whether the server closes the connection after the answer
     * @returns false if the connection has to be closed, since the body is too long or was given up
     */
    async leave(request: Request, isClosing: boolean): Promise<boolean> {
      const { body, headers } = request
      if (givenUp.has(request)) return false
      if (body === null || body.locked) return true
      const isShort = Number(headers.get("content-length") ?? 0) <= httpLimits.drainBytes
      if (isShort && !isClosing && !/\bclose\b/i.test(headers.get("connection") ?? "")) {
        // It may fail or take long only when its connection ends.
        body.cancel().catch(() => {})
        return true
      }
      const reader = body.getReader()
      const stop = () => void reader.cancel().catch(() => {})
      const cancelTimer = timer.after(timeoutMs, stop)
      waits.awaited++
      try {
        let bytes = 0
        for (let pieces = 0; bytes < httpLimits.drainBytes && pieces < mostPieces(bytes); pieces++) {
          const { done, value } = await reader.read()
          if (done) break
          bytes += value.byteLength
        }
      } catch {
        // The client has left: nobody reads the answer.
      } finally {
        waits.awaited--
        cancelTimer()
        stop()
      }
      return isShort
    },
    /**
     * Waits for a body and reads it, so that a client that sends one byte a second cannot hold a request open for ever. Rejects
     * with what `read` throws, and with a Fault: 408 when the body is late, 503 when it is given up for others, 400 when the
     * connection ended first.
     * @param receive is given a function that counts bytes of the body, which throws when the body is given up
     */
    inTime: <Body, T>(
      request: Request,
      receive: (count: (bytes: number) => void) => Promise<Body>,
      read: (body: Body) => T | Promise<T>,
    ) =>
      new Promise<T>((resolve, reject) => {
        if (givenUp.has(request)) throw tooManyArriving
        let isOver = false
        let counted: ArrivingBody | null = null
        const wait = begin(() => giveUp(tooSlow(timeoutMs)))
        function finish(): void {
          isOver = true
          end(wait)
          counted?.close()
        }
        function giveUp(fault: Fault): void {
          finish()
          givenUp.add(request)
          reject(fault)
        }
        function count(bytes: number): void {
          counted ??= waits.arriving.open(() => giveUp(tooManyArriving))
          if (!isOver) counted.add(bytes)
          if (isOver) throw tooManyArriving
        }
        receive(count).then(
          (body) => {
            if (isOver) return
            finish()
            try {
              resolve(read(body))
            } catch (thrown) {
              reject(thrown)
            }
          },
          (cause) => {
            if (isOver) return
            finish()
            reject(cause instanceof Fault ? cause : cutOff())
          },
        )
      }),
  }
}

/** Whether a body is declared to be so small that it is not counted while it arrives. */
export function hasSmallBody({ headers }: Request): boolean {
  const declared = headers.get("content-length")
  return declared !== null && Number(declared) <= httpLimits.uncountedBodyBytes
}

/** Requests whose bodies nobody waits for any more: their connections have to be closed. */
const givenUp = new WeakSet<Request>()

/** The most pieces in which so many bytes of a body may arrive. */
export function mostPieces(bytes: number): number {
  return httpLimits.freePieces + bytes / httpLimits.bytesPerPiece
}

/** RFC 9110 §15.6.4. */
const tooManyArriving = new Fault(
  "overloaded",
  "The service holds as many request bodies that are still arriving as it can. Nothing was charged; try again.",
  { retryAfterSeconds: 1 },
)

/** RFC 9110 §15.5.9. */
export function tooSlow(timeoutMs: number): Fault {
  return new Fault("bodyTooSlow", `The request 'body' must arrive whole within ${timeoutMs / 1_000} s.`, {
    parameter: "body",
  })
}

/** The client closed the connection, so it will not read this answer. */
function cutOff(): Fault {
  return inputFault("body", "must arrive whole; the connection ended before it did")
}

/** Counts the bytes of request bodies that are still arriving, over the whole process. */
type ArrivingBodies = ReturnType<typeof createArrivingBodies>

/** The bytes of one body. */
interface ArrivingBody {
  /** Counts bytes that have come or, of a body with a declared length, that may come. */
  add(bytes: number): void
  /** Ends the count: the body is whole, or nobody waits for it any more. */
  close(): void
}

/**
 * Beyond the limit the oldest body is given up, not the newest: an honest client sends its body within moments, so the oldest are
 * those of clients that send slowly on purpose.
 * @param maxBytes one body alone may be larger
 */
export function createArrivingBodies(maxBytes: number) {
  let total = 0
  const bodies = new Set<ArrivingBody & { readonly giveUp: () => void }>()
  return {
    bytes: () => total,
    /** Begins to count a body. `giveUp` is called once when there are too many bytes and this body is the oldest. */
    open(giveUp: () => void): ArrivingBody {
      let own = 0
      const body = {
        giveUp,
        add(bytes: number) {
          own += bytes
          total += bytes
          bodies.add(body)
          while (total > maxBytes && bodies.size > 1) {
            const [oldest] = bodies
            oldest?.close()
            oldest?.giveUp()
          }
        },
        close() {
          total -= own
          own = 0
          bodies.delete(body)
        },
      }
      return body
    },
  }
}
