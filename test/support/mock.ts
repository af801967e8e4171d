import { afterAll } from "bun:test"
import { startMock as compose } from "../../src/app/mock.ts"
import { loadConfig } from "../../src/config/load.ts"
import { mockOwn } from "../../src/config/options.ts"
import type { MockMail, MockNotice, MockRequest } from "../../src/mock-client/start-mock.ts"
import { type Answer, readAnswer } from "./answer.ts"
import { checkedFetch } from "./answer-check.ts"
import { readGraphql as readGraphqlAnswer } from "./graphql.ts"
import { type KeyedRequest, postWith, withKey } from "./keyed-request.ts"
import { createMemoryLog } from "./log.ts"
import { answerCheckOf } from "./service.ts"

export interface TestMock {
  readonly url: string
  fetch(path: string, init?: KeyedRequest): Promise<Response>
  /** Sends a request to a control path. */
  control(method: string, path: string, body?: unknown): Promise<Answer & { readonly code: number }>
  reset(): Promise<void>
  stop(): Promise<void>
  /** Prepares the first answer, as the command does before it tells the address. */
  warmUp(): Promise<void>
}

/** A mock on a real socket, in this process. It stops after the test that started it, or after the file's tests. */
export async function startTestMock(flags: Readonly<Record<string, unknown>> = {}): Promise<TestMock> {
  const config = loadConfig({ flags: { port: "0", ...flags }, env: {}, file: null }, mockOwn)
  const log = createMemoryLog()
  const mock = await compose(config, { logOutput: log })
  afterAll(() => mock.stop())
  const { url } = mock
  const check = answerCheckOf(config)
  // With a fault or a stub the mock may give any answer.
  let isAltered = false
  const checked = checkedFetch(url, async (...answer) => {
    if (!isAltered) await check(...answer)
  })
  const control: TestMock["control"] = async (method, path, body) => {
    if (path === "/reset") isAltered = false
    else if (/^(PUT|POST)$/.test(method) && /^\/(faults|stubs)/.test(path)) isAltered = true
    const answer = await fetch(`${url}/_mock${path}`, { ...postWith(body ?? null), method })
    return { code: answer.status, ...(await readAnswer(answer)) }
  }
  return {
    url,
    fetch: (path, init) => checked(path, withKey(init)),
    control,
    warmUp: mock.warmUp,
    stop: mock.stop,
    async reset() {
      await control("POST", "/reset")
    },
  }
}

interface Lists {
  readonly requests: MockRequest
  readonly notices: MockNotice
  readonly mails: MockMail
}

/** The mock waits a second for first attempts, which take longer on a busy machine. */
const mostLooks = 20

/** Requests, notices or mails, as the mock lists them when the first attempts to send them have ended. */
export async function listOf<Kind extends keyof Lists>(mock: TestMock, kind: Kind, query = "") {
  for (let look = 1; ; look++) {
    const list = (await mock.control("GET", `/${kind}${query}`)).data?.[kind] as Lists[Kind][]
    if (look === mostLooks || !list.some(isFirstAttempt)) return list
  }
}

/** Whether a notice or a mail is being sent for the first time. */
function isFirstAttempt(one: Lists[keyof Lists]): boolean {
  return "attempts" in one && one.attempts.length === 0 && (!("state" in one) || one.state === "pending")
}

/** Asks for a mail with a link, as the portal's page does on a mock or in a session of one. */
export async function askForLink(base: string, email = "ann@example.com", purpose = "sign-up") {
  const headers = { "content-type": "application/json", origin: new URL(base).origin }
  const answer = await fetch(`${base}/portal/mail-links`, postWith({ for: purpose, email }, { headers }))
  if (!answer.ok) throw new Error(await answer.text())
}

/** Raises three notices at once: two thresholds, and that all credits are used up. Resolves with the status of the call. */
export const exhaust = async (mock: TestMock): Promise<number> =>
  (await ways.rest(mock, "mock-no-credits")).status

/** One API, called over each surface. */
export const ways = {
  rest: (mock: TestMock, key: string, format = "json") =>
    mock.fetch(`/v1/bluetoothlookup?companyid=76&format=${format}`, { key }),
  batch: (mock: TestMock, key: string) =>
    post(mock, "/v1/bluetoothlookup/batch", key, { inputs: [{ companyid: "76" }, { companyid: "77" }] }),
  graphql: (mock: TestMock, key: string) =>
    post(mock, "/v1/graphql", key, { query: '{ bluetoothlookup(input: {companyid: "76"}) { company } }' }),
}

export const post = (mock: TestMock, path: string, key: string, body: object): Promise<Response> =>
  mock.fetch(path, postWith(body, { key }))

/** Status, first error code and data of a GraphQL answer; null for what is not in it. */
export async function readGraphql(response: Promise<Response>) {
  const { status, codes, body } = await readGraphqlAnswer(response)
  return { status, code: codes[0] ?? null, data: body.data ?? null }
}
