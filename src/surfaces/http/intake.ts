import type { Timer } from "../../apis/contract.ts"
import { Fault, inputFault } from "../../call/fault.ts"

/** The bounds of request bodies. */
export interface Intake {
  readonly maxBytes: number
  /** The longest wait for a body. */
  readonly timeoutMs: number
  /** Where requests that wait for their client to send more are counted. */
  readonly waits: Waits
  /**
   * Waits for a body and reads it, so that a client that sends one octet a second cannot hold a request open for ever. Rejects
   * with what `read` throws, and with a Fault: 408 when the body is late, 400 when the connection ended first.
   */
  inTime<Body, T>(arrival: Promise<Body>, read: (body: Body) => T | Promise<T>): Promise<T>
}

/** Counts requests. One count may be shared by several intakes. */
export interface Waits {
  awaited: number
}

interface Wait {
  over: boolean
  cancelTimer: (() => void) | null
  readonly giveUp: () => void
}

/** Nearly every body arrives within this time. Only a later one gets a timer, which costs a tenth of a call. */
const unwatchedMs = 50

export function createIntake(
  maxBytes: number,
  timeoutMs: number,
  timer: Timer,
  waits: Waits = { awaited: 0 },
): Intake {
  let unwatched: Wait[] = []

  function watch(): void {
    const waits = unwatched
    unwatched = []
    for (const wait of waits) {
      if (!wait.over) wait.cancelTimer = timer.after(timeoutMs - unwatchedMs, wait.giveUp)
    }
  }

  const intake: Intake = {
    maxBytes,
    timeoutMs,
    waits,
    inTime: (arrival, read) =>
      new Promise((resolve, reject) => {
        const wait: Wait = {
          over: false,
          cancelTimer: null,
          giveUp() {
            end(wait)
            reject(tooSlow(timeoutMs))
          },
        }
        if (unwatched.push(wait) === 1) timer.after(unwatchedMs, watch)
        waits.awaited++
        arrival.then(
          (body) => {
            end(wait)
            try {
              resolve(read(body))
            } catch (thrown) {
              reject(thrown)
            }
          },
          (cause) => {
            end(wait)
            reject(cause instanceof Fault ? cause : cutOff())
          },
        )
      }),
  }

  function end(wait: Wait): void {
    if (wait.over) return
    wait.over = true
    waits.awaited--
    wait.cancelTimer?.()
  }

  return intake
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
