import { expect, test } from "bun:test"
import fc from "fast-check"
import { createAnswerHeaders } from "./answer-headers.ts"

const common = [...createAnswerHeaders("text/plain")("a", {}, {}).keys()]

test("each answer has its own headers, and none of those before it", () => {
  const names = ["x-api-remaining-credits", "x-api-max-credits", "retry-after", "allow"]
  const values = fc.dictionary(fc.constantFrom(...names), fc.stringMatching(/^[0-9a-z]{0,4}$/))
  const stables = fc.array(values, { minLength: 1, maxLength: 3 })
  const answers = fc.array(fc.tuple(fc.nat(), values, fc.stringMatching(/^[a-z]{1,3}$/)), { minLength: 2 })
  fc.assert(
    fc.property(stables, answers, (callers, list) => {
      const fill = createAnswerHeaders("text/plain")
      const responses = list.map(([caller, changing, requestId]) => {
        const stable = callers[caller % callers.length] ?? {}
        const response = new Response("", { headers: fill(requestId, stable, changing) })
        return { response, expected: { "x-request-id": requestId, ...stable, ...changing } }
      })
      // Only now: what came later must not have changed what has been given out.
      for (const { response, expected } of responses) {
        expect(Object.fromEntries(response.headers)).toMatchObject(expected)
        const own = [...response.headers.keys()].filter((name) => !common.includes(name))
        expect(own.sort()).toEqual(
          Object.keys(expected)
            .filter((name) => !common.includes(name))
            .sort(),
        )
      }
    }),
    { seed: 20250101, numRuns: 300 },
  )
})

test("a value that cannot be sent leaves nothing of its caller's for the next", () => {
  const fill = createAnswerHeaders("text/plain")
  const plan = { "x-api-max-credits": "1000" }
  fill("a", plan, {})
  expect(() => fill("b", { "x-api-max-credits": "5", "x-api-current-plan": "a\nb" }, {})).toThrow()
  expect(fill("c", plan, {}).get("x-api-max-credits")).toBe("1000")
  expect(() => fill("d", plan, { "x-api-credits-used": "77", bad: "a\nb" })).toThrow()
  const headers = fill("e", {}, {})
  expect(headers.get("x-api-credits-used")).toBeNull()
  expect(headers.get("x-api-max-credits")).toBeNull()
  expect(headers.get("content-type")).toBe("text/plain")
})
