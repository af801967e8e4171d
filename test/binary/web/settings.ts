import { test } from "bun:test"
import type { Desk } from "./desk.ts"
import { said, tabTo } from "./wait.ts"

/** @param desk a service whose configuration file it may change */
export function settingsInBrowser(desk: Desk): void {
  test("settings say where they come from, and one that counts at once is changed after a review, by keyboard", async () => {
    const { page, look, done } = await desk.visit("/console/settings")
    const row = page.getByRole("row", { name: /max_calls/ })
    await row.getByText("default").waitFor()
    await page
      .getByRole("row", { name: /backup_dir/ })
      .getByText("flag", { exact: true })
      .waitFor()
    await page
      .getByRole("row", { name: /backup_dir/ })
      .getByText("after a restart")
      .waitFor()
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
    await look("settings-review", "above")
    await tabTo(page, "Save")
    await page.keyboard.press("Enter")
    await said(page, "Saved. New calls follow it from now on.")
    await row.getByText("900").waitFor()
    await row.getByText("file", { exact: true }).waitFor()
    await done()
  })
}
