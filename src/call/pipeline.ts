import { ApiMistake, type Ports, Unavailable } from "../apis/contract.ts"
import type { Envelope } from "../encode/tree.ts"
import type { Log } from "../ports/log.ts"
import type { ChargeItem, RateOutcome, RateState } from "../store/store.ts"
import { type Admission, rateLimited } from "./admission.ts"
import { type Caller, type CallerRequest, type CallRecord, nothingCharged } from "./caller.ts"
import { type Charges, tightestOf, type UsageStatus } from "./charges.ts"
import { type Fault, fixedFault, toFault } from "./fault.ts"
import { inSpan } from "./in-span.ts"
import type { Scheduler } from "./scheduler.ts"
import type { UnsentAnswers } from "./unsent.ts"

/**
 * The parts that the steps of a request need, on every surface: identity → address → APIs → rate → work → reply. The pipeline
 * knows no HTTP: balance and rate are data in the {@link Reply}.
 */
export interface Pipeline {
  readonly admission: Admission
  readonly charges: Charges
  readonly scheduler: Scheduler
  readonly ports: Ports
  readonly log: Log
  readonly unsent: UnsentAnswers
}

/** The answer to a request, before a surface writes it in its format. */
export interface Reply extends CallRecord {
  /** 200, or the status of the fault. */
  readonly status: number
  readonly envelope: Envelope
  /** Null if the caller was not identified. */
  readonly usage: UsageStatus | null
  /** Seconds after which the same call may succeed; null when that is not known. */
  readonly retryAfterSeconds: number | null
  /** Whether it was charged before, under the same Idempotency-Key. */
  readonly isReplay?: boolean | undefined
}

/** A request's data and charges, or its fault (already logged). */
export type WorkResult =
  | {
      readonly data: Record<string, unknown>
      readonly charged: readonly ChargeItem[]
      readonly fault: null
      /** Whether it was charged before, under the same Idempotency-Key. */
      readonly isReplay?: boolean
    }
  | { readonly fault: Fault }

/** The caller and rate, as far as they are known; refusals carry them too. */
export type Progress = { caller: Caller | null; rate: RateState | null }

/**
 * Works for a caller who is admitted. Never throws: anything that `work` throws becomes a fault in the reply.
 * @param work holds credits, runs, charges
 */
export async function answerAdmitted(
  { requestId }: CallerRequest,
  progress: Progress,
  pipeline: Pipeline,
  work: (caller: Caller) => Promise<WorkResult>,
): Promise<Reply> {
  const { caller } = progress
  try {
    if (caller === null) throw new Error("a request must be admitted before work begins for it")
    const done = await work(caller)
    if (done.fault) return replyToFault(done.fault, progress, pipeline)
    return {
      status: 200,
      envelope: { status: "ok", error: null, data: done.data },
      usage: pipeline.charges.status(caller, progress.rate),
      retryAfterSeconds: null,
      caller,
      charged: done.charged,
      fault: null,
      isReplay: done.isReplay,
    }
  } catch (thrown) {
    return replyToThrown(thrown, requestId, progress, pipeline)
  }
}

/** The reply to a request that ended with anything thrown. Faults of the service are logged. */
export function replyToThrown(thrown: unknown, requestId: string, progress: Progress, pipeline: Pipeline) {
  return replyToFault(explain(thrown, requestId, pipeline), progress, pipeline)
}

/**
 * Identity → address → APIs → rate. `progress` keeps the caller and rate, also when a step throws. Returns a promise only if a
 * step waits: three awaits of values that are already available would cost a metered call 2 % each.
 * @throws Fault that refuses the caller, or ends a call whose client left during a wait
 */
export function admit(
  request: CallerRequest,
  apis: readonly string[],
  pipeline: Pipeline,
  progress: Progress,
): Caller | Promise<Caller> {
  const span = request.trace?.span
  const admitted = span
    ? inSpan(span, "admit", {}, () => admitNow(request, apis, pipeline, progress))
    : admitNow(request, apis, pipeline, progress)
  if (!(admitted instanceof Promise)) return admitted
  return admitted.then((caller) => {
    requirePresent(request)
    return caller
  })
}

