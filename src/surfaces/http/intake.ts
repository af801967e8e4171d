import type { Timer } from "../../apis/contract.ts"
import { Fault, inputFault } from "../../call/fault.ts"

/** The bounds of request bodies. */
export type Intake = ReturnType<typeof createIntake>

/** Counts requests. One count may be shared by several intakes. */
export interface Waits {
  awaited: number
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
  waits: Waits = { awaited: 0 },
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

  function end(wait: Wait): void {
    waits.awaited--
    if (!unwatched.delete(wait)) wait.cancelTimer?.()
  }

  return {
    maxBytes,
    timeoutMs,
    waits,
    /**
     * Waits for a body and reads it, so that a client that sends one byte a second cannot hold a request open for ever. Rejects
     * with what `read` throws, and with a Fault: 408 when the body is late, 400 when the connection ended first.
     */
    inTime: <Body, T>(arrival: Promise<Body>, read: (body: Body) => T | Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        let isOver = false
        const wait = begin(() => {
          isOver = true
          end(wait)
          reject(tooSlow(timeoutMs))
        })
        arrival.then(
          (body) => {
            if (isOver) return
            end(wait)
            try {
              resolve(read(body))
            } catch (thrown) {
              reject(thrown)
            }
          },
          (cause) => {
            if (isOver) return
            end(wait)
            reject(cause instanceof Fault ? cause : cutOff())
          },
        )
      }),
  }
}

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
