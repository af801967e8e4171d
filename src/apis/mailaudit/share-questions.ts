import type { Dns, DnsAnswer, DnsReply } from "../contract.ts"

/**
 * Shares the questions of an audit between its parts, so that each is asked once. All of them have the same signal.
 * @returns a function that makes the DNS of a part, which may ask so many questions that no part before it has asked.
 * It adds the names for which it got no answer to `unanswered`.
 */
export function shareQuestions(dns: Dns, signal: AbortSignal): (limit: number, unanswered: string[]) => Dns {
  const asked = new Map<string, Promise<DnsAnswer | DnsReply>>()

  return (limit, unanswered) => {
    let left = limit
    async function answerTo<Answer extends DnsAnswer | DnsReply>(
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
    async function once<Answer extends DnsAnswer | DnsReply>(
      name: string,
      key: string,
      ask: () => Promise<Answer>,
    ): Promise<Answer> {
      const answer = await answerTo(key, ask)
      if (answer.kind === "failure") unanswered.push(name)
      return answer
    }
    return {
      resolve: (name, type) =>
        once(name, `resolve ${type} ${name.toLowerCase()}`, () => dns.resolve(name, type, signal)),
      exchange: (name, type, options) =>
        once(name, `exchange ${options?.dnssec === true} ${type} ${name.toLowerCase()}`, () =>
          dns.exchange(name, type, options, signal),
        ),
    }
  }
}
