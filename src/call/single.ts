import type { GiveWay } from "../apis/contract.ts"
import type { ChargeItem } from "../store/store.ts"
import { type CallerRequest, nothingCharged } from "./caller.ts"
import type { RawInput } from "./input.ts"
import { answer, type Pipeline, type Reply } from "./pipeline.ts"
import type { PreparedApi } from "./prepared-api.ts"
import { runApi } from "./run.ts"

interface SingleCall {
  readonly api: PreparedApi
  readonly request: CallerRequest
  /** Reads the parameters, large ones in steps. Called once the caller is admitted. */
  read(giveWay: GiveWay): RawInput | Promise<RawInput>
}

/** Answers a single call: input → hold → run → settle. */
export function answerCall({ api, request, read }: SingleCall, pipeline: Pipeline): Promise<Reply> {
  return answer(request, [api.definition.id], pipeline, async (caller) => {
    const giveWay = () => pipeline.scheduler.giveWay(caller.account.id)
    const reading = read(giveWay)
    const raw = reading instanceof Promise ? await reading : reading
    const input = api.readInput(raw, caller.plan.premium)
    const hold = pipeline.charges.hold(caller, api.credits)
    try {
      const pause = giveWay()
      if (pause) await pause
      const running = runApi(api, input, {
        caller,
        requestId: request.requestId,
        pipeline,
        trace: request.trace,
      })
      const outcome = running instanceof Promise ? await running : running
      if (outcome.fault) return outcome
      await pipeline.charges.settle(hold, api.charge, request, usesOfCall(raw, api))
      return { data: outcome.data, charged: api.charge, fault: null }
    } finally {
      hold.release()
    }
  })
}

function usesOfCall(raw: RawInput, { findDeprecated }: PreparedApi): readonly ChargeItem[] {
  return findDeprecated?.(raw).map((entry) => ({ api: entry, calls: 1, credits: 0 })) ?? nothingCharged
}
