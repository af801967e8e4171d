import { after } from "../client/browser.ts"
import { Problem, Unreachable } from "../client/problem.ts"

/** A row that is to be changed. */
export interface Step<Row> {
  readonly row: Row
  /** The same when the row is tried again, so that nothing is done twice. */
  readonly idempotencyKey: string
}

interface FailedStep<Row> extends Step<Row> {
  readonly message: string
}

/** Each step is in one of the lists. */
export interface Outcome<Row> {
  readonly done: readonly Row[]
  readonly failed: readonly FailedStep<Row>[]
  /** Rows that were not reached. */
  readonly left: readonly Step<Row>[]
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
  const done: Row[] = []
  const failed: FailedStep<Row>[] = []
  const rest = [...steps]
  for (let step = rest[0]; step && !signal.aborted; step = rest[0]) {
    onStep(steps.length - rest.length)
    try {
      await send(step.row, step.idempotencyKey)
      done.push(step.row)
    } catch (thrown) {
      if (thrown instanceof Unreachable) return { done, failed, left: rest, error: thrown }
      if (!(thrown instanceof Problem)) throw thrown
      if (thrown.status === 401) return { done, failed, left: rest, error: thrown }
      if (thrown.status === 429) {
        const ms = thrown.retryAfterMs ?? defaultWaitMs
        onWait(ms)
        await wait(ms, signal)
        continue
      }
      if (isShared(thrown) && done.length + failed.length === 0) throw thrown
      failed.push({ ...step, message: thrown.message })
    }
    rest.shift()
  }
  return { done, failed, left: rest, error: null }
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
