import type { Dns } from "../apis/contract.ts"

/** DNS questions of one call or, all its fields together, of one query. */
export const maxDnsQuestions = 240

/** Counts the DNS questions of one call or query. */
export interface DnsQuestions {
  left: number
  /** Whether one more was asked than the limit allows. */
  isExceeded: boolean
}

export function countDnsQuestions(): DnsQuestions {
  return { left: maxDnsQuestions, isExceeded: false }
}

/**
 * A DNS that counts questions and asks in an account's turns. A question over the limit is not sent; its answer is the failure
 * `aborted`.
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
