import type { Dns, DnsType } from "../apis/contract.ts"
import type { Span } from "../ports/tracer.ts"

/** A DNS whose questions are measured. Names are left out: they are input. */
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
