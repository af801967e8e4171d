import { loadConfig } from "../../src/config/load.ts"
import type { AnswerCheck } from "../support/answer-check.ts"
import { answerCheckOf } from "../support/service.ts"

/** Answers of the executable, too, are held to the OpenAPI document, by the address of the server. */
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

/** From here on, what `fetch` brings from a server that was started with `argv` has to be in its document. */
export function checkAnswersOf(url: string, argv: readonly string[]): void {
  const check = checkFor(argv)
  if (check) checks.set(url, check)
  else checks.delete(url)
}

/** None where a file may change the prices, nor for the mock, whose faults answer what the service never would. */
function checkFor(argv: readonly string[]): AnswerCheck | null {
  if (argv[0] !== "serve" || argv.includes("--config")) return null
  const flags = argv.includes("--no-graphql") ? { noGraphql: true } : {}
  return answerCheckOf(loadConfig({ flags, env: {}, file: null }))
}
