import { afterAll } from "bun:test"
import { startMock as compose } from "../../src/app/mock.ts"
import { loadConfig } from "../../src/config/load.ts"
import { type Answer, readAnswer } from "./answer.ts"
import { checkedFetch } from "./answer-check.ts"
import { answerCheckOf } from "./service.ts"

export interface TestMock {
  readonly url: string
  fetch(path: string, init?: RequestInit & { key?: string }): Promise<Response>
  /** Asks a control path. */
  control(method: string, path: string, body?: unknown): Promise<Answer & { readonly code: number }>
  reset(): Promise<void>
}

/** A mock on a real socket, in this process; it ends with the test file. */
export async function startTestMock(flags: Readonly<Record<string, unknown>> = {}): Promise<TestMock> {
  const config = loadConfig({ flags: { port: "0", ...flags }, env: {}, file: null })
  const mock = await compose(config)
  afterAll(() => mock.stop())
  const { url } = mock
  const check = answerCheckOf(config)
  // A fault or a stub may answer what the service never would.
  let isBent = false
  const checked = checkedFetch(url, async (...answer) => {
    if (!isBent) await check(...answer)
  })
  const control: TestMock["control"] = async (method, path, body) => {
    if (path === "/reset") isBent = false
    else if (method === "PUT" && /^\/(faults|stubs)/.test(path)) isBent = true
    const answer = await fetch(`${url}/_mock${path}`, {
      method,
      ...(body !== undefined && {
        body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
      }),
    })
    return { code: answer.status, ...(await readAnswer(answer)) }
  }
  return {
    url,
    fetch(path, { key, ...init } = {}) {
      const headers = new Headers(init.headers)
      if (key !== undefined) headers.set("x-api-key", key)
      return checked(path, { ...init, headers })
    },
    control,
    async reset() {
      await control("POST", "/reset")
    },
  }
}

/** A call of one API in each of the ways there are. */
export const ways = {
  rest: (mock: TestMock, key: string, format = "json") =>
    mock.fetch(`/v1/bluetoothlookup?companyid=76&format=${format}`, { key }),
  batch: (mock: TestMock, key: string) =>
    post(mock, "/v1/bluetoothlookup/batch", key, { inputs: [{ companyid: "76" }, { companyid: "77" }] }),
  graphql: (mock: TestMock, key: string) =>
    post(mock, "/v1/graphql", key, { query: '{ bluetoothlookup(input: {companyid: "76"}) { company } }' }),
}

export function post(mock: TestMock, path: string, key: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json" }
  return mock.fetch(path, { method: "POST", key, headers, body: JSON.stringify(body) })
}

export interface GraphqlAnswer {
  readonly data?: Record<string, unknown> | null
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[]
}

export async function readGraphql(response: Promise<Response>) {
  const answer = await response
  const { data, errors } = (await answer.json()) as GraphqlAnswer
  return { status: answer.status, code: errors?.[0]?.extensions.code ?? null, data: data ?? null }
}
