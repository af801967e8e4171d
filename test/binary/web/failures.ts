import { expect, test as testAlways } from "bun:test"
import { createCustomer, type Desk } from "./desk.ts"
import { testsInTurn } from "./turns.ts"
import { described } from "./wait.ts"

/** Pages when the service is gone or refuses. */
export function failuresInBrowser(desk: Desk): void {
  const test = testsInTurn()
  test("a screen with several lists says once that the service is gone, and is whole when it is back", async () => {
    const { key } = await createCustomer(desk, "Gone")
    const { page, look } = await desk.visit("/portal", { key, mayFail: true })
    await page.getByRole("row").nth(1).waitFor()
    await page.context().setOffline(true)
    await page.getByRole("link", { name: "Notices" }).click()
    await page.getByText("The service cannot be reached.").waitFor()
    await page.getByText("Loading notices").waitFor()
    await look("portal-webhook-service-gone", "above")
    expect(await page.getByText("The service cannot be reached.").count()).toBe(1)
    await page.getByRole("link", { name: "Playground" }).click()
    await page.getByText("Loading the APIs").waitFor()
    expect(await page.getByText("The service cannot be reached.").count()).toBe(1)
    await page.context().setOffline(false)
    await page.getByRole("button", { name: "Send the call" }).waitFor()
    await page.getByRole("link", { name: "Notices" }).click()
    await page.getByText("No webhook", { exact: true }).waitFor()
  })

  test("a page that opens while the service is gone goes on by itself when it is back", async () => {
    const { page } = await desk.visit("/robots.txt", { mayFail: true, key: null })
    await page.route(/\/session$/, (route) => route.abort())
    await page.goto(`${desk.url}/portal`)
    await page.getByText("The service cannot be reached.").first().waitFor()
    await page.unrouteAll()
    await page.getByRole("heading", { level: 1, name: "Sign in to your account" }).waitFor()
  })

  testAlways.each([
    [403, "forbidden", "This needs the permission 'accounts.read'."],
    [429, "too-many-requests", "Wait a minute, then try again."],
    [500, "internal", "Something went wrong on our side."],
    [503, "unavailable", "Try again soon: the store does not answer."],
  ])("a list that is refused with %d says why and can be tried again", async (status, code, detail) => {
    const { page, done } = await desk.visit("/console", { mayFail: true })
    await page.route(/\/admin\/v1\/accounts\?/, (route) =>
      route.fulfill({
        status,
        contentType: "application/problem+json",
        body: JSON.stringify({
          type: `urn:penknife:problem:${code}`,
          title: "No",
          status,
          detail,
          request_id: "r1",
        }),
      }),
    )
    await page.getByRole("link", { name: "Accounts", exact: true }).click()
    await page.getByRole("alert").getByText(detail).waitFor()
    await page.unrouteAll()
    await page.getByRole("button", { name: "Try again" }).click()
    await page.getByRole("row").nth(1).waitFor()
    expect(await page.getByRole("alert").count()).toBe(0)
    await done()
  })

  test("an address that is cut off or out of date says what is wrong, and leads on", async () => {
    const { page } = await desk.visit("/console/accounts/%E0%A4%A")
    await page.getByRole("alert").getByText("There is no account").waitFor()
    await page.goto(`${desk.url}/console/accounts?after=old`)
    await page.getByRole("alert").getByText("must be the 'next' of the page before").waitFor()
    await page.getByRole("button", { name: "First page" }).click()
    await page.getByRole("row").nth(1).waitFor()
    expect(new URL(page.url()).search).toBe("")
  })

  test("a wrong field in a closed part of a form is opened and has the focus", async () => {
    const { key } = await createCustomer(desk, "Closed part")
    const { page } = await desk.visit("/portal", { key })
    await page.getByRole("button", { name: "Create key" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByText("Limits", { exact: true }).click()
    await dialog.getByLabel("Calls a minute").fill("0")
    await dialog.getByText("Limits", { exact: true }).click()
    await dialog.getByRole("button", { name: "Create key" }).click()
    await dialog.locator("[name=rate_limit][aria-invalid=true]:focus").waitFor()
    await described(dialog.getByLabel("Calls a minute"), /Must be/)
  })
}
