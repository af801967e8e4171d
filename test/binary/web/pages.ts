import { expect, test as testAlways } from "bun:test"
import { mailaudit } from "../../../src/apis/catalog.ts"
import { catalog } from "../../../src/app/prepare.ts"
import { inTurn } from "../../support/turns.ts"
import { until } from "../../support/until.ts"
import { createAccount } from "../accounts.ts"
import type { Desk } from "./desk.ts"
import { testsInTurn } from "./turns.ts"
import { pressByKeys } from "./wait.ts"

/** The highest that the page of an API may be. SPF's was 6,400 pixels while all its fields were open. */
const maxHeight = 5_200

/** The pages that need no sign-in: landing page and reference. */
export function pagesInBrowser(desk: Desk, db: string): void {
  const test = testsInTurn()
  test("the landing page leads to each API, its price and the playground", async () => {
    const { page, look } = await desk.visit("/", { key: null })
    await page.getByRole("heading", { level: 1, name: `${catalog.length} utility APIs, one key` }).waitFor()
    // Examples name the service that shows them.
    await page.getByText(`${desk.url}/v1/bluetoothlookup`).waitFor()
    await look("landing")
    await pressByKeys(page, "SPF validator")
    await page.getByRole("heading", { level: 1, name: "SPF validator" }).waitFor()
    await page.getByText("5 credits", { exact: true }).first().waitFor()
    await page.goBack()
    await page.getByRole("link", { name: "Try it: SPF validator" }).click()
    await page.waitForURL(`${desk.url}/apis/spfvalidator#try`)
    await page.getByRole("button", { name: "Send the call" }).waitFor()
  })

  test("the landing page finds an API by its name and by its task, by keyboard alone", async () => {
    const { page, look } = await desk.visit("/", { key: null })
    const count = catalog.length
    const field = page.getByLabel("Find an API by name or task")
    await page.getByText(`${count} APIs`, { exact: true }).waitFor()
    await page.keyboard.press("/")
    await page.keyboard.type("bank account")
    await page.getByText(`1 of ${count} APIs`).waitFor()
    await page.getByRole("heading", { level: 4, name: "SPF validator" }).waitFor({ state: "hidden" })
    await page.getByRole("heading", { level: 3, name: "Mail" }).waitFor({ state: "hidden" })
    await look("landing-found", "above")
    await field.fill("no such thing")
    await page.getByText("press Escape to see all").waitFor()
    await look("landing-nothing-found", "above")
    await page.keyboard.press("Escape")
    await page.getByText(`${count} APIs`, { exact: true }).waitFor()
    await page
      .getByRole("navigation", { name: "On this page" })
      .getByRole("link", { name: "Time and place" })
      .click()
    await page.waitForURL(`${desk.url}/#category-time-and-place`)
    await field.fill("ibanvalidator")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { level: 1, name: "IBAN validator" }).waitFor()
  })

  test("the page of an API shows its code in the language that is chosen, by keyboard too", async () => {
    const { page, look } = await desk.visit("/apis/hmac", { key: null })
    await look("api")
    const python = page.getByText("import urllib.request").first()
    await python.waitFor({ state: "hidden" })
    await page.getByText("Python", { exact: true }).first().click()
    await python.waitFor()
    await page.keyboard.press("ArrowRight")
    await page.getByText("package main").first().waitFor()
    await page.getByText("YAML", { exact: true }).first().click()
    await look("api-python-yaml", "above")
    await page.goto(`${desk.url}/apis/nothing`)
    await page.getByRole("heading", { level: 1, name: "Not found" }).waitFor()
    await look("not-found")
  })

  test("/docs finds APIs, parameters and errors by what is typed, by keyboard alone", async () => {
    const { page, look } = await desk.visit("/docs", { key: null })
    await look("docs")
    await page.keyboard.press("/")
    await page.keyboard.type("sunrise latitude")
    await page.getByText(/^1 of \d+ entries\. Enter opens Sunrise and sunset\.$/).waitFor()
    await look("docs-found")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.waitForURL(`${desk.url}/apis/sunrisesunset#parameter-lat`)
    await page.goto(`${desk.url}/docs`)
    await page.getByLabel("Search APIs, parameters and errors").fill("ratelimited")
    await page.keyboard.press("Enter")
    await page.waitForURL(`${desk.url}/docs/errors#rateLimited`)
    // Several have the word: the title that has it comes first, then the keywords.
    for (const [typed, id] of [
      ["time zone", "timezoneconverter"],
      ["yaml", "dataconverter"],
    ]) {
      await page.goto(`${desk.url}/docs`)
      await page.getByLabel("Search APIs, parameters and errors").fill(`${typed}`)
      await page.keyboard.press("Enter")
      await page.waitForURL(`${desk.url}/apis/${id}`)
    }
  })

  testAlways.each(
    inTurn(["identity", "errors", "formats", "limits", "credits", "batch", "graphql", "mcp"], 2),
  )("the rule /docs/%s can be read in every window", async (rule) => {
    const { page, look, done } = await desk.visit(`/docs/${rule}`, { key: null })
    await page.locator(".side [aria-current=page]").waitFor()
    await look(`docs-${rule}`)
    await done()
  })

  test("the page of an API shows code beside the text, and opens nested fields when asked", async () => {
    const { page, look } = await desk.visit("/apis/spfvalidator", { key: null })
    const [text, code] = [
      await page.locator(".columns > .text").boundingBox(),
      await page.locator(".columns > .codes").boundingBox(),
    ]
    expect(code?.y).toBe(text?.y ?? 0)
    expect(code?.x).toBeGreaterThan((text?.x ?? 0) + (text?.width ?? 0))
    await page.locator("#try").scrollIntoViewIfNeeded()
    await page.getByRole("button", { name: "Send the call" }).waitFor()
    const height = await page.evaluate<number>("document.documentElement.scrollHeight")
    expect(height).toBeLessThan(maxHeight)
    await look("api-spf")
    const nested = page.getByText("spf_records_list[].chars_num", { exact: true })
    await nested.waitFor({ state: "hidden" })
    await page.getByText("8 fields in spf_records_list").click()
    await nested.waitFor()
    await look("api-spf-open", "above")
    // The list beside a page is scrolled to that page, also in a low window.
    await page.setViewportSize({ width: 1280, height: 420 })
    await page.goto(`${desk.url}/apis/linesorter`)
    const current = await page.locator(".side [aria-current=page]").boundingBox()
    const list = await page.locator(".side").boundingBox()
    const bottomOf = (box: typeof list) => (box?.y ?? Number.NaN) + (box?.height ?? 0)
    expect(bottomOf(current)).toBeLessThanOrEqual(bottomOf(list))
    expect(current?.y).toBeGreaterThanOrEqual(list?.y ?? Number.NaN)
  })

  test("the form on the page of an API calls with a typed key, which the page forgets when it is left", async () => {
    const { key } = await createAccount(db, { plan: "free" })
    const { page, look } = await desk.visit("/apis/linesorter#try", { key: null })
    await page.locator("[name=lines]").fill("b\n\na\nc\nd\n")
    await page.getByLabel("API key").fill(key)
    await page.keyboard.press("Enter")
    await page.getByText('"lineCount": 5').waitFor()
    await look("api-answer")
    await page.reload()
    expect(await page.getByLabel("API key").inputValue()).toBe("")
  })

  test("the answer of the mail audit is shown as a report", async () => {
    const { page, look } = await desk.visit("/apis/mailaudit#try", { key: null })
    // The service of this test has no DNS to ask.
    const data = audited("A domain that anybody can forge")
    await page.route("**/v1/mailaudit?*", (route) =>
      route.fulfill({ json: { status: "ok", error: null, data } }),
    )
    await page.getByLabel("API key").fill("pk-any")
    await page.keyboard.press("Enter")
    await page.getByText("plain.test has 36 of 100 points.").waitFor()
    expect(await page.locator(".report-checks > li").count()).toBe(data.checks.length)
    expect(await page.locator(".report-fixes .code-block").first().textContent()).toBe(
      data.fixes[0]?.line ?? "",
    )
    await look("api-audit")
  })

  test("a customer who is signed in to the portal calls without a key", async () => {
    const { key } = await createAccount(db, { plan: "free" })
    const { page, look } = await desk.visit("/portal", { key })
    await page.goto(`${desk.url}/apis/sunrisesunset#try`)
    await page.getByText("The call is made for your account").waitFor()
    await page.locator("[name=lat]").fill("0x10")
    await page.getByRole("button", { name: "Send the call" }).click()
    await page.locator("[name=lat][aria-invalid=true]:focus").waitFor()
    await page.locator("[name=lat]").fill("51.5")
    await page.keyboard.press("Enter")
    await page.getByText("Cost 1 credit, 1,499 left").waitFor()
    await look("api-signed-in", "above")
    await page.context().clearCookies()
    await page.getByRole("button", { name: "Send the call" }).click()
    await page.getByLabel("API key").waitFor()
  })

  test("the page of GraphQL runs its examples, and shows the schema of each API beside the query", async () => {
    const { key } = await createAccount(db, { plan: "pro" })
    const { page, look } = await desk.visit("/graphiql", { key: null })
    await page.waitForURL(`${desk.url}/docs/graphql#try`)
    const run = page.getByRole("button", { name: "Run" })
    const schema = page.getByLabel("Fields and types")
    const answer = page.getByRole("region", { name: "Answer" })
    await run.click()
    await page.locator("[name=_key][aria-invalid=true]:focus").waitFor()
    await page.getByLabel("API key").fill(key)
    for (const [example, api] of [
      ["Two APIs", '"vatvalidator": {'],
      ["One API twice", '"second": {'],
      ["One API", '"bluetoothlookup": {'],
    ] as const) {
      await page.getByText(example, { exact: true }).click()
      await answer.getByText("No answer yet").waitFor()
      // The key that was typed is there with each example.
      await page.keyboard.press("Tab")
      await run.click()
      await answer.getByText(api).waitFor()
      await answer.getByText("Status 200").waitFor()
      expect(await answer.locator(".error-box").count()).toBe(0)
    }
    await schema.waitFor()
    await look("graphql-answer")
    expect(await schema.inputValue()).toContain("input BluetoothlookupInput {")
    await page.getByLabel("Schema of").selectOption({ label: "IBAN validator" })
    await until(async () => (await schema.inputValue()).includes("IbanvalidatorInput"))
    expect(await schema.inputValue()).not.toContain("Bluetoothlookup")
  })

  test("the page of GraphQL says what is wrong with a query, and which of its fields failed", async () => {
    const { key } = await createAccount(db, { plan: "pro" })
    const { page, look } = await desk.visit("/docs/graphql#try", { key: null, mayFail: true })
    const run = page.getByRole("button", { name: "Run" })
    const answer = page.getByRole("region", { name: "Answer" })
    await page.getByLabel("API key").fill(key)
    await page.locator("[name=variables]").fill("")
    await page
      .locator("[name=query]")
      .fill(
        '{ bad: bluetoothlookup(input: {companyid: "x"}) { company } hmac(input: {message: "m", secret: "s"}) { hmac } }',
      )
    await run.click()
    await answer.getByText("bad: The 'companyid' parameter must be a number").waitFor()
    await answer.getByText('"hmac": {').waitFor()
    await look("graphql-field-failed", "above")
    await page.locator("[name=query]").fill("{\n  nothing }")
    await run.click()
    await answer.getByText('Line 2, column 3: Cannot query field "nothing"').waitFor()
    await answer.getByText("Status 400").waitFor()
    await page.locator("[name=variables]").fill("x")
    await run.click()
    await page.locator("[name=variables][aria-invalid=true]:focus").waitFor()
    await page.locator("[name=variables]").fill("")
    await page.getByLabel("API key").fill("pk-wrong")
    await run.click()
    await page.locator("[name=_key][aria-invalid=true]:focus").waitFor()
    await answer.getByText("Status 401").waitFor()
    await look("graphql-refused", "above")
    await page.setViewportSize({ width: 390, height: 860 })
    expect((await answer.boundingBox())?.width).toBeGreaterThan(250)
  })
}

/** The answer of an example of the mail audit. */
function audited(name: string) {
  const example = mailaudit.examples.find((one) => one.name === name)
  if (!example) throw new Error(`there is no example '${name}'`)
  return example.output
}
