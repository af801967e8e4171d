import { request as requestHttp } from "node:http"
import { request as requestHttps } from "node:https"
import type { MockProcess } from "./process.ts"

/**
 * Makes the function that sends requests to a mock's control paths and returns the `data` of the answers. It throws an Error
 * with the mock's message when the mock refuses the request.
 * @param url where the mock listens, with the base path of a session and without a slash at its end
 * @param ca the certificate of the mock's authority, or null for plain HTTP
 */
export function controlOf(url: string, ca: string | null) {
  return async <T>(method: string, path: string, body?: object): Promise<T> => {
    const { status, text } = await exchange(new URL(url + path), method, ca, body && JSON.stringify(body))
    const { error, data }: { readonly error: string | null; readonly data: T } = JSON.parse(text)
    if (status === 417) throw Object.assign(new Error(error ?? ""), { name: "NotAsExpected" })
    if (error !== null) throw new Error(`penknife mock: ${error}`)
    return data
  }
}

/** Makes a session on a running mock. It is reached below the address that was given, also if the mock sees another. */
export async function openSession(address: string) {
  const shared = address.replace(/\/+$/, "")
  if (!URL.canParse(shared))
    throw new Error(`penknife mock: 'shared' must be a URL such as http://127.0.0.1:8090, not '${address}'`)
  const control = controlOf(shared, null)
  type Session = Pick<MockProcess, "key" | "webhook"> & { readonly id: string }
  const { id, key, webhook } = await control<Session>("POST", "/_mock/sessions")
  const stop = () => control<void>("DELETE", `/_mock/sessions/${id}`)
  return { url: `${shared}/s/${id}`, key, ca: null, pid: null, differences: [], webhook, stop }
}

/** Node's `fetch` cannot be given a certificate authority, so this uses `node:http`. */
export function exchange(
  url: URL,
  method: string,
  ca: string | null,
  body = "",
): Promise<{ status: number; text: string }> {
  const send = url.protocol === "https:" ? requestHttps : requestHttp
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    // Without an agent the connection closes; one kept open would keep the test process from ending.
    const request = send(url, { method, headers, agent: false, ...(ca !== null && { ca }) }, (response) => {
      const chunks: Uint8Array[] = []
      response.on("data", (chunk: Uint8Array) => chunks.push(chunk))
      const { statusCode: status = 0 } = response
      response.on("end", () => resolve({ status, text: Buffer.concat(chunks).toString("utf8") }))
      response.on("error", reject)
    })
    const none = `penknife mock: ${url.origin} does not answer`
    request.on("error", (cause) => reject(new Error(`${none}: ${cause.message}`, { cause })))
    request.end(body)
  })
}

/** The parts of a request that its text shows. */
type Described = Readonly<Record<"method" | "path", string>> & {
  readonly number: number
  readonly key: string | null
  readonly fault: object | null
  readonly request: { readonly body: string }
  readonly response: { readonly status: number; readonly body: string } | null
}

/** A request and its answer as text, for the output of a failed test. */
export function describeRequest({ number, method, path, key, fault, request, response }: Described): string {
  const requestLine = `${number}. ${method} ${path} with ${key === null ? "no key" : `key ${key}`}`
  const faultLine = fault ? `\n   fault: ${JSON.stringify(fault)}` : ""
  const answer = response ? `${response.status} ${response.body}` : "connection reset"
  return `${requestLine}${request.body && `\n   ${request.body}`}${faultLine}\n   → ${answer}`
}
