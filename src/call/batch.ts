import { nothingCharged } from "./call-record.ts"
import type { CallerRequest } from "./caller.ts"
import { inputFault } from "./fault.ts"
import { answer, type Pipeline, type Reply, requirePresent } from "./pipeline.ts"
import type { PreparedApi } from "./prepared-api.ts"
import { checkAndRun, type Outcome, type RunContext } from "./run.ts"

/** The most inputs of one batch. */
export const maxInputs = 200
/** Inputs that wait for the outside world at the same time. */
const maxConcurrent = 16

interface BatchCall {
  readonly api: PreparedApi
  readonly request: CallerRequest
  /** Reads the body. Called once the caller is admitted. */
  readonly readBody: () => Promise<Readonly<Record<string, unknown>>>
}

/** Answers a batch: hold what all inputs would cost → run each → settle those that succeeded. */
export function answerBatch({ api, request, readBody }: BatchCall, pipeline: Pipeline): Promise<Reply> {
  const { definition, credits } = api
  return answer(request, [definition.id], pipeline, async (caller) => {
    const inputs = requireInputs(await readBody())
    requirePresent(request)
    const hold = pipeline.charges.hold(caller, credits * inputs.length)
    try {
      const results = await runAll(inputs, request, api, { caller, requestId: request.requestId, pipeline })
      requirePresent(request)
      const count = results.length
      const succeeded = results.filter(({ status }) => status === "ok").length
      const used = credits * succeeded
      const charged =
        succeeded > 0 ? [{ api: definition.id, calls: succeeded, credits: used }] : nothingCharged
      if (succeeded > 0) await pipeline.charges.settle(hold, charged, request)
      const data = { count, succeeded, failed: count - succeeded, credits_used: used, results }
      return { data, charged, fault: null }
    } finally {
      hold.release()
    }
  })
}

function requireInputs({ inputs }: Readonly<Record<string, unknown>>): readonly unknown[] {
  if (!Array.isArray(inputs) || inputs.length === 0 || inputs.length > maxInputs) {
    const found = Array.isArray(inputs) ? `; it has ${inputs.length.toLocaleString("en-US")}` : ""
    throw inputFault("inputs", `must be an array of 1 to ${maxInputs} objects${found}`)
  }
  return inputs
}

/** Gives one result per input, in their order. Starts no further input once the client has left; then results are missing. */
async function runAll(
  inputs: readonly unknown[],
  request: CallerRequest,
  api: PreparedApi,
  context: RunContext,
) {
  const results: Record<"index" | "status" | "error" | "data", unknown>[] = []
  const { caller, pipeline } = context
  let next = 0

  async function work(): Promise<void> {
    while (next < inputs.length) {
      const pause = pipeline.scheduler.giveWay(caller.account.id)
      if (pause) await pause
      if (next >= inputs.length || (pause && request.hasLeft())) return
      const index = next++
      const running = runInput(inputs[index], index, api, context)
      const { data, fault } = running instanceof Promise ? await running : running
      results[index] = { index, status: fault ? "error" : "ok", error: fault?.message ?? null, data }
      if (running instanceof Promise && request.hasLeft()) return
    }
  }

  // When runs need no waiting, the first worker does them all before a second one starts.
  const workers: Promise<void>[] = []
  while (workers.length < maxConcurrent && next < inputs.length) workers.push(work())
  await Promise.all(workers)
  return results
}

function runInput(
  input: unknown,
  index: number,
  api: PreparedApi,
  context: RunContext,
): Outcome | Promise<Outcome> {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    return {
      data: null,
      fault: inputFault(`inputs[${index}]`, "must be an object with the API's parameters"),
    }
  }
  return checkAndRun(api, { kind: "typed", values: input as Record<string, unknown> }, context)
}
