import type { Dns, DnsAnswer, DnsFailed, DnsReply, DnsType, GiveWay } from "../apis/contract.ts"
import type { Span } from "../ports/tracer.ts"

/** The most DNS questions of one call, or of all fields of one query together. */
export const maxDnsQuestions = 240

/** Counts the DNS questions of one call or query. */
export interface DnsQuestions {
  left: number
  /** Whether one more was asked than the limit allows. */
  isExceeded: boolean
  /** Whether this service reaches no other: no server answered a question, nor the one after it whether any answers. */
  isDead: boolean
}

/** Starts the count of one call or query. */
export function countDnsQuestions(): DnsQuestions {
  return { left: maxDnsQuestions, isExceeded: false, isDead: false }
}

/** Ends the questions of a call about which nothing can be found out now. */
export function endQuestions(questions: DnsQuestions): void {
  Object.assign(questions, { isDead: true, left: 0 })
}

/** Returns a function that ends the questions if no DNS server answers. It asks once a run, however often it is called. */
export function watchServers(dns: Dns, questions: DnsQuestions): () => Promise<void> {
  let alive: Promise<boolean> | undefined
  return async () => {
    alive ??= dns.answers?.() ?? Promise.resolve(true)
    if (!(await alive)) endQuestions(questions)
  }
}

/**
 * A DNS that counts questions and asks on behalf of an account. Questions over the limit are not sent but fail with `aborted`,
 * and so do all others once it is known that no server answers. Many runs may wait for one answer, so `resume` follows it.
 */
export function limitDns(dns: Dns, account: string, questions: DnsQuestions, resume: GiveWay): Dns {
  const watch = watchServers(dns, questions)
  return wrapDns(dns, async (_question, ask) => {
    if (questions.left === 0) {
      questions.isExceeded = !questions.isDead
      return { kind: "failure", reason: "aborted" }
    }
    questions.left -= 1
    const answer = await ask(account)
    if (answer.kind === "failure" && answer.reason !== "aborted") await watch()
    await resume()
    return answer
  })
}

/** A DNS that records a span for each question, without its name, which is input. */
export function traceDns(dns: Dns, parent: Span): Dns {
  return wrapDns(dns, async ({ type, account }, ask) => {
    const span = parent.begin("dns question", { "penknife.dns.type": type }, "client")
    const answer = await ask(account)
    const server = dns.serverOf?.(answer)
    span.end(
      {
        "penknife.dns.answer": kindOf(answer),
        ...(server && { "server.address": server.host, "server.port": server.port }),
      },
      answer.kind === "failure" ? answer.reason : null,
    )
    return answer
  })
}

function kindOf(answer: DnsAnswer | DnsReply): DnsAnswer["kind"] {
  if (answer.kind !== "reply") return answer.kind
  if (answer.rcode === "NXDOMAIN") return "nxdomain"
  return answer.answer.length > 0 ? "records" : "nodata"
}

/** Wraps one question: usually calls `ask`, on behalf of an account, and returns its answer. */
type Around = <Answer extends DnsAnswer | DnsReply>(
  question: { readonly type: DnsType; readonly account: string | undefined },
  ask: (account: string | undefined) => Promise<Answer>,
) => Promise<Answer | DnsFailed>

/** The whole of a DNS, with the same done around each question of every operation. */
function wrapDns(dns: Dns, around: Around): Dns {
  return {
    resolve: <T extends DnsType>(name: string, type: T, signal?: AbortSignal, account?: string) =>
      around<DnsAnswer<T>>({ type, account }, (asker) => dns.resolve(name, type, signal, asker)),
    exchange: (name, type, options, signal, account) =>
      around<DnsReply>({ type, account }, (asker) => dns.exchange(name, type, options, signal, asker)),
    answers: async () => (await dns.answers?.()) ?? true,
  }
}
