import { expect } from "bun:test"
import type { Page } from "playwright-core"
import { eventually } from "../../support/eventually.ts"
import type { Desk } from "./desk.ts"
import { testsInTurn } from "./turns.ts"
import { counted, said, settled } from "./wait.ts"

/** Pages between a question and its answer, when answers come late or in another order. */
export function slowAnswersInBrowser(desk: Desk): void {
  const test = testsInTurn()
  const create = (name: string) => desk.call("POST", "/accounts", { name, plan: "free" })

  test("a list is marked as old from the moment that a filter changes until its answer is there", async () => {
    await create("Slow apple")
    await create("Slow pear")
    const { page } = await desk.visit("/console/accounts?search=Slow")
    await counted(page.getByRole("rowheader"), 2)
    // The page when the filter is in the address, and after that.
    await page.evaluate(keepStates)
    const answer = await hold(page, /\/admin\/v1\/accounts\?/)
    await page.getByLabel("Search").fill("Slow apple")
    await answer.asked
    // The request may leave before the next frame, in which the page is looked at.
    await eventually(async () => {
      const states = await page.evaluate<string[]>("statesForTests")
      expect([...new Set(states)]).toEqual(["search=Slow, 2 rows", "search=Slow+apple, busy"])
    })
    answer.come()
    await settled(page)
    await counted(page.getByRole("rowheader"), 1)
  })

  test("an answer that a later one has overtaken is not shown; a refusal does not leave the list before", async () => {
    await create("Overtaken one")
    await create("Overtaken two")
    const { page } = await desk.visit("/console/accounts?search=Overtaken")
    await counted(page.getByRole("rowheader"), 2)
    const first = await hold(page, /search=Overtaken\+one/)
    await page.getByLabel("Search").fill("Overtaken one")
    await first.asked
    await page.getByLabel("Search").fill("Overtaken two")
    await page.getByRole("rowheader", { name: "Overtaken two" }).waitFor()
    await counted(page.getByRole("rowheader"), 1)
    first.come()
    await settled(page)
    await page.getByRole("rowheader", { name: "Overtaken two" }).waitFor()
    await page.route(/search=refused/, (route) =>
      route.fulfill({ status: 400, json: { detail: "Not this one.", type: "https://x/invalid" } }),
    )
    await page.getByLabel("Search").fill("refused")
    await page.getByRole("alert").getByText("Not this one.").waitFor()
    await counted(page.getByRole("rowheader"), 0)
  })

  test("two quick presses of 'Next page' are one page, so that one press leads back", async () => {
    const { page } = await desk.visit("/console")
    const rows = (after: string | null) => [{ ...account, id: `acc_${after}`, name: `After ${after}` }]
    await page.route(/\/admin\/v1\/accounts\?/, (route) => {
      const after = new URL(route.request().url()).searchParams.get("after")
      const next = String(Number(after ?? 0) + 1)
      return route.fulfill({ json: { data: rows(after), has_more: true, next } })
    })
    await page.getByRole("link", { name: "Accounts", exact: true }).click()
    await page.getByText("After null", { exact: true }).waitFor()
    await page.getByRole("button", { name: "Next page" }).dblclick()
    await page.getByText("After 1", { exact: true }).waitFor()
    await page.getByRole("button", { name: "Previous page" }).click()
    await page.getByText("After null", { exact: true }).waitFor()
  })

  test("a window stays while its form is sent, so that the text of a new key is seen", async () => {
    const { id } = await create("Impatient")
    const { page } = await desk.visit(`/console/accounts/${id}`)
    await page.getByRole("button", { name: "Create key" }).click()
    const answer = await hold(page, /\/admin\/v1\/keys$/)
    // The APIs come later, and move the button.
    await page.getByRole("dialog").getByLabel("hmac").waitFor()
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click()
    await answer.asked
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click()
    answer.come()
    await page.getByText(/^pk-\w{38}$/).waitFor()
  })

  test("who leaves a screen while a form is sent stays where they went", async () => {
    const { page } = await desk.visit("/console")
    await page.getByRole("link", { name: "Accounts", exact: true }).click()
    await page.getByRole("button", { name: "Create account" }).click()
    await page.getByLabel("Name").fill("Left behind")
    await page.getByRole("dialog").getByRole("option", { name: "pro" }).waitFor({ state: "attached" })
    const answer = await hold(page, /\/admin\/v1\/accounts$/)
    await page.getByRole("dialog").getByRole("button", { name: "Create account" }).click()
    await answer.asked
    await page.goBack()
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
    const entries = await page.evaluate<number>("history.length")
    const created = page.waitForResponse(/\/admin\/v1\/accounts$/)
    answer.come()
    await (await created).finished()
    await page.getByRole("link", { name: "Keys", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor()
    // The link is the only way that was gone.
    expect(await page.evaluate<number>("history.length")).toBe(entries)
  })

  test("what was saved is there when it is edited again at once, and what others changed meanwhile is not lost", async () => {
    const { id } = await create("Before")
    const { page } = await desk.visit(`/console/accounts/${id}`)
    await page.getByRole("button", { name: "Edit", exact: true }).click()
    await page.getByLabel("Name").fill("Saved")
    const readAgain = await hold(page, new RegExp(`/admin/v1/accounts/${id}$`), "GET")
    await page.getByRole("button", { name: "Save" }).click()
    await said(page, "Account saved.")
    await readAgain.asked
    await page.getByRole("button", { name: "Edit", exact: true }).click()
    expect(await page.getByLabel("Name").inputValue()).toBe("Saved")
    await desk.call("PATCH", `/accounts/${id}`, { name: "Theirs" })
    readAgain.come()
    await page.getByRole("heading", { level: 1, name: "Theirs" }).waitFor()
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("dialog").getByRole("alert").waitFor()
    expect((await desk.call("GET", `/accounts/${id}`)).name).toBe("Theirs")
  })

  test("requests are not said to be live before they are, nor shown under a filter that they do not fit", async () => {
    const { page } = await desk.visit("/console/requests")
    await page.getByRole("status").getByText("Live", { exact: true }).waitFor()
    await page.evaluate(keepStates)
    const answer = await hold(page, /\/admin\/v1\/requests\?status=4xx/)
    await page.getByLabel("Status").selectOption("4xx")
    await answer.asked
    await page.getByRole("status").getByText("Connecting", { exact: true }).waitFor()
    const states = await page.evaluate<string[]>("statesForTests")
    expect(states.filter((state) => state.startsWith("status=4xx") && state.includes("live"))).toEqual([])
    answer.come()
    await page.getByRole("status").getByText("Live", { exact: true }).waitFor()
  })

  test("the filter for an API is not replaced under the hands of who uses it, and leaves no figures of other APIs", async () => {
    const { page } = await desk.visit("/console/plans")
    const plans = await hold(page, /\/admin\/v1\/plans/)
    await page.getByRole("link", { name: "Errors" }).click()
    await plans.asked
    await page.getByRole("combobox", { name: "API" }).focus()
    plans.come()
    await page
      .getByRole("combobox", { name: "API" })
      .getByRole("option", { name: "hmac" })
      .waitFor({ state: "attached" })
    await page.locator("select:focus").waitFor()
    await page.getByRole("link", { name: "Overview" }).click()
    await page.locator(".stat", { hasText: "Credits" }).waitFor()
    await page.getByLabel("API", { exact: true }).selectOption("hmac")
    await page.waitForURL(/api=hmac/)
    await settled(page)
    await counted(page.locator(".stat", { hasText: "Credits" }), 0)
  })
}

const account = {
  plan: "free",
  closed: null,
  problem: null,
  used_percent: 0,
  remaining: 1000,
  created: "2026-01-31T00:00:00Z",
}

/** Keeps the next request to an address from the service until `come` is called. `asked` resolves when it is there. */
async function hold(page: Page, address: RegExp, method?: string) {
  const asked = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  let isFirst = true
  await page.route(address, async (route) => {
    if (!isFirst || (method !== undefined && route.request().method() !== method)) return route.fallback()
    isFirst = false
    asked.resolve()
    await held.promise
    await route.continue()
  })
  return { asked: asked.promise, come: held.resolve }
}

/**
 * Keeps what is shown in each frame, beside the filter that is in the address: how many rows, whether they are marked as old or
 * live.
 */
const keepStates = `(() => {
  globalThis.statesForTests = []
  const look = () => {
    const isBusy = document.querySelector("[aria-busy=true]") !== null
    const isLive = document.querySelector(".live")?.textContent.includes("Live")
    const rows = document.querySelectorAll("tbody tr").length
    statesForTests.push(location.search.slice(1) + ", " + (isBusy ? "busy" : isLive ? "live" : rows + " rows"))
    requestAnimationFrame(look)
  }
  look()
})()`
