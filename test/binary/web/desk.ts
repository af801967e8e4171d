/**
 * The parts that tests of console and portal in a real browser share: a running service, pages of it that are watched, and a look
 * at each state.
 */
import { expect } from "bun:test"
import type { APIRequestContext, Browser, Page } from "playwright-core"
import { look } from "./look.ts"
import { createTabs } from "./tabs.ts"
import { loaded } from "./wait.ts"

/** A browser at a running service. */
export interface Desk {
  readonly url: string
  /** Has all permissions. */
  readonly adminKey: string
  /** Calls an operation of the administration, to prepare a test or to see what a page has done. */
  call(method: string, path: string, body?: unknown): Promise<Answer>
  /**
   * Opens a page. What it must not do is collected, and checked when it is left: by {@link Visit.done}, or at the test's end.
   * @param path such as `/console/accounts`
   */
  visit(path: string, options?: VisitOptions): Promise<Visit>
}

/** The JSON of an answer, whose fields a test knows. */
export type Answer = Readonly<Record<string, unknown>> & { readonly id: string; readonly key: string }

interface VisitOptions {
  /** The key to sign in with; the admin key by default, null for a stranger. */
  readonly key?: string | null
  /** True where the service is stopped on purpose, so that the browser reports failed requests. */
  readonly mayFail?: boolean
}

/** One page, whose tab has nothing of visits before. */
export interface Visit {
  readonly page: Page
  /**
   * Checks what is shown on a wide and a narrow screen, and takes pictures of it in light and dark.
   * @param name of the picture: screen and state, such as `accounts-empty`
   * @param which `above` for a window above a screen that is looked at already
   */
  look(name: string, which?: "screen" | "above"): Promise<void>
  /**
   * Leaves the page before the end of the test. Fails if it broke its policy, reported an error or asked another host for
   * anything.
   */
  done(): Promise<void>
}

export function createDesk(browser: Browser, url: string, adminKey: string): Desk {
  const tabs = createTabs(browser)
  return {
    url,
    adminKey,
    async call(method, path, body) {
      const response = await fetch(`${url}/admin/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${text}`)
      return JSON.parse(text)
    },
    async visit(path, { key = adminKey, mayFail = false } = {}) {
      const tab = await tabs.take()
      tab.watch(url, mayFail)
      const { page } = tab
      if (key !== null) await signIn(page.request, `${url}/${path.split("/")[1]}/session`, key)
      await page.goto(url + path)
      await loaded(page)
      return { page, look: (name, which = "screen") => look(page, name, which), done: () => tab.giveBack() }
    },
  }
}

/** The answer of a list in which there is nothing. */
export const emptyList = { json: { data: [], has_more: false, next: null } }

/** An account with a key that may do everything. */
export async function createCustomer(desk: Desk, name: string, plan = "pro") {
  const { id } = await desk.call("POST", "/accounts", { name, plan })
  const { key, id: keyId } = await desk.call("POST", "/keys", { account: id, name: "first" })
  return { account: id, key, keyId }
}

/** Makes a call that costs one credit. */
export async function callOnce(desk: Desk, key: string): Promise<void> {
  const answer = await fetch(`${desk.url}/v1/bluetoothlookup?companyid=76`, { headers: { "x-api-key": key } })
  expect(answer.status).toBe(200)
}

async function signIn(request: APIRequestContext, address: string, key: string): Promise<void> {
  const headers = { origin: new URL(address).origin }
  expect((await request.post(address, { data: { key }, headers })).status()).toBe(201)
}
