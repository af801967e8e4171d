import { expect, test } from "bun:test"
import { catalog } from "../../../src/app/prepare.ts"
import { createAccount } from "../accounts.ts"
import type { Desk } from "./desk.ts"
import { tabTo } from "./wait.ts"

/** The highest that an operation may stand in /docs. It was 6,300 to 9,100 pixels while each response had every header. */
const maxOperationHeight = 2_500

/** The pages that need no sign-in: landing page, page of an API, reference. */
export function pagesInBrowser(desk: Desk, db: string): void {
  test("the landing page leads to each API, its price and the playground", async () => {
    const { page, look, done } = await desk.visit("/", { key: null })
    await page.getByRole("heading", { level: 1, name: `${catalog.length} utility APIs, one key` }).waitFor()
    // Examples name the service that shows them.
    await page.getByText(`${desk.url}/v1/bluetoothlookup`).waitFor()
    await look("landing")
    await tabTo(page, "SPF validator")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { level: 1, name: "SPF validator" }).waitFor()
    await page.getByText("5 credits", { exact: true }).waitFor()
    await page.goBack()
    await page.getByRole("link", { name: "Try it: SPF validator" }).click()
    await page.getByRole("heading", { level: 1, name: "Sign in to your account" }).waitFor()
    await page.waitForURL(`${desk.url}/portal/playground?api=spfvalidator`)
    await done()
  })

  test("the page of an API shows its code in the language that is chosen, by keyboard too", async () => {
    const { page, look, done } = await desk.visit("/apis/hmac", { key: null })
    await look("api")
    const python = page.getByText("import urllib.request").first()
    await python.waitFor({ state: "hidden" })
    await page.getByText("Python", { exact: true }).first().click()
    await python.waitFor()
    await page.keyboard.press("ArrowRight")
    await page.getByText("package main").first().waitFor()
    await page.getByText("YAML", { exact: true }).first().click()
    await look("api-python-yaml", "two")
    await page.goto(`${desk.url}/apis/nothing`)
    await page.getByRole("heading", { level: 1, name: "Not found" }).waitFor()
    await look("not-found")
    await done()
  })

  test("each operation of /docs is short, can be read in every window, and its call is answered", async () => {
    const { page, look, done } = await desk.visit("/docs", { key: null })
    await page.locator(".opblock").first().waitFor()
    await look("docs")
    for (const id of ["apis-hmac", "apis-spfvalidator", "many-danevalidatorBatch", "account-usage"]) {
      const operation = page.locator(`#operations-${id}`)
      await operation.locator(".opblock-summary-control").click()
      await operation.locator(".responses-table .response").first().waitFor()
      const box = await operation.boundingBox()
      expect([id, (box?.height ?? Number.POSITIVE_INFINITY) < maxOperationHeight]).toEqual([id, true])
      if (id === "apis-spfvalidator") await look("docs-operation")
      await operation.locator(".opblock-summary-control").click()
    }
    await page.locator("#operations-apis-hmac .opblock-summary-control").click()
    await page.locator("#operations-apis-hmac").getByRole("button", { name: "Show 429" }).click()
    await page.locator("#operations-apis-hmac tr[data-code='429'] pre.microlight").waitFor()
    await done()
  })

  test("/docs keeps the key until its tab is closed", async () => {
    const { key } = await createAccount(db, { plan: "free" })
    const { page, done } = await desk.visit("/docs", { key: null })
    await page.click("button.authorize")
    await page.fill(".auth-container input[type=text]", key)
    await page.click(".auth-btn-wrapper button.authorize")
    await page.click(".auth-btn-wrapper button.btn-done")
    await page.reload()
    const operation = page.locator("#operations-apis-bluetoothlookup")
    await operation.locator(".opblock-summary-control").click()
    await page.locator("button.authorize.locked").waitFor()
    const answered = page.waitForResponse((response) => response.url().includes("/v1/bluetoothlookup"))
    await operation.locator("button.execute").click()
    expect((await answered).status()).toBe(200)
    const next = await page.context().newPage()
    await next.goto(`${desk.url}/docs`)
    await next.locator("button.authorize.unlocked").waitFor()
    await done()
  })
}
