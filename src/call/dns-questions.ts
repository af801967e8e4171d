import type { Dns, DnsType } from "../apis/contract.ts"
import type { Span } from "../ports/tracer.ts"

/** The most DNS questions of one call, or of all fields of one query together. */
export const maxDnsQuestions = 240

/** Counts the DNS questions of one call or query. */
export interface DnsQuestions {
  left: number
  /** Whether one more was asked than the limit allows. */
  isExceeded: boolean
}

/** Starts the count of one call or query. */
export function countDnsQuestions(): DnsQuestions {
  return { left: maxDnsQuestions, isExceeded: false }
}

/**
 * A DNS that counts questions and asks on behalf of an account. Questions over the limit are not sent but fail with `aborted`.
 */
export function limitDns(dns: Dns, account: string, questions: DnsQuestions): Dns {
  return {
    async resolve(name, type, signal) {
      if (questions.left === 0) {
        questions.isExceeded = true
        return { kind: "failure", reason: "aborted" }
      }
      questions.left -= 1
      return dns.resolve(name, type, signal, account)
    },
  }
}

/** A DNS that records a span for each question, without its name, which is input. */
export function traceDns(dns: Dns, parent: Span): Dns {
  return {
    async resolve<T extends DnsType>(name: string, type: T, signal?: AbortSignal, account?: string) {
      const span = parent.begin("dns question", { "penknife.dns.type": type }, "client")
      const answer = await dns.resolve(name, type, signal, account)
      const server = dns.serverOf?.(answer)
      span.end(
        {
          "penknife.dns.answer": answer.kind,
          ...(server && { "server.address": server.host, "server.port": server.port }),
        },
        answer.kind === "failure" ? answer.reason : null,
      )
      return answer
    },
  }
}
