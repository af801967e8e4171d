import type { DnsFailure, Random, Timer } from "../../apis/contract.ts"
import { type Exchange, openTcpExchange, openUdpExchange } from "./exchange.ts"
import { encodeQuery, type Question, type Response, rcodes, readResponse } from "./message.ts"
import { typeNumbers } from "./record-types.ts"
import type { ServerAddress } from "./server-address.ts"
import type { Steps, WhenRead } from "./turn-reader.ts"

/** The servers and times of a query. */
export interface QueryOptions {
  readonly servers: readonly ServerAddress[]
  readonly random: Random
  readonly timer: Timer
  /** Time for one question with all attempts. */
  readonly queryTimeoutMs: number
  /** Silence after which the next attempt starts; shorter when there are too many servers for the time. */
  readonly retryMs: number
  /** Reads a message: at once, or in later turns of the event loop. */
  readonly whenRead: WhenRead
  /** Called for every query that is sent. */
  onSend(transport: Transport, isRetry: boolean): void
}

type QueryResult<Value> =
  | { readonly kind: "value"; readonly value: Value; readonly server: ServerAddress }
  | { readonly kind: "failure"; readonly reason: DnsFailure }

/** Messages to one port that are no answer to its question. After so many, UDP is given up (RFC 5452 §9.1). */
const mostOthers = 20

/** When attempts failed for several reasons, the first of these is reported. */
const reasonOrder: readonly DnsFailure[] = ["servfail", "refused", "malformed", "timeout", "network"]

/**
 * Asks one server after the other, twice over UDP and then over TCP, until `read` can read an answer. Earlier attempts stay open.
 * Forged, garbled and unrelated messages are ignored (RFC 5452 §9.1). Never rejects; `read` may throw.
 */
export function query<Value>(
  question: Question,
  read: (response: Response) => Steps<Value>,
  { servers, random, timer, queryTimeoutMs, retryMs, whenRead, onSend }: QueryOptions,
): Promise<QueryResult<Value>> {
  const { promise, resolve } = Promise.withResolvers<QueryResult<Value>>()
  const steps = planSteps(servers)
  const stepMs = Math.min(retryMs, queryTimeoutMs / steps.length)
  const open = new Map<Exchange, Attempt>()
  /** Servers that have answered this question, but without a usable answer. They are not asked again. */
  const dismissed = new Set<ServerAddress>()
  const reasons = new Set<DnsFailure>()
  let cancelStep = () => {}
  /** Messages that came before the deadline and are not read to their end. They still count after it. */
  let unread = 0
  let isLate = false
  const cancelDeadline = timer.after(queryTimeoutMs, () => {
    isLate = true
    if (unread === 0) giveUp("timeout")
  })
  nextStep(false)
  return promise

  function nextStep(isRetry: boolean): void {
    cancelStep()
    if (isLate) return
    for (let step = steps.shift(); step; step = steps.shift()) {
      const attempts = step.filter(({ server }) => !dismissed.has(server))
      if (attempts.length === 0) continue
      for (const attempt of attempts) sendOrResend(attempt, isRetry)
      cancelStep = timer.after(stepMs, () => nextStep(true))
      return
    }
    if (open.size === 0) giveUp()
  }

  /** Repeats the query from the same port: several queries at a time would be easier to forge (RFC 5452 §5). */
  function sendOrResend(attempt: Attempt, isRetry: boolean): void {
    for (const [exchange, { server, transport }] of open) {
      if (server !== attempt.server) continue
      if (transport === "tcp") return
      if (attempt.transport === "tcp") continue
      exchange.resend()
      onSend("udp", true)
      return
    }
    send(attempt, isRetry)
  }

  function send(attempt: Attempt, isRetry: boolean): void {
    if (isLate) return
    const id = Buffer.from(random.bytes(2)).readUInt16BE(0)
    const openExchange = attempt.transport === "tcp" ? openTcpExchange : openUdpExchange
    const exchange = openExchange(attempt.server, encodeQuery(question, id, attempt.edns), {
      message(message) {
        if (isLate) return
        unread++
        whenRead(message.length, () => receive(message))
      },
      broken() {
        open.delete(exchange)
        reasons.add("network")
        nextStep(true)
      },
    })
    open.set(exchange, attempt)
    onSend(attempt.transport, isRetry)

    let others = 0
    function* receive(message: Buffer): Steps<void> {
      yield* readReply(message)
      unread--
      if (isLate && unread === 0) giveUp("timeout")
    }

    function* readReply(message: Buffer): Steps<void> {
      // The query may be over by now, and after each step.
      if (!open.has(exchange)) return
      const response = readResponse(message, question, id)
      if (response === "garbage") reasons.add("malformed")
      if (response === "unrelated" || response === "garbage") {
        if (++others === mostOthers && attempt.transport === "udp") askByTcp(exchange, attempt)
        return
      }
      if (response !== "malformed") yield
      const verdict =
        response === "malformed"
          ? ({ kind: "dismissed", reason: "malformed" } as const)
          : yield* judge(response, attempt, read)
      if (!open.has(exchange)) return
      exchange.close()
      open.delete(exchange)
      act(verdict, attempt)
    }
  }

  /** Somebody guesses ids, which a connection does not let in. */
  function askByTcp(exchange: Exchange, attempt: Attempt): void {
    exchange.close()
    open.delete(exchange)
    send({ ...attempt, transport: "tcp" }, true)
  }

  function act(verdict: Verdict<Value>, attempt: Attempt): void {
    if (verdict.kind === "answered") finish({ kind: "value", value: verdict.value, server: attempt.server })
    else if (verdict.kind === "ask again") send(verdict.attempt, false)
    else if (verdict.kind === "dismissed") dismiss(attempt.server, verdict.reason)
  }

  function dismiss(server: ServerAddress, reason: DnsFailure): void {
    dismissed.add(server)
    for (const [exchange, attempt] of open) {
      if (attempt.server !== server) continue
      exchange.close()
      open.delete(exchange)
    }
    reasons.add(reason)
    nextStep(true)
  }

  function giveUp(reason?: DnsFailure): void {
    if (reason) reasons.add(reason)
    finish({ kind: "failure", reason: reasonOrder.find((one) => reasons.has(one)) ?? "network" })
  }

  function finish(result: QueryResult<Value>): void {
    cancelStep()
    cancelDeadline()
    for (const exchange of open.keys()) exchange.close()
    open.clear()
    resolve(result)
  }
}

