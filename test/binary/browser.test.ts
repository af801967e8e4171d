/** What a browser sees of the executable: the reference and GraphiQL with the network cut off, and calls from another origin. */
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { tempDir } from "../support/temp.ts"
import { createAccount } from "./accounts.ts"
import { findBrowser, launchBrowser } from "./browser-support.ts"
import { serveForFile } from "./support.ts"
import { slowDown, slowDownPage } from "./web/slow.ts"

// Each step waits for half a minute at most, so a test that hangs says where. A slow machine may need all of it.
setDefaultTimeout(180_000)

const db = join(tempDir(), "browser.db")
const executable = findBrowser()
if (executable === null) {
  console.error(
    "\n!! LEFT OUT: the tests in a real browser. No browser was found. On Debian: apt-get install chromium. Or name one with PENKNIFE_TEST_BROWSER.\n",
  )
} else {
  const server = await serveForFile(db)
  const browser = await launchBrowser(executable)
  afterAll(() => browser.close())
  describe("in a browser", () => inBrowser(browser, server.url))
}

function inBrowser(browser: Browser, url: string): void {
  test("/docs and the page of an API load with the network cut off, and its form sends a call that is answered 200", async () => {
    const page = await openPage(browser)
    const { attempts, complaints } = await cutOff(page)
    await page.goto(`${url}/docs`)
    await page.getByRole("link", { name: "Bluetooth company lookup" }).last().click()
    await page.getByRole("link", { name: "Try it" }).click()
    await page.getByLabel("API key").fill((await createAccount(db, { plan: "free" })).key)
    await page.locator("[name=companyid]").fill("76")
    const answered = page.waitForResponse((response) => response.url().includes("/v1/bluetoothlookup"))
    await page.getByRole("button", { name: "Send the call" }).click()
    expect((await answered).status()).toBe(200)
    await page.getByText("Status 200").waitFor()

    expect(attempts).toEqual([])
    expect(complaints).toEqual([])
    await page.close()
  })

  test("/graphiql loads with the network cut off, reads the schema and runs a query", async () => {
    const page = await openPage(browser)
    const { attempts, complaints } = await cutOff(page)
    await page.goto(`${url}/graphiql`)
    const { key } = await createAccount(db, { plan: "free" })
    const loaded = page.waitForResponse((response) => response.url().includes("/v1/graphql"))
    await page.getByLabel("API key").fill(key)
    await page.getByLabel("API key").press("Tab")
    expect((await loaded).status()).toBe(200)
    await page.click(".graphiql-execute-button")
    await page.locator(".result-window").getByText("Apple, Inc.").waitFor()

    expect(attempts).toEqual([])
    expect(complaints).toEqual([])
    await page.close()
  })

  test("a page of another origin calls the API and reads its usage headers", async () => {
    const other = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () =>
        new Response("<!doctype html><title>elsewhere</title>", { headers: { "content-type": "text/html" } }),
    })
    const { key } = await createAccount(db, { plan: "free" })
    const page = await openPage(browser)
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

async function openPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage()
  await slowDown(page.context())
  await slowDownPage(page)
  return page
}

/** Blocks every other host for the page. Collects the URLs it asks for there, and its errors and warnings. */
async function cutOff(page: Page) {
  const attempts: string[] = []
  const complaints: string[] = []
  await page.route(
    (url) => url.hostname !== "127.0.0.1",
    (route) => {
      attempts.push(route.request().url())
      return route.abort()
    },
  )
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text())
  })
  page.on("pageerror", (error) => complaints.push(error.message))
  return { attempts, complaints }
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
