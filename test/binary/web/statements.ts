import { expect, test } from "bun:test"
import type { Desk } from "./desk.ts"

export function statementsInBrowser(desk: Desk): void {
  test("a statement shows a long name whole, in cards of even width", async () => {
    const name = "accounting.department.north@a-customer-with-a-long-name.example.com"
    const { id } = await desk.call("POST", "/accounts", { name, plan: "free" })
    await desk.call("POST", `/accounts/${id}/credits`, { credits: 2_000 })
    await desk.call("POST", `/accounts/${id}/adjustments`, { credits: -500, reason: "Granted twice" })
    const { page, look, done } = await desk.visit(`/console/statements/${id}`)
    const cards = page.locator(".stat")
    await cards.filter({ hasText: name }).waitFor()
    await cards.filter({ hasText: "-500 credits adjusted" }).waitFor()
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 860 })
      const widths = await cards.evaluateAll((all) => all.map((card) => Math.round(card.offsetWidth)))
      expect([...new Set(widths)]).toHaveLength(1)
      expect(
        await cards.evaluateAll((all) => all.filter((card) => card.scrollWidth > card.clientWidth).length),
      ).toBe(0)
    }
    await look("statement")
    await done()
  })
}
