import { expect } from "bun:test"
import { eventually } from "../../support/eventually.ts"
import { lookUp } from "../accounts.ts"
import type { Desk } from "./desk.ts"
import { testsInTurn } from "./turns.ts"

/** @param desk a service that keeps requests, and that customers can be invited to */
export function searchInBrowser(desk: Desk): void {
  const test = testsInTurn()
  test("one search finds kept requests, beginnings of ids, people and invitations, without a request that is refused", async () => {
    const { id } = await desk.call("POST", "/accounts", { name: "ann@example.com", plan: "free" })
    const made = await desk.call("POST", "/keys", { account: id, name: "found by its id" })
    await desk.call("POST", "/people", { name: "Bo Colleague", may: ["accounts.read"] })
    await desk.call("POST", "/invitations", { email: "cy@invited.example", name: "Cy Ltd" })
    const called = await fetch(desk.url + lookUp, { headers: { "x-api-key": made.key } })
    const requestId = called.headers.get("x-request-id") ?? ""
    await eventually(async () => {
      const { data } = await desk.call("GET", `/requests/kept?request_id=${requestId}`)
      expect(data).toHaveLength(1)
    })

    const { page, look } = await desk.visit("/console")
    const refused: string[] = []
    page.on("response", (response) => {
      if (response.status() >= 400) refused.push(response.url())
    })
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
    await page.keyboard.press("Control+k")
    const dialog = page.getByRole("dialog")
    const field = dialog.getByLabel("Search")
    const finds = async (text: string, title: string, kind: RegExp) => {
      await field.fill(text)
      await dialog.getByRole("listitem").filter({ hasText: title }).getByText(kind).waitFor()
    }
    await finds("ann@exa", "ann@example.com", /^Account/)
    await finds("invited.example", "cy@invited.example", /^Invitation · Cy Ltd/)
    await finds("bo coll", "Bo Colleague", /^Person/)
    await finds(made.id.slice(0, 9), "found by its id", /^Key/)
    await finds(requestId, requestId, /^Request · 200 bluetoothlookup/)
    await look("search-request", "above")
    await field.press("Escape")
    await dialog.waitFor({ state: "detached" })

    await page.keyboard.press("Control+k")
    await finds(requestId, requestId, /^Request/)
    await field.press("Enter")
    await page.waitForURL(/\/console\/requests\?view=kept&request_id=/)
    await page.getByRole("rowheader").filter({ hasText: requestId }).waitFor()
    expect(refused).toEqual([])
  })
}
