import { expect, test } from "bun:test"
import { eventually } from "../../support/eventually.ts"
import type { Desk } from "./desk.ts"
import { callOnce, createCustomer } from "./portal.ts"
import { settled, tabTo } from "./wait.ts"

/** The main job of the portal's screens that have no other test without a mouse. */
export function portalByKeyboard(desk: Desk): void {
  test("usage is narrowed down and saved by keyboard alone", async () => {
    const { key } = await createCustomer(desk, "Usage by keyboard")
    await callOnce(desk, key)
    const { page, done } = await desk.visit("/portal/usage", { key })
    await page.getByRole("rowheader", { name: "Bluetooth company lookup" }).waitFor()
    await tabTo(page, "31 days")
    await page.keyboard.press("ArrowLeft")
    await page.waitForURL(/range=7/)
    await tabTo(page, "API")
    // One letter: the browser begins anew with one that comes a second later.
    await page.keyboard.press("H")
    await page.waitForURL(/api=hmac/)
    await page.getByText("No calls in the last 7 days").waitFor()
    await page.keyboard.press("Home")
    await page.getByRole("rowheader", { name: "Bluetooth company lookup" }).waitFor()
    await settled(page)
    await tabTo(page, "Figures")
    await page.keyboard.press("Enter")
    await page.getByRole("table", { name: "Calls by day" }).waitFor()
    await tabTo(page, "Save as CSV: By key")
    const download = page.waitForEvent("download")
    await page.keyboard.press("Enter")
    expect(await Bun.file(await (await download).path()).text()).toBe("Key,Calls,Credits\r\nfirst,1,1\r\n")
    await done()
  })

  test("a webhook is set, tested and removed by keyboard alone", async () => {
    const { account, key } = await createCustomer(desk, "Webhook by keyboard")
    const receiver = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => new Response("no", { status: 400 }),
    })
    const { page, done } = await desk.visit("/portal/webhook", { key })
    await page.getByText("No webhook", { exact: true }).waitFor()
    await tabTo(page, "Set a webhook")
    await page.keyboard.press("Enter")
    await page.getByRole("dialog", { name: "Set a webhook" }).waitFor()
    await tabTo(page, "Address")
    await page.keyboard.type("https://example.com/hook")
    await page.keyboard.press("Enter")
    await page.getByText(/^whsec_/).waitFor()
    await tabTo(page, "I have copied it")
    await page.keyboard.press("Enter")
    await page.getByText("https://example.com/hook").waitFor()
    // Only operators may name an address in their own network.
    await desk.call("POST", `/accounts/${account}/webhook`, {
      url: `http://127.0.0.1:${receiver.port}/hook`,
      allow_private: true,
    })
    await page.reload()
    await page.getByText(`127.0.0.1:${receiver.port}`).waitFor()
    await tabTo(page, "Send a test event")
    await page.keyboard.press("Enter")
    await page.getByRole("rowheader", { name: "test" }).waitFor()
    // It is tried again later, which the list says.
    await tabTo(page, "Refresh")
    await eventually(async () => {
      await page.keyboard.press("Enter")
      await settled(page)
      expect(await page.getByText(/^next attempt (?:in|within) /).count()).toBe(1)
    })
    await tabTo(page, "Remove")
    await page.keyboard.press("Enter")
    await tabTo(page, "Remove webhook")
    await page.keyboard.press("Enter")
    await page.getByText("No webhook", { exact: true }).waitFor()
    await done()
    await receiver.stop(true)
  })
}
