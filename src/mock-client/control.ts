import { request as requestHttp } from "node:http"
import { request as requestHttps } from "node:https"
import type { MockNotice, MockRequest } from "./start-mock.ts"

/** What control paths answer with, each its own part. */
interface ControlData {
  readonly requests: readonly MockRequest[]
  readonly total: number
  readonly dropped: number
  readonly now: string
  readonly notices: readonly MockNotice[]
}

interface Envelope {
  readonly error: string | null
  readonly data: ControlData
}

/** Asks control paths; an answer that is no success rejects with what it says. Not by `fetch`, which takes no authority. */
export function controlOf(url: string, ca: string | null) {
  return async (method: string, path: string, body?: object): Promise<ControlData> => {
    const text = await exchange(new URL(path, url), method, ca, body && JSON.stringify(body))
    const { error, data } = JSON.parse(text) as Envelope
    if (error !== null) throw new Error(`penknife mock: ${error}`)
    return data
  }
}

function exchange(url: URL, method: string, ca: string | null, body = ""): Promise<string> {
  const send = url.protocol === "https:" ? requestHttps : requestHttp
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    // A connection of its own: one kept open would keep the test process from ending.
    const request = send(url, { method, headers, agent: false, ...(ca !== null && { ca }) }, (response) => {
      const chunks: Uint8Array[] = []
      response.on("data", (chunk: Uint8Array) => chunks.push(chunk))
      response.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")))
      response.on("error", reject)
    })
    request.on("error", reject)
    request.end(body)
  })
}
