import type { BulkResult } from "../client/operations.ts"
import { Problem, Unreachable } from "../client/problem.ts"

/** The end of a run, with the rows that are not done. */
export interface Outcome<Row> {
  readonly failed: readonly (BulkResult & { readonly row: Row })[]
  /** The rows that were not reached. */
  readonly left: readonly Row[]
  /** Why it ended before its end, such as that no answer came. Null if not, and when the user stopped it. */
  readonly error: Problem | Unreachable | null
}

/** The most items that `bulk.run` takes. */
const partLength = 100

/**
 * Changes rows in parts, one part after the other. A refused row does not stop the others.
 * @param send changes the rows of a part, and returns a result for each
 * @param begins is called before each part with how many rows are behind. Returns whether it may begin
 */
export async function runParts<Row>(
  rows: readonly Row[],
  send: (part: readonly Row[]) => Promise<readonly BulkResult[]>,
  begins: (behind: number) => boolean,
): Promise<Outcome<Row>> {
  const failed: Outcome<Row>["failed"][number][] = []
  for (let left = rows; ; left = left.slice(partLength)) {
    if (left.length === 0 || !begins(rows.length - left.length)) return { failed, left, error: null }
    try {
      const results = await send(left.slice(0, partLength))
      failed.push(
        ...results.flatMap((result, at) => (result.problem ? [{ ...result, row: left[at] as Row }] : [])),
      )
    } catch (thrown) {
      if (thrown instanceof Problem || thrown instanceof Unreachable) return { failed, left, error: thrown }
      throw thrown
    }
  }
}
