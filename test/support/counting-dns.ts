import type { Dns } from "../../src/apis/contract.ts"

/** A DNS that notes each question which reaches it. */
export function countingDns(dns: Dns): Dns & { readonly questions: readonly string[] } {
  const questions: string[] = []
  return {
    questions,
    resolve(name, type, signal, account) {
      questions.push(`resolve ${name} ${type}`)
      return dns.resolve(name, type, signal, account)
    },
    exchange(name, type, options, signal, account) {
      questions.push(`exchange ${name} ${type} ${options?.dnssec === true}`)
      return dns.exchange(name, type, options, signal, account)
    },
  }
}
