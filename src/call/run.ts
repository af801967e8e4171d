import { type GiveWay, type Ports, unavailable, type Web, type WebAnswer } from "../apis/contract.ts"
import type { Span } from "../ports/tracer.ts"
import { type Caller, type CallerRequest, nothingCharged } from "./caller.ts"
import {
  countDnsQuestions,
  type DnsQuestions,
  endQuestions,
  limitDns,
  traceDns,
  watchServers,
} from "./dns-questions.ts"
import { type Fault, toFault } from "./fault.ts"
import type { IdempotentCall } from "./idempotency.ts"
import { inSpan } from "./in-span.ts"
import type { Input, RawInput } from "./input.ts"
import {
  admit,
  answerAdmitted,
  logFault,
  type Pipeline,
  type Progress,
  replyToThrown,
  requirePresent,
  type WorkResult,
} from "./pipeline.ts"
import type { PreparedApi } from "./prepared-api.ts"

/** How many DNS questions a request counts as: it asks two itself, and its connection costs more than they do. */
const questionsPerRequest = 8

/**
 * A Web that sends requests on behalf of an account, and takes them from the DNS questions of the call or query. Requests over
 * the limit are not sent but fail with `aborted`.
 */
function limitWeb({ web, dns }: Ports, account: string, questions: DnsQuestions, resume: GiveWay): Web {
  const watch = watchServers(dns, questions)
  return {
    async get(url, signal) {
      if (questions.left < questionsPerRequest) {
        questions.isExceeded = !questions.isDead
        return { kind: "failure", reason: "aborted", certificates: [] }
      }
      questions.left -= questionsPerRequest
      const answer = await web.get(url, signal, account)
      if (answer.kind === "failure" && answer.reason === "offline") endQuestions(questions)
      if (answer.kind === "failure" && answer.reason === "dns") await watch()
      await resume()
      return answer
    },
  }
}

/** A Web that records a span for each request, without its URL, which is input. */
function traceWeb(web: Web, parent: Span): Web {
  return {
    async get(url, signal, account) {
      const span = parent.begin("https request", {}, "client")
      const answer = await web.get(url, signal, account)
      span.end(attributesOf(answer), answer.kind === "failure" ? answer.reason : null)
      return answer
    },
  }
}

function attributesOf(answer: WebAnswer): Readonly<Record<string, string | number>> {
  if (answer.kind === "failure") return { "penknife.web.failure": answer.reason }
  return { "http.response.status_code": answer.status, "http.response.body.size": answer.body.byteLength }
}

/** The result of one run: the data that the caller's plan includes, or the fault. */
export type Outcome =
  | { readonly data: Record<string, unknown>; readonly fault: null }
  | { readonly data: null; readonly fault: Fault }

/** The caller, pipeline and trace of a run. */
export interface RunContext {
  readonly caller: Caller
  readonly request: Pick<CallerRequest, "requestId" | "hasLeft" | "trace">
  readonly pipeline: Pipeline
  /** Shared by several runs; without it, each run may ask as many DNS questions as one call. */
  readonly dnsQuestions?: DnsQuestions
  /** The place of the input in a batch. */
  readonly index?: number
}

/** Runs an API and masks premium fields. Never throws; returns a promise only if the API does. */
function runApi(api: PreparedApi, input: Input, context: RunContext): Outcome | Promise<Outcome> {
  const { index, request } = context
  const parent = request.trace?.span
  if (!parent) return run(api, input, context, null)
  const place = index !== undefined && { "penknife.index": index }
  const values = { "penknife.api": api.definition.id, ...place }
  const step = (span: Span) => run(api, input, context, span)
  return inSpan<Outcome>(parent, "run", values, step, ({ fault }) => fault)
}

