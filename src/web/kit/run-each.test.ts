import { describe, expect, test } from "bun:test"
import { Problem, Unreachable } from "../client/problem.ts"
import { runEach } from "./run-each.ts"

const refusal = (status: number, retryAfter: string | null = null) =>
  new Problem(status, { detail: `refused with ${status}` }, retryAfter)

/** Runs rows whose answers, one for each attempt, are an error or nothing. */
async function run(answers: Readonly<Record<string, readonly (Error | null)[]>>, stopAt = "") {
  const sent: string[] = []
  const waits: number[] = []
  const steps: number[] = []
  const abort = new AbortController()
  const rest = new Map(Object.entries(answers).map(([row, errors]) => [row, [...errors]]))
  const outcome = await runEach(
    Object.keys(answers).map((row) => ({ row, idempotencyKey: `key of ${row}` })),
    {
      async send(row, idempotencyKey) {
        sent.push(`${row} with ${idempotencyKey}`)
        if (row === stopAt) abort.abort()
        const error = rest.get(row)?.shift() ?? null
        if (error) throw error
      },
      signal: abort.signal,
      onStep: (behind) => steps.push(behind),
      onWait: (ms) => waits.push(ms),
      isShared: ({ status }) => status === 400,
      wait: async () => {},
    },
  )
  const isDone = (row: string) => outcome.rest.every((step) => step.row !== row)
  return {
    done: Object.keys(answers).filter(isDone),
    failed: outcome.rest.flatMap(({ row, refusal }) => (refusal === undefined ? [] : [[row, refusal]])),
    left: outcome.rest.flatMap(({ row, refusal }) => (refusal === undefined ? [row] : [])),
    error: outcome.error,
    sent,
    waits,
    steps,
  }
}

describe("rows that are changed one after the other", () => {
  test("a refused row does not stop the others", async () => {
    expect(await run({ a: [null], b: [refusal(409)], c: [refusal(500)], d: [null] })).toMatchObject({
      done: ["a", "d"],
      failed: [
        ["b", "refused with 409"],
        ["c", "refused with 500"],
      ],
      left: [],
      error: null,
      steps: [0, 1, 2, 3],
    })
  })

  test("too many requests are waited for, and sent again with the same key", async () => {
    expect(await run({ a: [refusal(429, "7"), refusal(429), null], b: [null] })).toMatchObject({
      done: ["a", "b"],
      failed: [],
      waits: [7_000, 1_000],
      sent: ["a with key of a", "a with key of a", "a with key of a", "b with key of b"],
    })
  })

  test("without an answer, or when nobody is signed in, the row is left with those after it", async () => {
    for (const error of [new Unreachable(), refusal(401)]) {
      expect(await run({ a: [null], b: [error], c: [null] })).toMatchObject({
        done: ["a"],
        failed: [],
        left: ["b", "c"],
        error,
      })
    }
  })

  test("it is stopped between two rows, and while it waits", async () => {
    expect(await run({ a: [null], b: [null], c: [null] }, "b")).toMatchObject({
      done: ["a", "b"],
      left: ["c"],
      error: null,
    })
    expect(await run({ a: [refusal(429), null] }, "a")).toMatchObject({ done: [], left: ["a"] })
  })

  test("input that the first row shares with all others is refused at once; later, it is a failure of one row", async () => {
    const wrong = refusal(400)
    expect(run({ a: [wrong], b: [null] })).rejects.toBe(wrong)
    expect(await run({ a: [null], b: [wrong], c: [null] })).toMatchObject({
      done: ["a", "c"],
      failed: [["b", "refused with 400"]],
    })
  })
})
