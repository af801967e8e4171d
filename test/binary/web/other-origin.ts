import { expect } from "bun:test"
import type { Browser } from "playwright-core"
import { createAccount } from "../accounts.ts"
import { slowDown } from "./slow.ts"
import { testsInTurn } from "./turns.ts"

/** The service's answers to a page of another site. */
export function otherOriginInBrowser(browser: Browser, url: string, db: string): void {
  const test = testsInTurn()
  test("a page of another origin calls the API and reads its usage headers", async () => {
    const other = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () =>
        new Response("<!doctype html><title>elsewhere</title>", { headers: { "content-type": "text/html" } }),
    })
    const { key } = await createAccount(db, { plan: "free" })
    const page = await browser.newPage()
    await slowDown(page.context())
    await page.goto(other.url.href)
    const call = (path: string, method: string, body: string | null) =>
      page.evaluate(callFromPage, { url: url + path, method, body, key })

    const get = await call("/v1/bluetoothlookup?companyid=76", "GET", null)
    expect(get).toMatchObject({ status: 200, answer: { status: "ok", data: { company: "Apple, Inc." } } })
    expect(get.headers).toMatchObject({
      "x-request-id": "from-elsewhere",
      "x-ratelimit-limit": "60",
      "x-ratelimit-remaining": "59",
      "x-ratelimit-reset": "1",
      "x-api-credits-used": "1",
      "x-api-remaining-credits": "1499",
      "x-api-max-credits": "1000",
      "x-api-renewal": expect.stringMatching(/^\d+$/),
      "x-api-current-plan": "free",
    })
    const post = await call("/v1/hmac", "POST", JSON.stringify({ message: "a", secret: "b" }))
    expect(post).toMatchObject({ status: 200, headers: { "x-api-credits-used": "2" } })
    const refused = await call("/v1/hmac", "POST", "{}")
    expect(refused).toMatchObject({ status: 400, answer: { error: expect.stringContaining("'message'") } })
    await page.close()
    await other.stop(true)
  })
}

/** Runs in the page, so it can use nothing else of this file. */
async function callFromPage(call: { url: string; method: string; body: string | null; key: string }) {
  const { url, method, body, key } = call
  const response = await fetch(url, {
    method,
    body,
    headers: {
      "x-api-key": key,
      "x-request-id": "from-elsewhere",
      ...(body !== null && { "content-type": "application/json" }),
    },
  })
  const headers: Record<string, string> = Object.fromEntries(response.headers.entries())
  return { status: response.status, headers, answer: await response.json() }
}
