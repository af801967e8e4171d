import { expect } from "bun:test"
import type { Desk } from "./desk.ts"
import { testsInTurn } from "./turns.ts"
import { tabTo } from "./wait.ts"

/** A stranger's steps without a key, on a service with `--try-calls` whose DNS has a zone of its own. */
export function guestsInBrowser(desk: Desk): void {
  const test = testsInTurn()
  test("a stranger checks a domain on the landing page, by keyboard alone", async () => {
    const { page, look } = await desk.visit("/", { key: null, mayFail: true })
    await page.getByRole("heading", { level: 2, name: "Plans" }).waitFor()
    await look("landing-offer")
    await tabTo(page, "Check a domain")
    await page.keyboard.type("good.example")
    await page.keyboard.press("Enter")
    await page.getByText(/^good\.example has \d+ of 100 points\./).waitFor()
    await page.getByRole("heading", { level: 3, name: "SPF record" }).waitFor()
    await look("landing-checked", "above")
    await page.getByLabel("Check a domain").fill("a..example")
    await page.getByRole("button", { name: "Check", exact: true }).click()
    await page.getByText("The 'domain' parameter").waitFor()
    await look("landing-check-refused", "above")
  })

  test("a stranger makes a call from the page of an API, by mouse and by keyboard, until the limit says to get a key", async () => {
    const { page, look } = await desk.visit("/apis/hmac#try", { key: null, mayFail: true })
    await page.getByText("You need no key to try it.").waitFor()
    await page.getByLabel("API key").waitFor()
    await page.getByText("Leave it empty to try without a key: 6 calls a minute.").waitFor()
    await page.getByRole("button", { name: "Send the call" }).click()
    await page.getByText(/^Free to try/).waitFor()
    // The balance is that of all guests together.
    await page.getByText("Headers", { exact: true }).click()
    await page.getByText("ratelimit-policy").waitFor()
    expect(await page.locator(".headers").getByText("x-api-remaining-credits").count()).toBe(0)
    await look("try-without-key", "above")
    const button = page.getByRole("button", { name: "Send the call" })
    let refused = ""
    // On a busy machine one comes back meanwhile.
    while (refused === "") {
      await button.and(page.locator(":enabled")).waitFor()
      const answer = page.waitForResponse((response) => response.url().endsWith("/v1/hmac"))
      await button.press("Enter")
      const came = await answer
      if (came.status() !== 200) refused = `${came.status()} ${await came.text()}`
    }
    expect(refused).toContain("429 ")
    expect(refused).toContain("With an API key of your own you can go on")
    await page.getByText("Without an API key you can make 6 calls per minute.").first().waitFor()
  })

  test("the landing page can be read, and the field used, without a script", async () => {
    const { page } = await desk.visit("/", { key: null })
    const still = await page.context().browser()?.newContext({ javaScriptEnabled: false })
    const silent = await still?.newPage()
    await silent?.goto(desk.url)
    await silent?.getByRole("heading", { level: 3, name: "Pro" }).waitFor()
    await silent?.getByLabel("Check a domain").fill("good.example")
    await silent?.getByRole("button", { name: "Check", exact: true }).click()
    await silent?.waitForURL(`${desk.url}/v1/mailaudit?domain=good.example`)
    await still?.close()
  })
}
