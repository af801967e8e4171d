import type { AdminAnswer } from "./admin.ts"

/** The state of a page of the console or the portal: its cookies, and the CSRF token of its session. */
export interface TestBrowser {
  readonly cookies: Map<string, string>
  csrf: string
  /** Sends a request as a page of this service does. `headers` replaces headers; null leaves one out. */
  send(method: string, path: string, request?: BrowserRequest): Promise<AdminAnswer>
  /** Signs in with a link's token or a key. */
  signIn(kind: "console" | "portal", proof: object, request?: BrowserRequest): Promise<AdminAnswer>
}

interface BrowserRequest {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string | null>>
}

/** A browser that has opened a page at an address. */
export function openBrowser(url: string): TestBrowser {
  const cookies = new Map<string, string>()
  const browser: TestBrowser = {
    cookies,
    csrf: "",
    async send(method, path, { body, headers } = {}) {
      const sent: Record<string, string | null> = {
        cookie: cookies.size === 0 ? null : [...cookies].map(([name, text]) => `${name}=${text}`).join("; "),
        "content-type": body === undefined ? null : "application/json",
        "x-csrf-token": method === "GET" || browser.csrf === "" ? null : browser.csrf,
        origin: method === "GET" ? null : url,
        "sec-fetch-site": "same-origin",
        ...headers,
      }
      const given = Object.entries(sent).filter((pair): pair is [string, string] => pair[1] !== null)
      const response = await fetch(url + path, {
        method,
        headers: given,
        redirect: "manual",
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      })
      for (const set of response.headers.getSetCookie()) keep(set, cookies)
      // Events come without an end.
      const isEndless = response.headers.get("content-type") === "text/event-stream"
      if (isEndless) await response.body?.cancel()
      const text = isEndless ? "" : await response.text()
      const isJson = /\bjson$/.test(response.headers.get("content-type") ?? "")
      const { status, headers: answered } = response
      return { status, headers: answered, text, body: isJson && text !== "" ? JSON.parse(text) : {} }
    },
    async signIn(kind, proof, request) {
      const answer = await browser.send("POST", `/${kind}/session`, { body: proof, ...request })
      if (answer.status === 201) browser.csrf = String(answer.body.csrf)
      return answer
    },
  }
  return browser
}

function keep(set: string, cookies: Map<string, string>): void {
  const [pair = "", ...attributes] = set.split("; ")
  const name = pair.slice(0, pair.indexOf("="))
  if (attributes.includes("Max-Age=0")) cookies.delete(name)
  else cookies.set(name, pair.slice(name.length + 1))
}