function planSteps(servers: readonly ServerAddress[]): Attempt[][] {
  const udp = servers.map((server): Attempt[] => [{ server, transport: "udp", edns: true }])
  return [...udp, ...udp, servers.map((server) => ({ server, transport: "tcp", edns: true }))]
}

type Transport = "udp" | "tcp"

type Attempt = { readonly server: ServerAddress; readonly transport: Transport; readonly edns: boolean }

/** The consequence of a response: use it, ask the same server in another way, or ask another server. */
type Verdict<Value> =
  | { readonly kind: "answered"; readonly value: Value }
  | { readonly kind: "ask again"; readonly attempt: Attempt }
  | { readonly kind: "dismissed"; readonly reason: DnsFailure }

/** The codes of servers that do not support EDNS (RFC 6891 §7). */
const ednsRefusals: ReadonlySet<number> = new Set([rcodes.formErr, rcodes.notImp, rcodes.badVers])

/** Judges the response to `attempt`. When `read` throws, the response is malformed. */
function* judge<Value>(
  response: Response,
  attempt: Attempt,
  read: (response: Response) => Steps<Value>,
): Steps<Verdict<Value>> {
  const { rcode } = response
  if (attempt.edns && ednsRefusals.has(rcode))
    return { kind: "ask again", attempt: { ...attempt, edns: false } }
  if (rcode === rcodes.refused) return { kind: "dismissed", reason: "refused" }
  if ((rcode !== rcodes.noError && rcode !== rcodes.nxDomain) || isReferral(response))
    return { kind: "dismissed", reason: "servfail" }
  if (response.truncated) {
    if (attempt.transport === "tcp") return { kind: "dismissed", reason: "malformed" }
    return { kind: "ask again", attempt: { ...attempt, transport: "tcp" } }
  }
  try {
    return { kind: "answered", value: yield* read(response) }
  } catch {
    return { kind: "dismissed", reason: "malformed" }
  }
}

/** NOERROR from a server that has not looked the name up, but says which servers to ask instead. */
function isReferral({ rcode, truncated, answers, authority, ...flags }: Response): boolean {
  if (rcode !== rcodes.noError || truncated || answers.length > 0) return false
  if (flags.authoritative || flags.recursionAvailable) return false
  const types = authority.map(({ type }) => type)
  return types.includes(typeNumbers.NS) && !types.includes(typeNumbers.SOA)
}
