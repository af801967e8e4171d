import { expect } from "bun:test"
import { readFileSync } from "node:fs"
import type { Locator, Page } from "playwright-core"
import { eventually } from "../../support/eventually.ts"
import { readLines } from "../../support/log.ts"
import { startReceiver } from "../../support/receiver.ts"
import { hostile } from "./accounts.ts"
import { type Desk, emptyList } from "./desk.ts"
import { testsInTurn } from "./turns.ts"
import { counted, pressByKeys, said, settled } from "./wait.ts"

export function noticesInBrowser(desk: Desk): void {
  const test = testsInTurn()
  test("a notice is looked at and sent again, by mouse and by keyboard", async () => {
    const { url, received } = startReceiver()
    const { id } = await desk.call("POST", "/accounts", { name: hostile, plan: "pro" })
    await desk.call("POST", `/accounts/${id}/webhook`, { url, allow_private: true })
    const notice = await desk.call("POST", `/accounts/${id}/webhook/test`, {})
    const { page, look } = await desk.visit(`/console/notices?account=${id}`)
    const delivered = page.getByRole("table").getByText("Delivered", { exact: true })
    await readUntil(page, delivered)
    await page.getByRole("button", { name: `Copy ${notice.id}` }).waitFor()
    await page.getByRole("button", { name: `Copy ${id}` }).waitFor()
    await page.getByText("1–1 of 1", { exact: true }).waitFor()
    await look("notices-one")
    await page.getByRole("button", { name: `Details of ${notice.id}` }).click()
    await page.getByRole("dialog").getByText("Attempts to deliver it").waitFor()
    await page.getByRole("dialog").getByRole("rowheader", { name: "1", exact: true }).waitFor()
    await look("notices-details", "above")
    await page.getByRole("dialog").getByRole("button", { name: "Send again" }).click()
    await said(page, "The notice is sent again.")
    await eventually(async () => expect(received).toHaveLength(2))
    await readUntil(page, delivered)
    await page.getByLabel("Account").focus()
    await pressByKeys(page, `Send again ${notice.id}`)
    await eventually(async () => expect(received).toHaveLength(3))
    await page.getByLabel("State").selectOption("failed")
    await page.getByText("No notices match").waitFor()
  })

  test("a count that ended early is called so, and left out where it ended before the rows", async () => {
    const { id } = await desk.call("POST", "/accounts", { name: "Counted", plan: "pro" })
    await desk.call("POST", `/accounts/${id}/webhook`, { url: "http://127.0.0.1:9/", allow_private: true })
    await desk.call("POST", `/accounts/${id}/webhook/test`, {})
    const { page } = await desk.visit("/console/plans")
    await page.route(/\/admin\/v1\/notices\?.*total=true/, async (route) => {
      const response = await route.fetch()
      const count = route.request().url().includes("account=") ? 0 : 16_384
      await route.fulfill({
        response,
        json: { ...(await response.json()), total: { count, is_exact: false } },
      })
    })
    await page.getByRole("link", { name: "Notices" }).click()
    await page.getByText(/^1–\d+ of more than 16,384$/).waitFor()
    await page.getByLabel("Account").fill(id)
    await page.getByText("1–1", { exact: true }).waitFor()
  })

  test("without notices it says when there will be some", async () => {
    const { page, look } = await desk.visit("/console/plans")
    await page.route(/\/admin\/v1\/notices/, (route) => route.fulfill(emptyList))
    await page.getByRole("link", { name: "Notices" }).click()
    await page.getByText("No notices yet").waitFor()
    await look("notices-empty", "above")
  })
}

export function auditInBrowser(desk: Desk): void {
  const test = testsInTurn()
  test("changes are found by what was done, read field by field, and saved as JSON lines", async () => {
    const { id } = await desk.call("POST", "/accounts", { name: hostile, plan: "free" })
    await desk.call("PATCH", `/accounts/${id}`, { plan: "pro", metadata: { note: hostile } })
    const { page, look } = await desk.visit("/console/audit")
    await page.getByLabel("Operation").fill("accounts.update")
    await page.waitForURL(/operation=accounts.update/)
    await page.getByLabel("Account").fill(id)
    await page.waitForURL(/account=/)
    const row = page.locator("tbody tr")
    // The list before showed this row, too, among others.
    await counted(row, 1)
    await row.locator("del", { hasText: "free" }).waitFor()
    expect(await row.locator("ins").first().textContent()).toBe("after: pro")
    await page.getByText("1–1 of 1", { exact: true }).waitFor()
    await look("audit-one")
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Save as JSON lines" }).click(),
    ])
    expect(readLines(readFileSync(await download.path(), "utf8"))).toMatchObject([
      { operation: "accounts.update", target: id, before: { plan: "free" }, after: { plan: "pro" } },
    ])
  })

  test("a record of a key or an adjustment leads to its account, and its ids can be copied", async () => {
    const { id } = await desk.call("POST", "/accounts", { name: "Adjusted", plan: "free" })
    const adjusted = await desk.call("POST", `/accounts/${id}/adjustments`, { credits: 5, reason: "Why" })
    const { page } = await desk.visit(`/console/audit?operation=credits.adjust&account=${id}`)
    await page.getByRole("button", { name: `Copy ${adjusted.id}` }).waitFor()
    await page.getByRole("button", { name: `Copy ${id}` }).waitFor()
    await page.getByRole("link", { name: id }).click()
    await page.getByRole("heading", { level: 1, name: "Adjusted" }).waitFor()
  })

  test("by keyboard a record leads to what was changed; a day without changes is empty", async () => {
    const { id } = await desk.call("POST", "/accounts", { name: "Changed", plan: "free" })
    const { page, look } = await desk.visit(`/console/audit?target=${id}`)
    await page.getByRole("link", { name: id }).waitFor()
    await pressByKeys(page, id)
    await page.getByRole("heading", { level: 1, name: "Changed" }).waitFor()
    await page.goBack()
    await page.getByLabel("From").fill("2020-01-01")
    await page.waitForURL(/from=2020-01-01/)
    await page.getByLabel("Before").fill("2020-01-01")
    await page.getByText("No records match").waitFor()
    await look("audit-none", "above")
    await page.getByRole("link", { name: "Audit" }).click()
    await page.getByRole("row").nth(2).waitFor()
    await page.getByText(/^1–\d+ of [\d,]+$/).waitFor()
    await look("audit-many")
  })
}

/** Reads a list again until it shows something. */
async function readUntil(page: Page, shown: Locator): Promise<void> {
  await eventually(async () => {
    await page.getByRole("button", { name: "Refresh" }).click()
    await settled(page)
    expect(await shown.count()).toBe(1)
  })
}
