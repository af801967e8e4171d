import { loadConfig } from "../../src/config/load.ts"
import type { AnswerCheck } from "../support/answer-check.ts"
import { answerCheckOf } from "../support/service.ts"

/** Checks of the answers of each server against its OpenAPI document, by the server's address. */
const checks = new Map<string, AnswerCheck>()
const plainFetch = globalThis.fetch
const checkingFetch = async (...[input, init]: Parameters<typeof fetch>) => {
  const response = await plainFetch(input, init)
  if (typeof input === "string") {
    const { origin, pathname } = new URL(input)
    await checks.get(origin)?.(init?.method ?? "GET", pathname, response)
  }
  return response
}
globalThis.fetch = Object.assign(checkingFetch, { preconnect: plainFetch.preconnect })

/** From now on, `fetch` throws when an answer of this server does not fit the document of a service started with `argv`. */
export function checkAnswersOf(url: string, argv: readonly string[]): void {
  const check = checkFor(argv)
  if (check) checks.set(url, check)
  else checks.delete(url)
}

/** No check when a configuration file may change prices, nor for the mock, whose faults may give any answer. */
function checkFor(argv: readonly string[]): AnswerCheck | null {
  if (argv[0] !== "serve" || argv.includes("--config")) return null
  const flags = argv.includes("--no-graphql") ? { noGraphql: true } : {}
  return answerCheckOf(loadConfig({ flags, env: {}, file: null }))
}
