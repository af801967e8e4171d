import type { TestBrowser } from "../../test/support/browser.ts"
import { mixedCalls, send } from "./traffic.ts"

/** An account of the days, and what its answers said. */
export interface DaysAccount {
  readonly id: string
  readonly keyId: string
  key: string
  readonly browser: TestBrowser
  /** Credits of its answers. */
  answered: number
  refused: number
  granted: number
  renewals: number
  signIns: number
  /** When it last called from the portal, by `performance.now()`. */
  portalMs: number
}

/** A session of the portal may send 600 requests a minute. */
const betweenPortalMs = 125

interface Answered {
  readonly isSuccess: boolean
  readonly credits: number
}

/** Sends a request of the administration, and returns its JSON. It throws when the request is refused. */
export type Admin = (method: string, path: string, body?: object) => Promise<Record<string, never>>

/** All ways to call, in turn: REST, a batch, GraphQL, an own API, a tool of MCP, and a page of the portal. */
export async function callInTurn(url: string, admin: Admin, account: DaysAccount, turn: number) {
  const { isSuccess, credits } = await callOnce(url, admin, account, turn % (mixedCalls.length + 3))
  account.answered += credits
  if (!isSuccess) account.refused++
}

async function callOnce(url: string, admin: Admin, account: DaysAccount, kind: number): Promise<Answered> {
  if (kind === mixedCalls.length) return callTool(url, account)
  const nowMs = performance.now()
  if (kind === mixedCalls.length + 1 && nowMs - account.portalMs > betweenPortalMs) {
    account.portalMs = nowMs
    return callFromPortal(admin, account)
  }
  const { id, keyId, key } = account
  const request = mixedCalls[kind] ?? { path: "/v1/day", body: {}, cost: 1 }
  const { status, credits } = await send(url, 0, { id, keyId, key }, request)
  return { isSuccess: status === 200, credits }
}

async function callTool(url: string, { key }: DaysAccount): Promise<Answered> {
  const answer = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      "x-api-key": key,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "bluetoothlookup", arguments: { companyid: "76" } },
    }),
  })
  const [, text = "{}"] = /^data: (.*)$/m.exec(await answer.text()) ?? []
  const { result } = JSON.parse(text) as {
    result?: { isError?: boolean; _meta: { "penknife/credits"?: { charged: number } } }
  }
  const isSuccess = result !== undefined && result.isError !== true
  return { isSuccess, credits: isSuccess ? (result._meta["penknife/credits"]?.charged ?? Number.NaN) : 0 }
}

/** A session ends after hours of the clock that runs faster; the customer signs in again, and reads as the portal does. */
async function callFromPortal(admin: Admin, account: DaysAccount): Promise<Answered> {
  const { browser, id } = account
  const call = () => browser.send("POST", "/portal/v1/calls/bluetoothlookup?companyid=76")
  let answer = await call()
  if (answer.status === 401) {
    const { url } = await admin("POST", `/accounts/${id}/portal-link`, {})
    const { status } = await browser.signIn("portal", { token: String(url).split("#token=")[1] })
    if (status !== 201) return { isSuccess: false, credits: 0 }
    account.signIns++
    answer = await call()
    for (const path of [`/accounts/${id}`, "/usage?by=key", "/keys", "/notices"]) {
      const read = await browser.send("GET", `/portal/v1${path}`)
      if (read.status !== 200) throw new Error(`the portal refused ${path}: ${read.text}`)
    }
  }
  const isSuccess = answer.status === 200
  return { isSuccess, credits: isSuccess ? 1 : 0 }
}

/** Paths that operators read, below `/admin/v1`. */
export const reads: readonly string[] = [
  ..."/accounts?search=customer /accounts?closed=true /accounts?near_limit=true /keys?limit=5 /health /config".split(
    " ",
  ),
  ..."/usage?by=account /usage?by=key /usage?by=day&days=7 /history/calls /history/credits?step=day".split(
    " ",
  ),
  ..."/history/faults /notices /audit?limit=100 /audit/export /plans /admins".split(" "),
]
