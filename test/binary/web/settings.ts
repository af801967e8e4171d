import { expect } from "bun:test"
import type { Desk } from "./desk.ts"
import { testsInTurn } from "./turns.ts"
import { pressByKeys, said } from "./wait.ts"

/**
 * @param desk a service whose configuration file it may change
 * @param scheduled one that makes a backup every 36 hours
 */
export function settingsInBrowser(desk: Desk, scheduled: Desk): void {
  const test = testsInTurn()
  test("settings say where they come from, and one that counts at once is changed after a review, by keyboard", async () => {
    const { page, look } = await desk.visit("/console/settings")
    const row = page.getByRole("row", { name: /max_calls/ })
    const backups = page.getByRole("row", { name: /backup_dir/ })
    const ports = page.getByRole("row", { name: /^webhook_port/ })
    const apis = page.getByRole("row", { name: /try.apis/ })
    await row.getByText("default").waitFor()
    await backups.getByText("flag", { exact: true }).waitFor()
    await backups.getByText("after a restart").waitFor()
    await ports.getByText("9443", { exact: true }).waitFor()
    await apis.getByText(/^the default: those that ask no other host/).waitFor()
    await look("settings")
    await row.getByRole("button").focus()
    await page.keyboard.press("Enter")
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("max_calls").fill("none")
    await page.keyboard.press("Enter")
    await dialog.getByText(/whole number from 1/).waitFor()
    await dialog.getByLabel("max_calls").fill("900")
    await look("settings-edit", "above")
    await page.keyboard.press("Enter")
    await dialog.getByText("Save these changes?").waitFor()
    await dialog.locator("button:focus", { hasText: "Back" }).waitFor()
    await look("settings-review", "above")
    await page.keyboard.press("Enter")
    await dialog.locator("[name=value]:focus").waitFor()
    await page.keyboard.press("Enter")
    await dialog.locator("button:focus", { hasText: "Back" }).waitFor()
    await pressByKeys(page, "Save")
    await said(page, "Saved. New calls follow it from now on.")
    await row.getByText("900").waitFor()
    await row.getByText("file", { exact: true }).waitFor()
  })

  test("a setting with a few values is chosen from a list, and an empty list says what it means", async () => {
    const { page, look } = await desk.visit("/console/settings")
    await page.getByRole("button", { name: "Edit log_level" }).click()
    const dialog = page.getByRole("dialog")
    const level = dialog.getByLabel("log_level")
    const levels = ["debug", "info", "warn", "error", "silent"]
    const choices = await level.getByRole("option").allTextContents()
    expect(choices).toEqual(["the default: info, or error for mock", ...levels])
    await look("settings-choices", "above")
    await level.selectOption("warn")
    await dialog.getByRole("button", { name: "Review changes" }).click()
    await dialog.getByRole("button", { name: "Save" }).click()
    await said(page, "Saved. New calls follow it from now on.")
    // The window shows what the list says, which is read again.
    const row = page.getByRole("row", { name: /^log_level/ })
    await row.getByText("warn", { exact: true }).waitFor()
    await page.getByRole("button", { name: "Edit log_level" }).click()
    await dialog.getByRole("button", { name: "Use the default again" }).click()
    await dialog.locator("button:focus", { hasText: "Back" }).waitFor()
    await page.keyboard.press("Escape")
    for (const setting of ["sign_up.plan", "try.plan"]) {
      await page.getByRole("button", { name: `Edit ${setting}` }).click()
      const plan = dialog.getByLabel(setting)
      expect(await plan.inputValue()).toBe("free")
      expect(await plan.getByRole("option").allTextContents()).toContain("pro")
      await plan.selectOption("pro")
      if (setting === "sign_up.plan") await look("settings-plan", "above")
      await dialog.getByRole("button", { name: "Review changes" }).click()
      await dialog.getByText("Save these changes?").waitFor()
      await page.keyboard.press("Escape")
    }
    await page.getByRole("button", { name: "Edit try.apis" }).click()
    await dialog.getByText(/Empty: those that ask no other host, and mailaudit\./).waitFor()
  })

  test("a time is shown as it is written", async () => {
    const { page } = await scheduled.visit("/console/settings")
    const row = page.getByRole("row", { name: /^backup_every/ })
    await row.getByText("36h", { exact: true }).waitFor()
  })
}
