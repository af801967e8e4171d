import type { Web, WebAnswer } from "../apis/contract.ts"
import type { Span } from "../ports/tracer.ts"
import type { DnsQuestions } from "./dns-questions.ts"

/** How many DNS questions a request counts as: it asks two itself, and its connection costs more than they do. */
const questionsPerRequest = 8

/**
 * A Web that sends requests on behalf of an account, and takes them from the DNS questions of the call or query. Requests over
 * the limit are not sent but fail with `aborted`.
 */
export function limitWeb(web: Web, account: string, questions: DnsQuestions): Web {
  return {
    async get(url, signal) {
      if (questions.left < questionsPerRequest) {
        questions.isExceeded = true
        return { kind: "failure", reason: "aborted", certificates: [] }
      }
      questions.left -= questionsPerRequest
      return web.get(url, signal, account)
    },
  }
}

/** A Web that records a span for each request, without its URL, which is input. */
export function traceWeb(web: Web, parent: Span): Web {
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
