import { expect } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import type { Page } from "playwright-core"
import type { Desk } from "./desk.ts"
import { testsInTurn } from "./turns.ts"
import { counted, described, pressByKeys, settled, tabTo } from "./wait.ts"

/**
 * @param desk of a service with a configuration file
 * @param bare of one without
 */
export function plansInBrowser(desk: Desk, bare: Desk, file: string): void {
  const test = testsInTurn()
  const plan = async (name: string) => {
    const { data } = await desk.call("GET", "/plans")
    return (data as { name: string }[]).find((one) => one.name === name)
  }

  test("a plan is changed after its difference was shown; nothing is lost on the way back", async () => {
    const { page, look } = await desk.visit("/console/plans")
    await page.getByRole("button", { name: "Edit free" }).click()
    await page.getByLabel("Credits a month").fill("many")
    await page.getByRole("button", { name: "Review changes" }).click()
    await page.locator("[name=monthly_credits][aria-invalid=true]:focus").waitFor()
    await described(page.getByLabel("Credits a month"), /a whole number from 0 to \d+, or 'unlimited'/)
    await look("plans-refused", "above")
    await page.getByLabel("Credits a month").fill("2000")
    await page.getByRole("button", { name: "Review changes" }).click()
    await page.getByText("plans.free.monthly_credits").waitFor()
    await look("plans-difference", "above")
    await page.getByRole("button", { name: "Back" }).click()
    expect(await page.getByLabel("Credits a month").inputValue()).toBe("2000")
    await page.getByLabel("Set their webhook").uncheck()
    await page.getByRole("button", { name: "Review changes" }).click()
    await page.getByText("plans.free.portal", { exact: true }).waitFor()
    expect(await plan("free")).toMatchObject({ monthly_credits: 1_000 })
    await page.getByRole("button", { name: "Save" }).click()
    // The window shows the new number as well.
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await page.getByRole("cell", { name: "2,000" }).waitFor()
    const changed = { monthly_credits: 2_000, portal: ["create", "rotate", "revoke"] }
    expect(await plan("free")).toMatchObject(changed)
    expect(readFileSync(file, "utf8")).toStartWith("# made by hand\n")
    await look("plans-many")
  })

  test("by keyboard alone a price is changed, and a plan is made and removed", async () => {
    const { page, look } = await desk.visit("/console/plans")
    await page.getByRole("button", { name: "Edit prices" }).waitFor()
    await pressByKeys(page, "Edit prices")
    await tabTo(page, "linesorter")
    await page.keyboard.type("7")
    await look("plans-prices", "above")
    await page.keyboard.press("Enter")
    await page.getByText("credits.linesorter").waitFor()
    await reviewIsShown(page)
    await pressByKeys(page, "Save")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    expect((await desk.call("GET", "/plans")).prices).toMatchObject({ linesorter: 7 })

    await pressByKeys(page, "Create plan")
    await tabTo(page, "Name")
    await page.keyboard.type("team")
    await page.keyboard.press("Enter")
    await reviewIsShown(page)
    await pressByKeys(page, "Save")
    await page.getByRole("rowheader", { name: "team", exact: true }).waitFor()
    expect(await plan("team")).toMatchObject({ monthly_credits: 10_000, premium: false })
    await pressByKeys(page, "Edit team")
    await pressByKeys(page, "Remove plan team")
    await pressByKeys(page, "Review changes")
    await reviewIsShown(page)
    await pressByKeys(page, "Save")
    await page.getByRole("rowheader", { name: "team", exact: true }).waitFor({ state: "detached" })
  })

  test("what was changed in the file by hand is shown, and taken over", async () => {
    const { page, look } = await desk.visit("/console/plans")
    await page.getByText("The service runs with the settings of the file.").waitFor()
    writeFileSync(file, `${readFileSync(file, "utf8")}\n[plans.mega]\nmonthly_credits = 5000000\n`)
    await page.getByRole("button", { name: "Refresh" }).click()
    await page.getByText("plans.mega.monthly_credits").waitFor()
    await look("plans-file-differs", "above")
    await page.getByRole("button", { name: "Load these changes" }).click()
    await page.getByText("The service runs with the settings of the file.").waitFor()
    expect(await plan("mega")).toMatchObject({ monthly_credits: 5_000_000 })
  })

  test("without a configuration file it says why nothing can be edited, and what to do", async () => {
    const { page, look } = await bare.visit("/console/plans")
    await page.getByText("Read-only: this service runs without a configuration file.").waitFor()
    await settled(page)
    await counted(page.getByRole("button", { name: /Edit|Create/ }), 0)
    await look("plans-read-only")
  })
}

/**
 * @param desk of a service with a directory for backups
 * @param bare of one without
 */
export function backupsInBrowser(desk: Desk, bare: Desk): void {
  const test = testsInTurn()
  test("a backup is made by keyboard and verified by mouse", async () => {
    const { page, look } = await desk.visit("/console/backups")
    await page.getByText("No backups yet").waitFor()
    await look("backups-empty")
    await pressByKeys(page, "Make a backup")
    await tabTo(page, "File name")
    await page.keyboard.type("../outside.db")
    await page.keyboard.press("Enter")
    await page.locator("[name=name][aria-invalid=true]:focus").waitFor()
    await look("backups-refused", "above")
    await page.getByLabel("File name").fill("before-the-update.db")
    await page.keyboard.press("Enter")
    await page.getByRole("rowheader", { name: "before-the-update.db" }).waitFor()
    await page.locator("td").getByText("Verified", { exact: true }).waitFor()
    await page.reload()
    await page.getByRole("button", { name: "Verify before-the-update.db" }).click()
    await page.getByText(/1 account/).waitFor()
    await look("backups-one")
    const saving = page.waitForEvent("download")
    await pressByKeys(page, "Download before-the-update.db")
    const file = await saving
    expect(file.suggestedFilename()).toBe("before-the-update.db")
    expect(
      await Bun.file(await file.path())
        .slice(0, 15)
        .text(),
    ).toBe("SQLite format 3")
    const { data } = await desk.call("GET", "/audit?operation=backups.download")
    expect(data).toMatchObject([{ target: "before-the-update.db", actor_name: "Ann Operator" }])
  })

  test("where none can be made it says why, and what to do", async () => {
    const { page, look } = await bare.visit("/console/backups")
    await page.getByText("No directory for backups is set").waitFor()
    await look("backups-no-directory")
    const health = await bare.call("GET", "/health")
    await page.route(/\/admin\/v1\/health/, (route) =>
      route.fulfill({ json: { ...health, store: "postgresql" } }),
    )
    await page.reload()
    await page.getByText("PostgreSQL makes its own backups").waitFor()
    await look("backups-postgresql", "above")
  })
}

/** Waits until the review of a change has the focus: before, a key would still go to the form or to another button. */
async function reviewIsShown(page: Page): Promise<void> {
  await page.getByRole("dialog").locator("button:focus", { hasText: "Back" }).waitFor()
}
