import { after } from "../client/browser.ts"
import { Problem, Unreachable } from "../client/problem.ts"

/** A row that is to be changed. */
export interface Step<Row> {
  readonly row: Row
  /** The same when the row is tried again, so that nothing is done twice. */
  readonly idempotencyKey: string
  /** Why it was refused; absent if it was not tried, and after it was. */
  readonly refusal?: string
}

/** The end of a run. */
export interface Outcome<Row> {
  /** The steps that are not done: those that were refused, then those that were not reached. */
  readonly rest: readonly Step<Row>[]
  /** Why it ended before its end: nobody is signed in, or no answer came. Null if not, and when the user stopped it. */
  readonly error: Problem | Unreachable | null
}

interface RunParts<Row> {
  send(row: Row, idempotencyKey: string): Promise<unknown>
  /** Ends it after the present row. */
  readonly signal: AbortSignal
  /** Called before each row, with how many rows are behind. */
  onStep(behind: number): void
  /** Called when the service wants no request for so long. */
  onWait(ms: number): void
  /** Whether a refusal is about the input that all rows share. */
  isShared(refusal: Problem): boolean
  wait?(ms: number, signal: AbortSignal): Promise<void>
}

/** Without Retry-After (RFC 6585 section 4 allows that). */
const defaultWaitMs = 1_000

/**
 * Changes one row after the other. A refused row does not stop the others. When there were too many requests, it waits as long as
 * the service says.
 * @throws Problem for input that the first row shares with all others
 */
export async function runEach<Row>(steps: readonly Step<Row>[], parts: RunParts<Row>): Promise<Outcome<Row>> {
  const { send, signal, onStep, onWait, isShared, wait = waitFor } = parts
  const refused: Step<Row>[] = []
  const left = steps.map(({ row, idempotencyKey }) => ({ row, idempotencyKey }))
  const end = (error: Outcome<Row>["error"]) => ({ rest: [...refused, ...left], error })
  for (let step = left[0]; step && !signal.aborted; step = left[0]) {
    onStep(steps.length - left.length)
    try {
      await send(step.row, step.idempotencyKey)
    } catch (thrown) {
      if (thrown instanceof Unreachable) return end(thrown)
      if (!(thrown instanceof Problem)) throw thrown
      if (thrown.status === 401) return end(thrown)
      if (thrown.status === 429) {
        const ms = thrown.retryAfterMs ?? defaultWaitMs
        onWait(ms)
        await wait(ms, signal)
        continue
      }
      if (isShared(thrown) && left.length === steps.length) throw thrown
      refused.push({ ...step, refusal: thrown.message })
    }
    left.shift()
  }
  return end(null)
}

/** Ends early when `signal` aborts. */
function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = after(ms, resolve)
    signal.addEventListener("abort", () => {
      cancel()
      resolve()
    })
  })
}
