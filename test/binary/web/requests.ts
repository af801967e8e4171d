import { expect } from "bun:test"
import type { Page } from "playwright-core"
import { hostile } from "./accounts.ts"
import { callOnce, createCustomer, type Desk, emptyList } from "./desk.ts"
import { testsInTurn } from "./turns.ts"
import { counted, pressByKeys, said, settled } from "./wait.ts"

const stream = /\/admin\/v1\/requests/
const request = {
  at: "2027-01-31T12:00:00.250Z",
  request_id: "7Hf2kQ9x",
  surface: "rest",
  api: "hmac",
  status: 200,
  fault: null,
  account: "acc_1234567890abcdef",
  key: "key_1234567890abcdef",
  credits: 1,
  ms: 0.42,
  address: "203.0.113.7",
}

/** Kept requests have the names of account and key. */
const named = { ...request, account_name: `Ann & Söhne ${"GmbH ".repeat(6)}`.trim(), key_name: "deploy" }
const unnamed = { ...request, ms: 0.43, account_name: null, key_name: "" }

/** Answers the first watch with some events, and ends it. Lines end as some proxies change them. */
async function answerOnce(page: Page, events: readonly object[]): Promise<void> {
  const sent = events.map((event) => `data: ${JSON.stringify(event)}\n\n`)
  const body = `retry: 2000\n: watching\n\n${sent.join("")}`.replaceAll("\n", "\r\n")
  await page.route(stream, (route) => route.fulfill({ body, contentType: "text/event-stream" }), { times: 1 })
}

/** Rows of requests, without the heading. */
const rows = (page: Page) => page.locator("tbody tr")

export function requestsInBrowser(desk: Desk): void {
  const test = testsInTurn()
  async function withKey() {
    const { account, key } = await createCustomer(desk, "Watched")
    const call = (company: string) =>
      fetch(`${desk.url}/v1/bluetoothlookup?companyid=${company}`, { headers: { "x-api-key": key } })
    return { account, call }
  }

  test("requests appear while they happen, filtered by what the address says; by keyboard the list is paused", async () => {
    const { account, call } = await withKey()
    const { page, look } = await desk.visit("/console/requests")
    await page.getByRole("status").getByText("Live", { exact: true }).waitFor()
    await look("requests-empty")
    await call("76")
    await call("nobody")
    await page.getByText("inputRejected").waitFor()
    await counted(rows(page), 2)
    await look("requests-two")
    await page.getByLabel("Status").selectOption("4xx")
    await page.waitForURL(/status=4xx/)
    await page.getByRole("status").getByText("Live", { exact: true }).waitFor()
    await call("76")
    await call("nobody")
    await page.getByText("inputRejected").waitFor()
    await counted(rows(page), 1)
    await pressByKeys(page, "Pause")
    for (const company of ["nobody", "76", "no one"]) await call(company)
    await page.getByText("2 new since the pause").waitFor()
    await counted(rows(page), 1)
    await look("requests-paused", "above")
    await page.keyboard.press("Enter")
    await counted(rows(page), 3)
    await page.getByText(account).first().waitFor()
    await page.getByRole("link", { name: "Watched", exact: true }).first().click()
    await page.getByRole("heading", { level: 1, name: "Watched" }).waitFor()
  })

  test("a connection that ends is made again, and what the rows say is text", async () => {
    const { call } = await withKey()
    const { page, look } = await desk.visit("/console/plans")
    await answerOnce(page, [{ ...request, api: hostile, fault: hostile, status: 500 }])
    await page.getByRole("link", { name: "Requests" }).click()
    await said(page, "Connection lost, trying again")
    await page.getByText(hostile).first().waitFor()
    await look("requests-lost", "above")
    await page.getByRole("status").getByText("Live", { exact: true }).waitFor()
    await call("76")
    await rows(page).nth(1).waitFor()
  })

  test("of many requests the newest 200 are kept", async () => {
    const { page, look } = await desk.visit("/console/plans")
    const many = Array.from({ length: 450 }, (_, ms) => ({ ...request, request_id: "the same", ms }))
    await answerOnce(page, many)
    await page.getByRole("link", { name: "Requests" }).click()
    await page.getByText("The newest 200 are shown.").waitFor()
    await counted(rows(page), 200)
    await rows(page).first().getByText("449").waitFor()
    await look("requests-many", "above")
    await page.getByRole("button", { name: "Clear" }).click()
    await page.getByText("Waiting for the first request").waitFor()
  })

  test("kept requests have times in the chosen zone, names, and ids that can be copied", async () => {
    const { page, look } = await desk.visit("/console/plans")
    const devtools = await page.context().newCDPSession(page)
    await devtools.send("Emulation.setTimezoneOverride", { timezoneId: "America/New_York" })
    const asked: string[] = []
    await page.route(/\/admin\/v1\/requests\/kept/, (route) => {
      asked.push(new URL(route.request().url()).searchParams.get("from") ?? "")
      return route.fulfill({ json: { data: [named, unnamed], has_more: true, next: "more" } })
    })
    await page.goto(`${desk.url}/console/requests?view=kept`)
    await page.getByText("31 Jan 2027, 12:00:00").first().waitFor()
    const [first, second] = [rows(page).first(), rows(page).nth(1)]
    await first.getByRole("link", { name: named.account_name, exact: true }).waitFor()
    await first.getByRole("link", { name: named.key_name, exact: true }).waitFor()
    // An account that is gone and a key without a name keep their ids alone.
    await second.getByRole("link", { name: request.account }).waitFor()
    await second.getByRole("link", { name: request.key }).waitFor()
    for (const id of [request.request_id, request.account, request.key])
      for (const row of [first, second]) await row.getByRole("button", { name: `Copy ${id}` }).waitFor()
    await look("requests-kept")
    await page.getByLabel("Zone").selectOption("Local")
    await page.getByText("31 Jan 2027, 07:00:00").first().waitFor()
    await page.getByRole("columnheader", { name: "Time (local)" }).waitFor()
    const filtered = page.waitForResponse(/from=2027-01-31T12%3A00Z/)
    await page.getByLabel("From (local)").fill("2027-01-31T07:00")
    await page.waitForURL(/from=2027-01-31T12%3A00Z/)
    await filtered
    expect(await page.getByLabel("From (local)").inputValue()).toBe("2027-01-31T07:00")
    // The number of the first row is no time. There is no next page until this one has come.
    await settled(page)
    const secondPage = page.waitForResponse(/after=more/)
    await page.getByRole("button", { name: "Next page" }).click()
    await secondPage
    await page.getByText("3–4").waitFor()
    expect(asked).toEqual(["", "2027-01-31T12:00Z", "2027-01-31T12:00Z"])
    await devtools.detach()
  })

  test("a refusal is shown with its reason", async () => {
    const { page, look } = await desk.visit("/console/plans", { mayFail: true })
    const detail = "Close another watch first: so many cannot watch at once."
    const problem = { type: "https://x/unavailable", detail }
    await page.route(stream, (route) => route.fulfill({ status: 503, json: problem }))
    await page.getByRole("link", { name: "Requests" }).click()
    await page.getByText("Close another watch first").waitFor()
    await page.getByText("Not watching").waitFor()
    await look("requests-refused", "above")
  })
}

