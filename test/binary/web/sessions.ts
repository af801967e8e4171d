import { expect, test as testAlways } from "bun:test"
import { launchBrowser } from "../browser-support.ts"
import { createCustomer, type Desk } from "./desk.ts"
import { createTabs } from "./tabs.ts"
import { testsInTurn } from "./turns.ts"

/** Other tabs, and pages that were left, when someone signs in or out. */
export function sessionsInBrowser(desk: Desk, whole: string | null): void {
  const test = testsInTurn()
  test("whoever signs out in one tab is signed out in the others at once", async () => {
    const { key } = await createCustomer(desk, "Two tabs")
    const { page } = await desk.visit("/portal", { key })
    await page.getByRole("row").nth(1).waitFor()
    const other = await page.context().newPage()
    await other.goto(`${desk.url}/portal`)
    await other.getByRole("button", { name: "Sign out", exact: true }).click()
    await other.getByRole("heading", { level: 1, name: "Sign in to your account" }).waitFor()
    await page.getByRole("heading", { level: 1, name: "Sign in to your account" }).waitFor()
    expect(await page.getByText("Two tabs").count()).toBe(0)
  })

  test("whoever signs in as another customer in one tab is this one in the others too", async () => {
    const first = await createCustomer(desk, "First customer")
    const second = await createCustomer(desk, "Second customer")
    await desk.call("PATCH", `/keys/${second.keyId}`, { name: "key of the second" })
    const { page } = await desk.visit("/portal", { key: first.key })
    await page.getByRole("row").nth(1).waitFor()
    const other = await page.context().newPage()
    await other.context().clearCookies()
    await other.goto(`${desk.url}/portal`)
    await other.getByLabel("API key").fill(second.key)
    await other.keyboard.press("Enter")
    await other.getByText("key of the second").waitFor()
    await page.getByText("key of the second").waitFor()
    expect(await page.getByText("First customer").count()).toBe(0)
  })

  test("after someone signed in again as another customer, nothing of the first is left", async () => {
    const first = await createCustomer(desk, "Customer before")
    const second = await createCustomer(desk, "Customer after")
    await desk.call("PATCH", `/keys/${first.keyId}`, { name: "key of before" })
    const { page } = await desk.visit("/portal", { key: first.key })
    await page.getByText("key of before").waitFor()
    await page.context().clearCookies()
    await page.getByRole("button", { name: "Rename key of before" }).click()
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("dialog", { name: "Sign in again" }).waitFor()
    await page.getByLabel("API key").fill(second.key)
    await page.keyboard.press("Enter")
    await page.getByText("Customer after").first().waitFor()
    expect(await page.getByText("key of before").count()).toBe(0)
  })

  testAlways.skipIf(whole === null)(
    "a page that the browser kept when it was left shows nothing after the session has ended",
    async () => {
      if (whole === null) return
      const { key } = await createCustomer(desk, "Kept page")
      // Playwright turns off what makes the way back fast.
      const browser = await launchBrowser(whole, ["--disable-back-forward-cache"])
      const tab = await createTabs(browser).take()
      tab.watch(desk.url, false)
      const { page } = tab
      await page
        .context()
        .request.post(`${desk.url}/portal/session`, { data: { key }, headers: { origin: desk.url } })
      await page.goto(`${desk.url}/portal`)
      await page.getByRole("row").nth(1).waitFor()
      await page.evaluate(
        "addEventListener('pageshow', ({ persisted }) => persisted && sessionStorage.setItem('kept', '1'))",
      )
      await page.goto(`${desk.url}/`)
      await page.context().clearCookies()
      await page.evaluate("history.back()")
      await page.waitForURL(`${desk.url}/portal`, { waitUntil: "commit" })
      await page.getByRole("heading", { level: 1, name: "Sign in to your account" }).waitFor()
      expect(await page.evaluate<string>("sessionStorage.getItem('kept')")).toBe("1")
      expect(await page.getByText("Kept page").count()).toBe(0)
      await browser.close()
    },
  )
}
