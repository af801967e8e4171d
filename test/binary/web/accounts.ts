import { expect } from "bun:test"
import { callOnce, createCustomer, type Desk } from "./desk.ts"
import { testsInTurn } from "./turns.ts"
import { counted, described, pressByKeys, said, tabTo } from "./wait.ts"

/** A text that would run if it ever became HTML. */
export const hostile = "<img src=x onerror=alert(1)>"

export function accountsInBrowser(desk: Desk): void {
  const test = testsInTurn()
  test("an account is created, found, given credits, renamed, closed and reopened by mouse", async () => {
    const { page, look } = await desk.visit("/console/accounts")
    await page.getByRole("button", { name: "Create account" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Create account" }).click()
    const name = page.getByLabel("Name")
    await page.locator("[name=name][aria-invalid=true]:focus").waitFor()
    await described(name, /Type a name\./)
    await look("accounts-create-refused", "above")
    await name.fill(hostile)
    await page.getByRole("dialog").getByLabel("Plan").selectOption("pro")
    await page.getByRole("dialog").getByRole("button", { name: "Create account" }).click()
    await page.getByRole("heading", { level: 1, name: hostile }).waitFor()
    await look("account-new")

    await page.getByRole("button", { name: "Adjust credits" }).click()
    const credits = page.getByRole("textbox", { name: "Credits" })
    await page.getByLabel("Reason").fill("Welcome")
    await credits.press("Enter")
    await described(credits, /Type a whole number/)
    await credits.fill("0")
    await credits.press("Enter")
    // The service's own message, at the field that it names.
    await described(credits, /Must not be 0/)
    await look("account-adjust-refused", "above")
    await credits.fill("500")
    await credits.press("Enter")
    await said(page, "Credits adjusted.")
    await page.getByText("1,000,500").waitFor()

    await page.getByRole("button", { name: "Edit", exact: true }).click()
    await page.getByLabel("Name").fill(`${hostile} & Co`)
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("heading", { level: 1, name: `${hostile} & Co` }).waitFor()

    await page.getByRole("button", { name: "Close", exact: true }).click()
    await look("account-close-question", "above")
    await page.getByRole("button", { name: "Close account" }).click()
    await page.getByText("This account has been closed since").waitFor()
    await look("account-closed")
    await page.getByRole("button", { name: "Reopen" }).click()
    await page.getByRole("button", { name: "Adjust credits" }).waitFor()

    await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Accounts" }).click()
    await page.getByLabel("Search").fill("img src")
    await page.waitForURL(/search=img/)
    await page.getByRole("rowheader", { name: `${hostile} & Co` }).waitFor()
    await page.getByRole("row").nth(2).waitFor({ state: "detached" })
    await page.getByLabel("State").selectOption("Closed")
    await page.getByText("No accounts match").waitFor()
    await look("accounts-none-match")
    // The address names the screen.
    await page.reload()
    await page.getByText("No accounts match").waitFor()
    expect(await page.getByLabel("Search").inputValue()).toBe("img src")
  })

  test("who may not list the plans types the name of one", async () => {
    const { key } = await desk.call("POST", "/admins", { name: "Accounts only", may: ["accounts.*"] })
    const { page, look } = await desk.visit("/console/accounts", { key })
    await page.getByRole("button", { name: "Create account" }).click()
    const window = page.getByRole("dialog")
    await window.getByLabel("Name").fill("Without a list")
    await window.getByLabel("Plan").fill("gold")
    await page.keyboard.press("Enter")
    await described(window.getByLabel("Plan"), /There is no plan 'gold'\. The plans are free, /)
    await look("accounts-create-plan", "above")
    await window.getByLabel("Plan").fill("pro")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { level: 1, name: "Without a list" }).waitFor()
  })

  test("an account is created by keyboard alone", async () => {
    const { page } = await desk.visit("/console/accounts")
    await page.getByRole("row").nth(1).waitFor()
    await pressByKeys(page, "Create account")
    await page.getByRole("dialog").waitFor()
    await tabTo(page, "Name")
    await page.keyboard.type("By keyboard")
    await page.getByRole("dialog").getByRole("option", { name: "pro" }).waitFor({ state: "attached" })
    await page.keyboard.press("Tab")
    await page.keyboard.type("pro")
    await page.keyboard.press("Enter")
    await pressByKeys(page, "Create account")
    // The heading has the focus, so that a screen reader says which screen this is.
    await page.locator("h1:focus", { hasText: "By keyboard" }).waitFor()
    await pressByKeys(page, "Close")
    await page.getByRole("dialog").waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    // The focus goes back.
    await page.locator("button:focus", { hasText: "Close" }).waitFor()
  })

  test("an adjustment is undone after a question, with a reason that the customer reads", async () => {
    const { id } = await desk.call("POST", "/accounts", { name: "Granted too much", plan: "pro" })
    await desk.call("POST", `/accounts/${id}/adjustments`, { credits: 5_000, reason: hostile })
    const { page, look } = await desk.visit(`/console/accounts/${id}`)
    await pressByKeys(page, "Undo")
    const window = page.getByRole("dialog")
    await window.getByText("5,000 credits are taken from the account.").waitFor()
    // The next characters go into the field that is required, and a space does not close the window.
    await page.locator("[name=reason]:focus").waitFor()
    await look("account-undo", "above")
    await page.keyboard.press("Space")
    await page.keyboard.press("Escape")
    await window.waitFor({ state: "detached" })
    await page.locator("button:focus", { hasText: "Undo" }).waitFor()
    await page.keyboard.press("Enter")
    await window.getByLabel("Reason").fill("")
    await window.getByRole("button", { name: "Undo adjustment" }).click()
    await described(window.getByLabel("Reason"), /Type a reason\./)
    await window.getByLabel("Reason").fill("It was meant for another account")
    await page.keyboard.press("Enter")
    await said(page, "Adjustment undone.")
    await page.getByText("It was meant for another account").waitFor()
    await page.locator(":focus").getByRole("table").waitFor()
    await counted(page.getByRole("button", { name: "Undo" }), 0)
    await look("account-undone")
    expect((await desk.call("GET", `/accounts/${id}`)).bonus).toBe(0)
  })

  test("an account in debt says what it owes, and an unknown one that it is none", async () => {
    const { id } = await desk.call("POST", "/accounts", { name: "In debt", plan: "free" })
    const { page, look } = await desk.visit("/console/accounts")
    await page.route(`**/admin/v1/accounts/${id}`, async (route) => {
      const account = await (await route.fetch()).json()
      await route.fulfill({ json: { ...account, bonus: -200, remaining: 800 } })
    })
    await page.goto(`${desk.url}/console/accounts/${id}`)
    await page.getByText("owes 200 credits").waitFor()
    await look("account-debt", "above")
    await page.goto(`${desk.url}/console/accounts/acc_nobody`)
    await page.getByRole("alert").getByText("There is no account 'acc_nobody'").waitFor()
    await look("account-unknown")
  })

  test("a webhook is set with its secret shown once, tested and removed", async () => {
    const { id } = await desk.call("POST", "/accounts", { name: "With a webhook", plan: "free" })
    const { page, look } = await desk.visit(`/console/accounts/${id}`)
    await page.getByRole("button", { name: "Set a webhook" }).click()
    const address = page.getByLabel("Address", { exact: true })
    await address.fill("ftp://example.com")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText(/https/).first().waitFor()
    await page.locator("[name=url][aria-invalid=true]").waitFor()
    await address.fill("http://localhost:9/hook")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText(/^whsec_/).waitFor()
    await look("account-webhook-secret", "above")
    await page.getByRole("button", { name: "I have copied it" }).click()
    await page.getByText("http://localhost:9/hook").waitFor()
    await page.getByRole("button", { name: "Choose events" }).click()
    await page.getByLabel("All credits are used up").check()
    await look("account-webhook-events", "above")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("80 % and 95 % of the credits are used · All credits are used up").waitFor()
    await page.getByRole("button", { name: "Send a test event" }).click()
    await said(page, "A test event is on its way.")
    await look("account-webhook")
    await page.getByRole("button", { name: "Remove" }).click()
    await page.getByRole("button", { name: "Remove webhook" }).click()
    await page.getByText("No webhook", { exact: true }).waitFor()
  })

  test("usage is a plot with its figures as a table and as a file", async () => {
    const { account, key } = await createCustomer(desk, "Busy", "free")
    for (let call = 0; call < 3; call++) await callOnce(desk, key)
    const { page, look } = await desk.visit(`/console/accounts/${account}`)
    await page.locator("canvas").first().waitFor()
    await page.getByText("Figures").first().click()
    const today = new Date().toISOString().slice(0, 10)
    expect(await page.getByRole("img", { name: /^Calls by day/ }).getAttribute("aria-label")).toContain(
      "at most 3",
    )
    const saving = page.waitForEvent("download")
    await page.getByRole("button", { name: "Save as CSV" }).click()
    const file = await (await saving).createReadStream()
    const text = await new Response(file).text()
    expect(text).toStartWith("Time,Calls\r\n")
    expect(text).toContain(`${today}T00:00:00Z,3\r\n`)
    await look("account-usage")
  })
}

/** A list of 100,000 accounts as the operation answers it, page after page. */
function pageOfMany(address: URL) {
  const limit = Number(address.searchParams.get("limit"))
  const first = Number(address.searchParams.get("after") ?? 0)
  const data = Array.from({ length: Math.min(limit, 100_000 - first) }, (_, index) => ({
    ...oneOfMany,
    id: `acc_${first + index}`,
    name: `Customer ${first + index}`,
  }))
  const next = first + limit < 100_000 ? String(first + limit) : null
  return { data, has_more: next !== null, next }
}

const oneOfMany = {
  plan: "free",
  closed: null,
  problem: null,
  used_percent: 40,
  remaining: 600,
  created: "2026-01-31T00:00:00Z",
}

export function manyAccountsInBrowser(desk: Desk): void {
  const test = testsInTurn()
  test("a list of 100,000 accounts is shown page by page, and the pages that were left take no room", async () => {
    const { page, look } = await desk.visit("/console")
    await page.route(/\/admin\/v1\/accounts\?/, (route) =>
      route.fulfill({ json: pageOfMany(new URL(route.request().url())) }),
    )
    await page.getByRole("link", { name: "Accounts", exact: true }).click()
    for (let number = 0; number < 10; number++) {
      const first = page.getByRole("rowheader", { name: `Customer ${number * 50}`, exact: false }).first()
      await first.waitFor()
      await page.getByRole("button", { name: "Next page" }).click()
    }
    await page.getByText("Customer 549", { exact: true }).waitFor()
    await counted(page.getByRole("row"), 51)
    const metrics = await page.context().newCDPSession(page)
    await metrics.send("Performance.enable")
    // A busy browser collects later what the pages before have left.
    await metrics.send("HeapProfiler.collectGarbage")
    const { metrics: values } = await metrics.send("Performance.getMetrics")
    const metricOf = (name: string) => values.find((each) => each.name === name)?.value ?? Number.NaN
    expect(metricOf("JSHeapUsedSize")).toBeLessThan(100_000_000)
    await page.getByRole("button", { name: "Previous page" }).click()
    await page.getByText("Customer 450", { exact: true }).waitFor()
    // The place is in the address.
    expect(page.url()).toContain("after=450")
    await look("accounts-many", "above")
  })
}