function run(api: PreparedApi, input: Input, context: RunContext, span: Span | null) {
  const { caller, request, pipeline } = context
  const { id } = api.definition
  pipeline.scheduler.nameStep(id)
  try {
    const giveWay = () => pipeline.scheduler.giveWay(caller.account.id, id)
    const questions = asksOutside(api) ? (context.dnsQuestions ?? countDnsQuestions()) : null
    const ports = questions ? withLimits(id, context, questions, span) : pipeline.ports
    const { premium } = caller.plan
    const allowed = premium ? input : api.maskInput(input)
    const account = shareOf(caller)
    const isHere = () => requirePresent(request)
    const running = api.definition.run(allowed, { ports, giveWay, premium, account, requirePresent: isHere })
    if (!(running instanceof Promise)) return succeeded(running, api, context)
    return running
      .then((data) => {
        // An answer about nothing but this service's own trouble is not charged.
        if (questions?.isDead)
          unavailable("This service reaches no server that it has to ask. Try again later.", "timeout")
        return succeeded(data, api, context)
      })
      .catch((thrown) => failed(thrown, context))
  } catch (thrown) {
    return failed(thrown, context)
  }
}

/** For whom runs count: guests share one account, so each of their networks counts for itself. */
function shareOf({ account: { id }, network }: Caller): string {
  return network === undefined ? id : `${id} ${network}`
}

/** {@link runApi} on parameters that are not checked yet: one call of a batch or a query. */
export function checkAndRun(api: PreparedApi, raw: RawInput, context: RunContext) {
  try {
    return runApi(api, api.readInput(raw), context)
  } catch (thrown) {
    return failed(thrown, context)
  }
}

/** Whether it asks other servers, and so has a limit of questions. */
export function asksOutside({ definition }: Pick<PreparedApi, "definition">): boolean {
  return definition.asksDns === true || definition.asksWeb === true
}

function withLimits(
  api: string,
  { caller, request, pipeline: { ports, scheduler } }: RunContext,
  questions: DnsQuestions,
  span: Span | null,
): Ports {
  const { id } = caller.account
  const resume = () => {
    // A run whose client has left asks nothing more.
    if (request.hasLeft()) questions.left = 0
    return scheduler.resume(id, api)
  }
  return {
    ...ports,
    dns: limitDns(span ? traceDns(ports.dns, span) : ports.dns, id, questions, resume),
    web: limitWeb(span ? { ...ports, web: traceWeb(ports.web, span) } : ports, id, questions, resume),
  }
}

function succeeded(data: Record<string, unknown>, { mask }: PreparedApi, { caller }: RunContext): Outcome {
  return { data: caller.plan.premium ? data : mask(data), fault: null }
}

function failed(thrown: unknown, { request: { requestId }, pipeline }: RunContext): Outcome {
  const fault = toFault(thrown)
  logFault(fault, requestId, pipeline.log, { message: false })
  return { data: null, fault }
}

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
 * @param idempotent the call's Idempotency-Key
 * @throws Fault when the credits do not cover the call, or it cannot be charged
 */
export async function runSingle(
  { api, request, raw, input }: SingleCall,
  caller: Caller,
  pipeline: Pipeline,
  idempotent: IdempotentCall | null = null,
): Promise<WorkResult> {
  const hold = pipeline.charges.hold(caller, api.credits, idempotent)
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
    // `settle` sets it too, when another process was first.
    if (idempotent?.firstCharge)
      return { data: outcome.data, charged: nothingCharged, fault: null, isReplay: true }
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
export async function answerCall({ api, request, read, counted = null }: UncheckedCall, pipeline: Pipeline) {
  const progress: Progress = counted ?? { caller: null, rate: null }
  try {
    if (counted?.caller) pipeline.admission.requireApi(counted.caller, api.definition.id)
    else await admit(request, [api.definition.id], pipeline, progress)
  } catch (thrown) {
    return replyToThrown(thrown, request.requestId, progress, pipeline)
  }
  return answerAdmitted(request, progress, pipeline, async (caller) => {
    const raw = await read(() => pipeline.scheduler.giveWay(caller.account.id))
    return runSingle({ api, request, raw, input: api.readInput(raw) }, caller, pipeline)
  })
}
