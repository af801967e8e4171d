import { describe, expect, test } from "bun:test"
import type { BulkResult } from "../client/operations.ts"
import { Problem, Unreachable } from "../client/problem.ts"
import { runParts } from "./run-parts.ts"

const rows = Array.from({ length: 250 }, (_, row) => row)
const result = (row: number, problem: string | null): BulkResult => ({
  id: `acc_${row}`,
  problem,
  detail: problem && `refused as ${problem}`,
  parameter: null,
})

/** Runs 250 rows. `answer` gives the problem of a row, or the error of the part that has it. */
async function run(answer: (row: number) => string | null | Error, mostParts = rows.length) {
  const sent: number[] = []
  const steps: number[] = []
  const { failed, left, error } = await runParts(
    rows,
    async (part) => {
      sent.push(part.length)
      return part.map((row) => {
        const problem = answer(row)
        if (problem instanceof Error) throw problem
        return result(row, problem)
      })
    },
    (behind) => {
      steps.push(behind)
      return sent.length < mostParts
    },
  )
  return { failed: failed.map(({ row, detail }) => [row, detail]), left, error, sent, steps }
}

describe("rows that are changed in parts", () => {
  test("a refused row does not stop the others of its part, nor the parts after it", async () => {
    expect(await run((row) => (row === 3 ? "conflict" : row === 120 ? "unavailable" : null))).toEqual({
      failed: [
        [3, "refused as conflict"],
        [120, "refused as unavailable"],
      ],
      left: [],
      error: null,
      sent: [100, 100, 50],
      steps: [0, 100, 200],
    })
  })

  test("without an answer, or when a part is refused as a whole, its rows are left with those after it", async () => {
    for (const error of [new Unreachable(), new Problem(401, {}), new Problem(429, {})]) {
      expect(await run((row) => (row === 7 ? "not-found" : row === 100 ? error : null))).toEqual({
        failed: [[7, "refused as not-found"]],
        left: rows.slice(100),
        error,
        sent: [100, 100],
        steps: [0, 100],
      })
    }
    const bug = new TypeError("a bug")
    await expect(run(() => bug)).rejects.toBe(bug)
  })

  test("it is stopped between two parts", async () => {
    const stopped = { failed: [], error: null }
    expect(await run(() => null, 2)).toMatchObject({ ...stopped, left: rows.slice(200), sent: [100, 100] })
    expect(await run(() => null, 0)).toMatchObject({ ...stopped, left: rows, sent: [], steps: [0] })
  })
})
