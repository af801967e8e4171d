import { expect } from "bun:test"
import type { Page } from "playwright-core"
import type { Answer, Desk } from "./desk.ts"
import { testsInTurn } from "./turns.ts"
import { counted, described, pressByKeys, said, settled, tabTo } from "./wait.ts"

/** Several rows of a list are changed at once. */
export function bulkInBrowser(desk: Desk): void {
  const test = testsInTurn()
  test("by keyboard alone, two accounts are selected and their credits adjusted", async () => {
    const [one, two, other] = await createAccounts("Adjusted one", "Adjusted two", "Adjusted not")
    const { page, look } = await desk.visit("/console/accounts?search=Adjusted")
    await counted(page.getByRole("rowheader"), 3)
    for (const name of ["Adjusted one", "Adjusted two"]) {
      await pressByKeys(page, `Select ${name}`, "Space")
    }
    await said(page, "2 selected")
    await look("bulk-selected")
    await pressByKeys(page, "Adjust credits")
    const dialog = page.getByRole("dialog", { name: "Adjust credits of 2 accounts" })
    const credits = dialog.locator("[name=credits]")
    await dialog.locator("[name=credits]:focus").waitFor()
    await look("bulk-adjust", "above")
    await page.keyboard.press("Enter")
    await described(credits, /Type a whole number/)
    await page.keyboard.type("0")
    await tabTo(page, "Reason")
    await page.keyboard.type("A day without service")
    await tabTo(page, "Reference")
    await page.keyboard.type("incident 7")
    await page.keyboard.press("Enter")
    // The refusal of what is typed for all of them is at its field, and nothing that was typed is lost.
    await described(credits, /Must not be 0|must not be 0/)
    await dialog.locator("[name=credits]:focus").waitFor()
    await page.keyboard.press("Control+a")
    await page.keyboard.type("500")
    await page.keyboard.press("Enter")
    await said(page, "Credits of 2 accounts adjusted.")
    await counted(page.getByRole("checkbox", { checked: true }), 0)
    await page.locator("thead input:focus").waitFor()
    await page.getByRole("row", { name: "Adjusted one" }).getByText("2,000").waitFor()
    const before = Number(other?.bonus)
    for (const [account, bonus] of [
      [one, before + 500],
      [two, before + 500],
      [other, before],
    ] as const)
      expect((await desk.call("GET", `/accounts/${account?.id}`)).bonus).toBe(bonus)
    const { data } = await desk.call("GET", `/accounts/${two?.id}/adjustments`)
    expect(data).toContainEqual(
      expect.objectContaining({ credits: 500, reason: "A day without service", reference: "incident 7" }),
    )
  })

  test("of accounts that are closed, one fails with its reason and is tried again; nothing is done twice", async () => {
    const [one, two, closed] = await createAccounts("Shut one", "Shut two", "Shut before")
    await desk.call("POST", `/accounts/${closed?.id}/close`)
    const { page, look } = await desk.visit("/console/accounts?search=Shut")
    await page.getByLabel("Select all accounts of this page").check()
    // It comes with the plans, and moves the others.
    await page.getByRole("button", { name: "Change plan" }).waitFor()
    await page
      .getByRole("region", { name: "Selected accounts" })
      .getByRole("button", { name: "Close" })
      .click()
    await page.getByRole("dialog", { name: "Close 2 accounts?" }).waitFor()
    const dialog = page.getByRole("dialog")
    await dialog.getByText("Shut before: closed already").waitFor()
    await dialog.locator("button:focus", { hasText: "Cancel" }).waitFor()
    await look("bulk-close-question", "above")
    await desk.call("POST", `/accounts/${two?.id}/close`)
    await dialog.getByRole("button", { name: "Close 2 accounts" }).click()
    await dialog.getByText("1 account done, 1 failed.").waitFor()
    await dialog.getByText(/^Shut two: .*is closed/).waitFor()
    await look("bulk-one-failed", "above")
    await dialog.getByRole("button", { name: "Close", exact: true }).last().click()
    // Rows that were not changed stay selected in the list that was read again.
    await page.getByRole("row", { name: "Shut one" }).getByText("Closed", { exact: true }).waitFor()
    expect(await selectedIn(page)).toEqual(["Select Shut two"])

    await desk.call("POST", `/accounts/${two?.id}/reopen`)
    await page.reload()
    await page.getByLabel("Select Shut two").check()
    await page.getByRole("button", { name: "Change plan" }).waitFor()
    await page.getByRole("button", { name: "Close", exact: true }).click()
    await desk.call("POST", `/accounts/${two?.id}/close`)
    await page.getByRole("button", { name: "Close 1 account" }).click()
    await page.getByText("0 accounts done, 1 failed.").waitFor()
    await desk.call("POST", `/accounts/${two?.id}/reopen`)
    await page.getByRole("button", { name: "Try again" }).click()
    await said(page, "1 account closed.")
    expect(await closings(one)).toBe(1)
    expect((await desk.call("GET", `/accounts/${two?.id}`)).closed).not.toBeNull()
  })

  test("keys are disabled once, also when the service limits requests and when an answer is lost", async () => {
    const [account] = await createAccounts("With many keys")
    const keys: Answer[] = []
    for (const name of ["first", "second", "third"])
      keys.push(await desk.call("POST", "/keys", { account: account?.id, name }))
    await desk.call("POST", `/keys/${keys[0]?.id}/revoke`)
    const { page, look } = await desk.visit(`/console/keys?account=${account?.id}`, { mayFail: true })
    const sent: (string | undefined)[] = []
    await page.route(/\/bulk$/, async (route) => {
      sent.push(route.request().headers()["idempotency-key"])
      if (sent.length === 1)
        return route.fulfill({ status: 429, headers: { "retry-after": "0" }, json: { detail: "Too many." } })
      if (sent.length !== 2) return route.continue()
      // It is carried out, but the answer gets lost.
      await route.fetch()
      return route.abort()
    })
    await page.getByLabel("Select all keys of this page").check()
    await page.getByRole("button", { name: "Disable" }).click()
    await page.getByText("first of With many keys: revoked").waitFor()
    await page.getByRole("button", { name: "Disable 2 keys" }).click()
    await page.getByText("Too many.").waitFor()
    await page.getByRole("button", { name: "Disable 2 keys" }).click()
    await page.getByText("The service cannot be reached. Nothing that you typed is lost.").waitFor()
    await look("bulk-service-gone", "above")
    await page.getByRole("button", { name: "Try again" }).click()
    await said(page, "2 keys disabled. 1 key skipped.")
    const [first] = sent
    expect(first).toBeString()
    expect(sent).toEqual([first, first, first])
    const { data } = await desk.call("GET", `/audit?account=${account?.id}&operation=keys.disable`)
    expect(data).toHaveLength(2)
    await counted(page.getByRole("cell", { name: "Disabled" }), 2)

    // They are enabled where the account shows its keys.
    await page.goto(`${desk.url}/console/accounts/${account?.id}`)
    await page.getByLabel("Select second", { exact: true }).check()
    await page.getByLabel("Select third", { exact: true }).check()
    await page.getByRole("button", { name: "Enable" }).click()
    await page.getByRole("button", { name: "Enable 2 keys" }).click()
    await said(page, "2 keys enabled.")
    await counted(page.getByRole("cell", { name: "Active" }), 2)
  })

  test("all rows of a page are changed by one request, and the window stays until the answer is there", async () => {
    const names = Array.from({ length: 101 }, (_, index) => ({ name: `Together ${index}`, plan: "free" }))
    await desk.call("POST", "/accounts/import", { accounts: names.slice(0, 100) })
    await desk.call("POST", "/accounts", names[100])
    const { page } = await desk.visit("/console/accounts?search=Together&rows=250")
    const held = Promise.withResolvers<void>()
    const sent: number[] = []
    await page.route(/\/bulk$/, async (route) => {
      sent.push(route.request().postDataJSON().items.length)
      await held.promise
      return route.continue()
    })
    await page.getByLabel("Select all accounts of this page").check()
    await page.getByRole("button", { name: "Change plan" }).click()
    const dialog = page.getByRole("dialog", { name: "Change the plan of 101 accounts" })
    await dialog.getByLabel("Plan").selectOption("pro")
    await dialog.getByRole("button", { name: "Change the plan of 101 accounts" }).click()
    await dialog.locator("form[aria-busy=true]").waitFor()
    await page.keyboard.press("Escape")
    expect(await dialog.isVisible()).toBe(true)
    held.resolve()
    await said(page, "Plan of 101 accounts changed.")
    await counted(page.getByRole("cell", { name: "pro" }), 101)
    expect(sent).toEqual([101])
  })

  test("another filter, order or page begins without a selection", async () => {
    await createAccounts("Selected one", "Selected two")
    const { page } = await desk.visit("/console/accounts?search=Selected")
    const select = () => page.getByLabel("Select Selected one").check()
    await select()
    await page.getByLabel("Search").fill("Selected o")
    await page.getByRole("rowheader").nth(1).waitFor({ state: "detached" })
    expect(await selectedIn(page)).toEqual([])
    await select()
    await page.getByLabel("Order").selectOption("Name")
    await settled(page)
    expect(await selectedIn(page)).toEqual([])
    await select()
    await page.getByLabel("Rows").selectOption("100")
    await settled(page)
    expect(await selectedIn(page)).toEqual([])
    await counted(page.getByRole("button", { name: "Clear" }), 0)
  })

  test("who may change nothing sees no boxes, and who may do one thing sees that alone", async () => {
    await createAccounts("Seen")
    const keyFor = async (...may: string[]) =>
      (await desk.call("POST", "/admins", { name: may.join(), may })).key
    const reader = await desk.visit("/console/accounts?search=Seen", { key: await keyFor("accounts.read") })
    await counted(reader.page.getByRole("rowheader"), 1)
    await counted(reader.page.getByRole("checkbox"), 0)
    await reader.done()
    const key = await keyFor("accounts.read", "credits.adjust")
    const { page } = await desk.visit("/console/accounts?search=Seen", { key })
    await page.getByLabel("Select Seen").check()
    const bar = page.getByRole("region", { name: "Selected accounts" })
    expect(await bar.getByRole("button").allTextContents()).toEqual(["Clear", "Adjust credits"])
  })

  async function createAccounts(...names: string[]): Promise<Answer[]> {
    const accounts: Answer[] = []
    for (const name of names) accounts.push(await desk.call("POST", "/accounts", { name, plan: "free" }))
    return accounts
  }

  /** How often an account was closed. */
  async function closings(account: Answer | undefined): Promise<number> {
    const { data } = await desk.call("GET", `/audit?account=${account?.id}&operation=accounts.close`)
    return (data as unknown[]).length
  }
}

/** The names of the boxes that are ticked. */
const selectedIn = (page: Page): Promise<(string | null)[]> =>
  page.locator("td input:checked").evaluateAll((boxes) => boxes.map((box) => box.getAttribute("aria-label")))