/** @param desk a service that keeps none */
export function noKeptRequestsInBrowser(desk: Desk): void {
  const test = testsInTurn()
  test("where none are kept, operators read how to keep them, and customers that there are none", async () => {
    const { key } = await createCustomer(desk, "Nothing kept")
    for (const [address, text, options] of [
      ["/console/requests?view=kept", "Start it with '--keep-requests 30'", {}],
      ["/portal/requests", "This service keeps no requests.", { key }],
    ] as const) {
      // The browser reports the refusal.
      const { page, look, done } = await desk.visit(address, { ...options, mayFail: true })
      await page.getByText(text).waitFor()
      await counted(page.getByRole("button", { name: "Try again" }), 0)
      await look(`requests-none-kept-${address.split("/")[1]}`)
      await done()
    }
  })
}

/** @param desk a service that keeps requests */
export function keptRequestsInBrowser(desk: Desk): void {
  const test = testsInTurn()
  test("an operator and the customer see whose key called, by name", async () => {
    const { id } = await desk.call("POST", "/accounts", { name: "Named Ltd", plan: "pro" })
    const { id: keyId, key } = await desk.call("POST", "/keys", { account: id, name: "nightly run" })
    await callOnce(desk, key)
    const operator = await desk.visit(`/console/requests?view=kept&account=${id}`)
    await operator.page.getByRole("link", { name: "Named Ltd" }).waitFor()
    await operator.page.getByRole("button", { name: `Copy ${keyId}` }).waitFor()
    await operator.page.getByRole("link", { name: "nightly run" }).click()
    await operator.page.getByRole("heading", { level: 1, name: "nightly run" }).waitFor()
    await operator.done()
    const { page, look } = await desk.visit("/portal/webhook", { key })
    // The filter lists the first keys of many; a row knows its own.
    await page.route(/\/portal\/v1\/keys\?/, (route) => route.fulfill(emptyList))
    await page.getByRole("link", { name: "Requests" }).click()
    await page.getByRole("cell", { name: "nightly run" }).waitFor()
    await look("portal-requests")
  })
}

export function errorsInBrowser(desk: Desk): void {
  const test = testsInTurn()
  const texts = { meaning: "The account had used up its calls.", advice: "Give it a larger plan." }
  const data = [
    { fault: "rateLimited", api: "hmac", calls: 1_204 },
    { fault: "rateLimited", api: "several", calls: 12 },
    { fault: hostile, api: hostile, calls: 3 },
  ].map((fault) => ({ ...fault, first: request.at, last: request.at, ...texts }))

  test("errors are grouped by what was wrong, with what to do, and lead to the requests", async () => {
    const { page, look } = await desk.visit("/console/plans")
    await page.route(/\/history\/faults/, (route) => route.fulfill({ json: { data } }))
    await page.getByRole("link", { name: "Errors" }).click()
    await page.getByText("1,216 requests").waitFor()
    await counted(page.getByRole("heading", { level: 2 }), 2)
    await look("errors-many")
    await page.getByRole("link", { name: "Watch live rateLimited of hmac" }).click()
    await page.waitForURL(/fault=rateLimited&api=hmac/)
    await page.getByRole("heading", { level: 1, name: "Requests" }).waitFor()
    expect(await page.getByLabel("Fault").inputValue()).toBe("rateLimited")
  })

  test("the time is chosen by keyboard; without errors it is said", async () => {
    const { page, look } = await desk.visit("/console/errors?api=danevalidator")
    await page.getByText("No errors in this time").waitFor()
    await look("errors-none")
    await page.getByLabel("Time").focus()
    await page.keyboard.press("ArrowDown")
    await page.waitForURL(/range=week/)
  })
}
