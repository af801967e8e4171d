import { GraphQLError, type GraphQLResolveInfo } from "graphql"
import type { Clock } from "../../apis/contract.ts"
import type { Caller, CallerRequest } from "../../call/caller.ts"
import { countDnsQuestions, type DnsQuestions, maxDnsQuestions } from "../../call/dns-questions.ts"
import type { Pipeline } from "../../call/pipeline.ts"
import type { PreparedApi } from "../../call/prepared-api.ts"
import { asksOutside, checkAndRun, type Outcome } from "../../call/run.ts"
import { afterStep } from "../../call/scheduler.ts"
import type { FieldContext } from "./output-type.ts"
import { fieldCodeOf, shorten } from "./refusal.ts"

/** The results of a query, which are limited together. */
export interface FieldResults {
  /** Gets each API to charge: one with a field that succeeded, or that asked others until the query's questions were used up. */
  readonly paid: Set<PreparedApi>
  /** Gets the usage entry of each deprecated API, parameter and field that the query uses. */
  readonly deprecated: Set<string>
  /** @throws Refusal when the results are too large, Fault when the client has left */
  requireWithinLimit(): void
  /** Returns a promise to wait for before the next run; undefined if there is room for it. */
  room(): Promise<unknown> | undefined
  /** Counts the input of a run until it ends. */
  during(running: Promise<Outcome>, input: unknown): Promise<Outcome>
  /** Counts a list, see {@link FieldContext.count}. */
  add(list: unknown, info: GraphQLResolveInfo): void
  /** Counts the data of a root field. */
  addRoot(data: unknown, info: GraphQLResolveInfo): void
}

/** Runs the root fields of a query whose APIs are paid for. */
export function createFieldContext(
  apis: readonly PreparedApi[],
  results: FieldResults,
  caller: Caller,
  request: CallerRequest,
  pipeline: Pipeline,
): FieldContext {
  const byId = new Map(apis.map((api) => [api.definition.id, api]))
  const runDnsField = createDnsFields(pipeline.ports.clock)
  const giveWay = () => pipeline.scheduler.giveWay(caller.account.id)
  /** Over when the last run that waits for something has used its first time. GraphQL begins all fields at once. */
  let before: Promise<void> | null = null
  return {
    giveWay,
    count: results.add,
    useDeprecated: (entry) => results.deprecated.add(entry),
    run(id, values, info) {
      const api = byId.get(id)
      if (!api) throw new Error(`'${id}' runs but was not paid for`)
      const take = ({ data, fault }: Outcome) => {
        if (fault) {
          const { retryAfterSeconds } = fault
          const extensions = { code: fieldCodeOf(fault), ...(retryAfterSeconds && { retryAfterSeconds }) }
          throw new GraphQLError(shorten(fault.message), { extensions })
        }
        results.addRoot(data, info)
        results.paid.add(api)
        for (const entry of api.findDeprecated()?.({ kind: "typed", values }) ?? [])
          results.deprecated.add(entry)
        return data
      }
      const context = { caller, request, pipeline }
      if (asksOutside(api)) {
        const start = async (dnsQuestions: DnsQuestions) => {
          await giveWay()
          results.requireWithinLimit()
          return checkAndRun(api, { kind: "typed", values }, { ...context, dnsQuestions })
        }
        return runDnsField(start, () => results.paid.add(api)).then(take)
      }
      const run = (): unknown => {
        results.requireWithinLimit()
        const room = results.room()
        if (room) return room.then(start)
        const outcome = checkAndRun(api, { kind: "typed", values }, context)
        return outcome instanceof Promise ? results.during(outcome, values).then(take) : take(outcome)
      }
      const start = (): unknown => {
        const pause = before?.then(giveWay) ?? giveWay()
        const running = pause?.then(run) ?? run()
        if (running instanceof Promise) before = pause?.then(afterStep) ?? afterStep()
        return running
      }
      return start()
    },
  }
}

/** Time after which no further field starts. The runs themselves have their own limits. */
const maxWaitMs = 20_000

/**
 * Lets all DNS fields of a query share the questions of one call: a query costs each API once. The fields run one after the
 * other, so that the first ones get complete answers; side by side, all of them could run out of questions.
 * @returns a function that starts a field when the fields before have ended, and returns its result. It throws a GraphQLError
 *   QUERY_TOO_COMPLEX when the query's questions or its time are used up before or during the run. During the run it calls
 *   `pay` first: alone the field would have had an answer and a price, and others have worked for it
 */
function createDnsFields(clock: Clock) {
  const questions = countDnsQuestions()
  let before: Promise<unknown> | null = null
  let endMs = Number.POSITIVE_INFINITY

  return <T>(run: (questions: DnsQuestions) => T | Promise<T>, pay: () => void): Promise<T> => {
    async function runNext() {
      const { left, isDead } = questions
      if (left === 0 && !isDead) throw tooManyQuestions()
      if (clock.monotonicMs() >= endMs)
        throw tooComplex(`Asking the DNS for this query has taken ${maxWaitMs / 1_000} seconds.`)
      questions.isExceeded = false
      const result = await run(questions)
      if (!questions.isExceeded) return result
      if (questions.left < left) pay()
      throw tooManyQuestions()
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
