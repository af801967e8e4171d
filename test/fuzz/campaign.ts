import fc from "fast-check"
import { catalog } from "../../src/app/prepare.ts"
import type { OpenApiDocument } from "../../src/surfaces/openapi/json-object.ts"
import type { AnswerCheck } from "../support/answer-check.ts"
import { operationsOf } from "./operations.ts"
import { type FuzzKeys, type FuzzRequest, requestsOf, shownRequests, variants } from "./requests.ts"
import { createVerdict } from "./verdict.ts"
import { createWire, toBytes, type Wire } from "./wire.ts"

interface CampaignOptions {
  readonly url: string
  readonly keys: FuzzKeys
  readonly seed: number
  /** At least so many requests are sent. */
  readonly runs: number
  /** Connections at the same time. */
  readonly connections: number
  readonly check: AnswerCheck
  /** Called after every request. */
  readonly onAnswer?: (count: number) => void
}

interface CampaignReport {
  /** Requests sent. */
  readonly sent: number
  /** Answers by operation and status: `hmac 200`. */
  readonly answers: ReadonlyMap<string, number>
  /** Successful calls according to the answers, by the name of the key and the API: `pro hmac`. */
  readonly successes: ReadonlyMap<string, number>
}

/**
 * Sends the requests that the document shows, and then generated ones over several connections at once; the same for the same
 * seed and number of connections.
 * @throws Error with the smallest request that got a wrong answer, as it was sent
 */
export async function runCampaign(options: CampaignOptions): Promise<CampaignReport> {
  const { url, keys, seed, runs, connections, check, onAnswer } = options
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument
  const operations = operationsOf(document)
  const verdict = createVerdict(operations, check)
  const requests = requestsOf(operations, catalog, keys, new URL(url).host)
  const answers = new Map<string, number>()
  const successes = new Map<string, number>()
  let sent = 0

  async function judge(wire: Wire, request: FuzzRequest): Promise<void> {
    const response = await wire.send(request)
    const earned = await verdict(request, response)
    add(answers, `${request.operation.id} ${response.status}`, 1)
    for (const [api, calls] of earned) add(successes, `${request.key} ${api}`, calls)
    sent++
    onAnswer?.(sent)
  }

  async function sendOver(index: number): Promise<void> {
    const wire = createWire(url)
    const property = fc.asyncProperty(requests, async (list) => {
      for (const request of list)
        await judge(wire, request).catch((cause) => {
          throw new Error(String(cause), { cause: request })
        })
    })
    try {
      const numRuns = Math.ceil((runs - index) / connections / variants)
      // So that campaigns with neighbouring seeds share no connection's requests.
      const details = await fc.check(property, { seed: (Math.imul(seed, connections) + index) | 0, numRuns })
      if (details.failed) throw failureOf(details, seed)
    } finally {
      wire.close()
    }
  }

  const wire = createWire(url)
  for (const request of shownRequests(operations, keys, new URL(url).host)) await judge(wire, request)
  wire.close()
  await Promise.all(Array.from({ length: connections }, (_, index) => sendOver(index)))
  return { sent, answers, successes }
}

function failureOf({ errorInstance, numRuns }: fc.RunDetails<[FuzzRequest[]]>, seed: number): Error {
  const { message, cause } = errorInstance as Error & { cause: FuzzRequest }
  const bytes = JSON.stringify(toBytes(cause).toString("latin1").slice(0, 6_000))
  return new Error(
    `${message}\nseed ${seed}, list ${numRuns} of a connection, the request as it was sent:\n${bytes}`,
  )
}

function add(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count)
}
