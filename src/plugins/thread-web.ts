import type { Web, WebAnswer } from "../apis/contract.ts"

/** The service sends at most 30 requests of one call, and must hear of one more to know that the limit was exceeded. */
const maxRequests = 31
const maxUrlLength = 4_000

/**
 * HTTPS as an operator's API sees it: the service sends the requests, in turns.
 * @param send asks the service for a document
 */
export function createThreadWeb(send: (request: number, url: string) => void) {
  const waiting = new Map<number, (answer: WebAnswer) => void>()
  let lastRequest = 0
  let lastRun = 0

  function begin(): Web {
    waiting.clear()
    const run = ++lastRun
    const lastOfRun = lastRequest + maxRequests
    return {
      async get(url) {
        if (typeof url !== "string" || url.length > maxUrlLength)
          throw new TypeError(`ports.web.get needs a URL, a text of at most ${maxUrlLength} characters`)
        if (run !== lastRun || lastRequest === lastOfRun)
          return { kind: "failure", reason: "aborted", certificates: [] }
        const request = ++lastRequest
        const { promise, resolve } = Promise.withResolvers<WebAnswer>()
        waiting.set(request, resolve)
        send(request, url)
        return promise
      },
    }
  }

  return {
    /** Returns the Web of a new run. The objects of earlier runs answer nothing from then on. */
    begin,
    /** Takes the service's answer to a request. */
    take(request: number, answer: WebAnswer) {
      waiting.get(request)?.(answer)
      waiting.delete(request)
    },
  }
}
