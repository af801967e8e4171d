import type { Dns, DnsAnswer, DnsReply } from "../contract.ts"

/**
 * Shares the questions of an audit between its parts, so that each is asked once. All of them have the same signal.
 * @returns a function that makes the DNS of a part, which may ask so many questions that no part before it has asked
 */
export function shareQuestions(dns: Dns, signal: AbortSignal): (limit: number) => Dns {
  const asked = new Map<string, Promise<DnsAnswer | DnsReply>>()

  return (limit) => {
    let left = limit
    async function once<Answer extends DnsAnswer | DnsReply>(
      key: string,
      ask: () => Promise<Answer>,
    ): Promise<Answer> {
      const before = asked.get(key)
      // The key holds the operation and the type, so the answer is of this type.
      if (before) return before as Promise<Answer>
      if (left === 0) return { kind: "failure", reason: "aborted" } as Answer
      left -= 1
      const answer = ask()
      asked.set(key, answer)
      return answer
    }
    return {
      resolve: (name, type) =>
        once(`resolve ${type} ${name.toLowerCase()}`, () => dns.resolve(name, type, signal)),
      exchange: (name, type, options) =>
        once(`exchange ${options?.dnssec === true} ${type} ${name.toLowerCase()}`, () =>
          dns.exchange(name, type, options, signal),
        ),
    }
  }
}
