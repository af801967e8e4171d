import { GraphQLError } from "graphql"
import type { Clock } from "../../apis/contract.ts"
import { countDnsQuestions, type DnsQuestions, maxDnsQuestions } from "../../call/dns-questions.ts"

/** Time after which no further field starts. The runs themselves have their own limits. */
const maxWaitMs = 20_000

/**
 * Lets all DNS fields of a query share the questions of one call: a query costs each API once. The fields run one after the
 * other, so that the first ones get complete answers; side by side, all of them could run out of questions.
 * @returns a function that starts a field when the fields before have ended, and returns its result. It throws a GraphQLError
 *   QUERY_TOO_COMPLEX when the query's questions or its time are used up before or during the run
 */
export function createDnsFields(clock: Clock) {
  const questions = countDnsQuestions()
  let before: Promise<unknown> | null = null
  let endMs = Number.POSITIVE_INFINITY

  return <T>(run: (questions: DnsQuestions) => T | Promise<T>): Promise<T> => {
    async function runNext() {
      if (questions.left === 0) throw tooManyQuestions()
      if (clock.monotonicMs() >= endMs) {
        throw tooComplex(`Asking the DNS for this query has taken ${maxWaitMs / 1_000} seconds.`)
      }
      const result = await run(questions)
      if (questions.isExceeded) throw tooManyQuestions()
      return result
    }
    if (before === null) endMs = clock.monotonicMs() + maxWaitMs
    const result = before === null ? runNext() : before.then(runNext)
    // The error is the field's; the next field only waits for its end.
    before = result.catch(() => {})
    return result
  }
}

function tooManyQuestions(): GraphQLError {
  return tooComplex(`The DNS questions of one query, ${maxDnsQuestions} in all, are used up.`)
}

function tooComplex(reason: string): GraphQLError {
  const advice = "Ask for this field in another query, or use a batch."
  return new GraphQLError(`${reason} ${advice}`, { extensions: { code: "QUERY_TOO_COMPLEX" } })
}
