import { Fault, inputFault } from "../../call/fault.ts"

/** What is taken in of requests' bodies, and until when. */
export interface Intake {
  readonly maxBytes: number
  /** No wait for a body is longer. */
  readonly timeoutMs: number
  /** Requests that wait for their client to send on. They are no work, and do not count as calls under way. */
  awaited: number
  /**
   * Waits for a body and reads it. Whoever sends one octet a second would otherwise hold a request open for as long as it
   * likes. Rejects with what `read` throws, and with a Fault: 408 when the body is not there in time (the connection is closed
   * then, since the rest is on its way), 400 when the connection ended before it did.
   */
  inTime<Body, T>(arrival: Promise<Body>, read: (body: Body) => T): Promise<T>
}

interface Wait {
  over: boolean
  timeout: ReturnType<typeof setTimeout> | null
  readonly giveUp: () => void
}

/** Nearly every body is there before this: only one that is not gets a timer, which would cost a call a tenth of its time. */
const unwatchedMs = 50

export function createIntake(maxBytes: number, timeoutMs: number): Intake {
  let unwatched: Wait[] = []

  function watch(): void {
    const waits = unwatched
    unwatched = []
    for (const wait of waits) if (!wait.over) wait.timeout = setTimeout(wait.giveUp, timeoutMs - unwatchedMs)
  }

  const intake: Intake = {
    maxBytes,
    timeoutMs,
    awaited: 0,
    // One promise and no more, since every POST passes here.
    inTime: (arrival, read) =>
      new Promise((resolve, reject) => {
        const wait: Wait = {
          over: false,
          timeout: null,
          giveUp() {
            end(wait)
            reject(tooSlow(timeoutMs))
          },
        }
        if (unwatched.push(wait) === 1) setTimeout(watch, unwatchedMs)
        intake.awaited++
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
    intake.awaited--
    if (wait.timeout !== null) clearTimeout(wait.timeout)
  }

  return intake
}

/** RFC 9110 §15.5.9. */
export function tooSlow(timeoutMs: number): Fault {
  return new Fault("bodyTooSlow", `The request 'body' must arrive whole within ${timeoutMs / 1_000} s.`, {
    parameter: "body",
    headers: { connection: "close" },
  })
}

/** The client's doing, and nobody is left to read this. */
function cutOff(): Fault {
  return inputFault("body", "must arrive whole; the connection ended before it did")
}
