import type { GiveWay } from "../apis/contract.ts"
import { type Caller, type CallerRequest, nothingCharged } from "./caller.ts"
import type { Input, RawInput } from "./input.ts"
import type { OnceCall } from "./once.ts"
import {
  admit,
  answerAdmitted,
  type Pipeline,
  type Progress,
  type Reply,
  refuseThrown,
  type Work,
} from "./pipeline.ts"
import type { PreparedApi } from "./prepared-api.ts"
import { runApi } from "./run.ts"

/** A single call of an admitted caller. */
interface SingleCall {
  readonly api: PreparedApi
  readonly request: CallerRequest
  /** The parameters as they were sent: they show which deprecated ones are used. */
  readonly raw: RawInput
  /** The checked parameters. */
  readonly input: Input
}

/**
 * Runs a single call: hold → run → settle.
 * @param once the call's Idempotency-Key
 * @throws Fault when the credits do not cover the call, or it cannot be charged
 */
export async function runSingle(
  { api, request, raw, input }: SingleCall,
  caller: Caller,
  pipeline: Pipeline,
  once: OnceCall | null = null,
): Promise<Work> {
  const hold = pipeline.charges.hold(caller, api.credits, once)
  try {
    const pause = pipeline.scheduler.giveWay(caller.account.id)
    if (pause) await pause
    const running = runApi(api, input, { caller, request, pipeline })
    const outcome = running instanceof Promise ? await running : running
    if (outcome.fault) return outcome
    const uses = api
      .findDeprecated()?.(raw)
      .map((entry) => ({ api: entry, calls: 1, credits: 0 }))
    await pipeline.charges.settle(hold, api.charge, request, uses)
    if (once?.replay) return { data: outcome.data, charged: nothingCharged, fault: null, isReplay: true }
    return { data: outcome.data, charged: api.charge, fault: null }
  } finally {
    hold.release()
  }
}

interface UncheckedCall extends Pick<SingleCall, "api" | "request"> {
  /** Reads the parameters, large ones in steps. Called once the caller is admitted. */
  read(giveWay: GiveWay): RawInput | Promise<RawInput>
  /** The caller, if the call is counted against the limits per minute already. */
  readonly counted?: Progress | null
}

/** Answers a single call where no route checks its input: identity → address → APIs → rate → input → hold → run → settle. */
export async function answerCall(
  { api, request, read, counted = null }: UncheckedCall,
  pipeline: Pipeline,
): Promise<Reply> {
  const progress: Progress = counted ?? { caller: null, rate: null }
  try {
    if (counted?.caller) pipeline.admission.requireApi(counted.caller, api.definition.id)
    else await admit(request, [api.definition.id], pipeline, progress)
  } catch (thrown) {
    return refuseThrown(thrown, request.requestId, progress, pipeline)
  }
  return answerAdmitted(request, progress, pipeline, async (caller) => {
    const raw = await read(() => pipeline.scheduler.giveWay(caller.account.id))
    return runSingle({ api, request, raw, input: api.readInput(raw) }, caller, pipeline)
  })
}