function admitNow(
  { key, secretHash, hasTwoKeys, address, hasLeft }: CallerRequest,
  apis: readonly string[],
  { admission }: Pipeline,
  progress: Progress,
): Caller | Promise<Caller> {
  if (hasTwoKeys) throw fixedFault("keysDiffer")
  const identified = secretHash === undefined ? admission.identify(key) : admission.identifyHash(secretHash)
  return identified instanceof Promise ? identified.then(permit) : permit(identified)

  function permit(caller: Caller): Caller | Promise<Caller> {
    progress.caller = caller
    // The address of a client who has left is not known any more.
    if (caller.key.allowIps !== null) requirePresent({ hasLeft })
    admission.requireAddress(caller, address)
    for (const api of apis) admission.requireApi(caller, api)
    return admission.takeRate(caller)?.then(takeOver) ?? caller

    function takeOver({ granted, buckets }: RateOutcome): Caller {
      progress.rate = tightestOf(buckets)
      if (!granted && progress.rate) throw rateLimited(progress.rate)
      return caller
    }
  }
}

/**
 * Ends a call whose client has left, before it causes work. Call it after a wait.
 * @throws Fault callerLeft
 */
export function requirePresent({ hasLeft }: Pick<CallerRequest, "hasLeft">): void {
  if (hasLeft()) throw fixedFault("callerLeft")
}

/**
 * Gives way to others before a step of a call that reads a large body, and ends the call if its client has left meanwhile.
 * @throws Fault callerLeft
 */
export async function giveWayWhilePresent(
  request: Pick<CallerRequest, "hasLeft">,
  account: string,
  { scheduler }: { readonly scheduler: Pick<Scheduler, "giveWay"> },
): Promise<void> {
  await scheduler.giveWay(account)
  requirePresent(request)
}

/** Turns anything thrown into a fault. Faults of the service are logged. */
export function explain(thrown: unknown, requestId: string, { log }: Pick<Pipeline, "log">): Fault {
  const fault = toFault(thrown)
  logFault(fault, requestId, log)
  return fault
}

function replyToFault(fault: Fault, { caller, rate }: Progress, { charges }: Pipeline): Reply {
  const usage = caller && charges.status(caller, rate)
  return { ...toReply(fault), usage, caller: caller ?? fault.keyOwner }
}

/** The reply to a request that is refused before its caller is known. */
export function toReply(fault: Fault): Reply {
  return {
    status: fault.status,
    envelope: { status: "error", error: fault.message, data: null },
    usage: null,
    retryAfterSeconds: fault.retryAfterSeconds,
    caller: fault.keyOwner,
    charged: nothingCharged,
    fault: fault.code,
    parameter: fault.parameter,
  }
}

/**
 * Logs a fault of the service with its cause; mistakes of the caller are not logged.
 * @param message false for errors of an API's run. Their messages may quote input, as those of JSON.parse do, and input may
 *   be a secret: then the log gets the kind of the error and where it was thrown.
 */
export function logFault(fault: Fault, requestId: string, log: Log, { message } = { message: true }): void {
  // Metrics count overload; a line for each call would hide the other lines.
  if (fault.status < 500 || fault.code === "overloaded") return
  const { cause } = fault
  if (fault.code === "upstreamUnavailable") {
    // The message for the client may quote input.
    log.info(fault.code, { requestId, reason: cause instanceof Unavailable ? cause.reason : "unavailable" })
    return
  }
  log.error(fault.code, { requestId, cause: describeCause(cause, message) })
}

function describeCause(cause: unknown, message: boolean): string {
  if (cause instanceof ApiMistake) return cause.message
  if (!(cause instanceof Error)) return message ? String(cause) : `a ${typeof cause} was thrown`
  if (message) return cause.stack ?? cause.message
  const code = "code" in cause && typeof cause.code === "string" ? ` ${cause.code}` : ""
  // The message is cut off first, since its lines may look like frames.
  const { stack = "", message: text } = cause
  const frames = stack
    .slice(text === "" ? 0 : stack.indexOf(text) + text.length)
    .split("\n")
    .filter((line) => /^\s+at .*:\d+:\d+\)?$/.test(line))
  return [`${cause.constructor.name}${code} (message withheld: it may quote input)`, ...frames].join("\n")
}
