import { expect } from "bun:test"
import { createCustomer, type Desk, emptyList } from "./desk.ts"
import { testsInTurn } from "./turns.ts"
import { counted } from "./wait.ts"

export function statementsInBrowser(desk: Desk): void {
  const test = testsInTurn()
  test("the statements of a young service begin with this month, in the order that the screen says", async () => {
    const { id } = await desk.call("POST", "/accounts", { name: "Invoiced", plan: "pro" })
    const { page, look } = await desk.visit("/console/statements?month=2020-01&sort=nope")
    const months = page.getByRole("combobox", { name: "Month" })
    await page.getByRole("row").nth(1).waitFor()
    const [thisMonth = "", ...others] = await months.getByRole("option").allTextContents()
    expect(thisMonth).toMatch(/^[A-Z][a-z]+ \d{4}$/)
    expect(others).toEqual([])
    expect(await page.getByLabel("Order").inputValue()).toBe("")
    await counted(page.getByRole("link", { name: "CSV" }), 1)
    await look("statements-young")
    await page.getByRole("link", { name: "Invoiced" }).click()
    await page.getByRole("heading", { level: 1, name: "Statement", exact: true }).waitFor()
    await page.waitForURL(new RegExp(`/statements/${id}\\?month=`))
    await months.getByRole("option").first().waitFor({ state: "attached" })
    expect(await months.getByRole("option").allTextContents()).toEqual([thisMonth])
    await page.goBack()
    await page.getByLabel("Order").selectOption("Most used first")
    await page.getByText(/left out|Nothing was used/).waitFor()
  })

  test("a customer's address with another month shows the newest one, in words, and says so", async () => {
    const { account, key } = await createCustomer(desk, "Odd months")
    const { data } = await desk.call("GET", `/accounts/${account}/statements`)
    const [{ month: newest = "" } = {}] = data as readonly { readonly month: string }[]
    const { page, look } = await desk.visit(`/portal/statements?month=${newest}`, { key })
    const months = page.getByRole("combobox", { name: "Month" })
    await page.getByRole("heading", { name: "Credits and plan" }).waitFor()
    const [inWords = "", ...others] = await months.getByRole("option").allTextContents()
    expect(inWords).toMatch(/^[A-Z][a-z]+ \d{4}$/)
    expect(others).toEqual([])
    await counted(page.getByText("is shown instead"), 0)
    for (const [asked, problem] of [
      ["2020-01", "There is no statement of January 2020."],
      ["2026-13", "The address has no month such as 2027-01."],
      ["nope", "The address has no month such as 2027-01."],
    ]) {
      await page.goto(`${desk.url}/portal/statements?month=${asked}`)
      await page.getByText(`${problem} ${inWords} is shown instead.`).waitFor()
      await page.getByRole("heading", { name: "Credits and plan" }).waitFor()
      expect(await months.getByRole("option").allTextContents()).toEqual([inWords])
      await counted(page.getByRole("alert"), 0)
    }
    await look("portal-statements-other-month")
  })

  test("on paper a statement is a document: it says whose it is, and has nothing to press, no other list and dark ink", async () => {
    const { account, key } = await createCustomer(desk, "On paper")
    await desk.call("POST", `/accounts/${account}/credits`, { credits: 2_000, reason: "Welcome" })
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, done } = await desk.visit("/portal/statements", { key })
      await page.getByRole("heading", { name: "Adjustments of credits" }).waitFor()
      await page.getByRole("table", { name: "Credits and plan" }).waitFor()
      await page.getByText("Printed on").waitFor({ state: "hidden" })
      await page.emulateMedia({ media: "print", colorScheme })
      await page.getByText("Printed on").waitFor()
      await page.getByText(account).waitFor()
      await page.getByRole("table", { name: "Credits and plan" }).getByText("Welcome").waitFor()
      for (const hidden of ["button", "combobox", "navigation"] as const)
        await counted(page.getByRole(hidden), 0)
      await counted(page.getByRole("heading", { name: "Adjustments of credits" }), 0)
      const ink: string = await page.evaluate("getComputedStyle(document.querySelector('h1')).color")
      expect(Number(/\d+/.exec(ink)?.[0])).toBeLessThan(100)
      await page.emulateMedia({ media: null })
      await done()
    }
  })

  test("without accounts there are no statements, and that is no fault of a filter", async () => {
    const { page, look } = await desk.visit("/console/plans")
    await page.route(/\/admin\/v1\/statements\/months/, (route) => route.fulfill(emptyList))
    await page.getByRole("link", { name: "Statements" }).click()
    await page.getByText("There are no accounts yet.").waitFor()
    await look("statements-none", "above")
  })

  test("a statement shows a long name whole, in cards of even width", async () => {
    const name = "accounting.department.north@a-customer-with-a-long-name.example.com"
    const { id } = await desk.call("POST", "/accounts", { name, plan: "free" })
    await desk.call("POST", `/accounts/${id}/credits`, { credits: 2_000 })
    await desk.call("POST", `/accounts/${id}/adjustments`, { credits: -500, reason: "Granted twice" })
    const { page, look } = await desk.visit(`/console/statements/${id}`)
    const cards = page.locator(".stat")
    await cards.filter({ hasText: name }).waitFor()
    await cards.filter({ hasText: "-500 credits adjusted" }).waitFor()
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 860 })
      const widths = await cards.evaluateAll((all) => all.map((card) => Math.round(card.offsetWidth)))
      expect([...new Set(widths)]).toHaveLength(1)
      const cut = cards.evaluateAll((all) => all.filter((card) => card.scrollWidth > card.clientWidth).length)
      expect(await cut).toBe(0)
    }
    await look("statement")
  })
}
