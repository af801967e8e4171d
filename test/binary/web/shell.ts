import { expect } from "bun:test"
import type { Desk } from "./desk.ts"
import { testsInTurn } from "./turns.ts"
import { counted, described } from "./wait.ts"

export function shellInBrowser(desk: Desk): void {
  const test = testsInTurn()
  test("a stranger signs in with an admin key, and a wrong one is refused at its field", async () => {
    const { page, look } = await desk.visit("/console/accounts?plan=free", { key: null })
    await page.getByRole("heading", { level: 1, name: "Sign in to the console" }).waitFor()
    await look("sign-in")
    const key = page.getByLabel("Admin key")
    await key.fill("pka-0000000000000000000000000000000000000000")
    await page.keyboard.press("Enter")
    await page.locator("[name=key][aria-invalid=true]:focus").waitFor()
    await described(key, /./)
    await look("sign-in-refused", "above")
    await key.fill(desk.adminKey)
    await page.keyboard.press("Enter")
    // The screen that was asked for, with its filter.
    await page.getByRole("heading", { level: 1, name: "Accounts" }).waitFor()
    expect(await page.getByLabel("Plan").inputValue()).toBe("free")
    await page.getByRole("link", { name: "Keys", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor()
    await page.getByRole("button", { name: "Sign out", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "Sign in to the console" }).waitFor()
    await page.goBack()
    await page.waitForURL(/accounts/)
    await page.getByRole("heading", { level: 1, name: "Sign in to the console" }).waitFor()
    await counted(page.getByRole("table"), 0)
  })

  test("a name of one long word widens neither the page, its windows, the sidebar nor a list", async () => {
    const name = "Rindfleischetikettierungsueberwachungsaufgabenuebertragungsgesetz"
    const { id } = await desk.call("POST", "/accounts", { name, plan: "free" })
    const { key } = await desk.call("POST", "/keys", { account: id, name })
    const { page, look, done } = await desk.visit(`/console/accounts/${id}`)
    await page.getByRole("heading", { level: 1, name }).waitFor()
    await page.getByRole("rowheader", { name }).waitFor()
    await look("account-long-name")
    await page.getByRole("button", { name: "Adjust credits" }).click()
    await page.getByRole("dialog").getByRole("heading", { name }).waitFor()
    await look("account-long-name-adjust", "above")
    await page.goto(`${desk.url}/console/keys?account=${id}`)
    await page.getByRole("row").nth(1).waitFor()
    await look("keys-long-name")
    const list = page.locator(".card.flush")
    expect(await list.evaluate((card) => card.scrollWidth - card.clientWidth)).toBe(0)
    await done()
    const customer = await desk.visit("/portal", { key })
    const place = async (what: string) =>
      (await customer.page.locator(what).boundingBox()) ?? { x: 0, width: 0 }
    await customer.page.getByRole("row").nth(1).waitFor()
    const [side, who] = [await place(".side"), await place(".who-name")]
    expect(who.x + who.width).toBeLessThan(side.x + side.width)
    await customer.look("portal-keys-long-name")
  })

  test("the token of a link leaves the address at once, and a link that cannot be used is explained", async () => {
    const { page, look } = await desk.visit("/console#token=pkl-0000000000000000000000000000000000000000", {
      key: null,
    })
    await page.getByRole("alert").waitFor()
    expect(page.url()).toBe(`${desk.url}/console`)
    await look("sign-in-link-refused")
  })

  test("a link made on the screen of an account signs the customer in to the portal, once", async () => {
    const { id } = await desk.call("POST", "/accounts", { name: "Linked customer", plan: "free" })
    const operator = await desk.visit(`/console/accounts/${id}`)
    await operator.page.getByRole("button", { name: "Portal link" }).click()
    await operator.page.getByRole("button", { name: "Make a link" }).click()
    const link = (await operator.page.getByText(/#token=/).textContent()) ?? ""
    expect(link).toStartWith(`${desk.url}/portal#token=`)
    await operator.look("account-portal-link", "above")
    await operator.done()

    const customer = await desk.visit(link.slice(desk.url.length), { key: null })
    await customer.page.getByText("Signed in as").waitFor()
    await customer.page.getByText("Linked customer").first().waitFor()
    expect(customer.page.url()).toBe(`${desk.url}/portal`)
    await customer.done()
    const stranger = await desk.visit(link.slice(desk.url.length), { key: null })
    await stranger.page.getByRole("alert").waitFor()
    await stranger.page.getByRole("heading", { level: 1, name: "Sign in to your account" }).waitFor()
    await stranger.look("portal-sign-in-link-used")
  })

  test("when the service is gone it is said, what was typed stays, and all goes on when it is back", async () => {
    const { page, look } = await desk.visit("/console/accounts", { mayFail: true })
    await page.getByRole("button", { name: "Create account" }).click()
    await page.getByLabel("Name").fill("Typed before")
    await page.getByRole("dialog").getByRole("option", { name: "pro" }).waitFor({ state: "attached" })
    await page.context().setOffline(true)
    await page.getByRole("dialog").getByRole("button", { name: "Create account" }).click()
    await page.getByText("The service cannot be reached.").first().waitFor()
    expect(await page.getByLabel("Name").inputValue()).toBe("Typed before")
    await look("service-gone")
    await page.context().setOffline(false)
    await page.getByRole("dialog").getByRole("button", { name: "Try again" }).click()
    await page.getByRole("heading", { level: 1, name: "Typed before" }).waitFor()
    await page.locator(".banner.shown").waitFor({ state: "detached" })
  })

  test("a list that loads says so, and one that could not be read is read by itself when the service is back", async () => {
    const { page, look } = await desk.visit("/console", { mayFail: true })
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
    await page.route(/\/admin\/v1\/accounts\?/, () => {})
    await page.getByRole("link", { name: "Accounts", exact: true }).click()
    await page.getByText("Loading accounts").waitFor()
    await look("accounts-loading")
    await page.unrouteAll({ behavior: "ignoreErrors" })
    await page.getByRole("link", { name: "Overview", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
    await page.context().setOffline(true)
    await page.getByRole("link", { name: "Accounts", exact: true }).click()
    await page.getByText("The service cannot be reached.").waitFor()
    await page.getByText("Loading accounts").waitFor()
    await page.context().setOffline(false)
    await page.getByRole("row").nth(1).waitFor()
  })

  test("when the session ends, the window to sign in stands above what was typed", async () => {
    const { page, look } = await desk.visit("/console/accounts")
    await page.getByRole("button", { name: "Create account" }).click()
    await page.getByLabel("Name").fill("Typed before the end")
    await page.getByRole("dialog").getByRole("option", { name: "pro" }).waitFor({ state: "attached" })
    await page.context().clearCookies()
    await page.getByRole("dialog").getByRole("button", { name: "Create account" }).click()
    await page.getByRole("dialog", { name: "Sign in again" }).waitFor()
    await look("session-ended", "above")
    await page.getByLabel("Admin key").fill(desk.adminKey)
    await page.keyboard.press("Enter")
    await page.getByRole("dialog", { name: "Sign in again" }).waitFor({ state: "detached" })
    expect(await page.getByLabel("Name").inputValue()).toBe("Typed before the end")
    await page.getByRole("dialog").getByRole("button", { name: "Create account" }).click()
    await page.getByRole("heading", { level: 1, name: "Typed before the end" }).waitFor()
  })

  test("an address without a screen says so, and the way back works", async () => {
    const { page, look } = await desk.visit("/console/nowhere")
    await page.getByText("There is no such screen").waitFor()
    await look("no-screen")
    await page.getByRole("main").getByRole("link", { name: "Overview" }).click()
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
    await page.goBack()
    await page.getByText("There is no such screen").waitFor()
  })

  test("on a screen of 1280 by 900 'Sign out' is in sight, and no placeholder is cut", async () => {
    const { page } = await desk.visit("/console")
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
    const titles = await page.getByRole("navigation", { name: "Console" }).getByRole("link").allTextContents()
    expect(titles).toContain("Accounts")
    const cut: string[] = []
    for (const title of titles) {
      await page.getByRole("link", { name: title, exact: true }).click()
      await page.getByRole("heading", { level: 1, name: title }).waitFor()
      cut.push(...(await page.evaluate<string[]>(cutPlaceholders)))
    }
    expect(cut).toEqual([])
    const button = await page.getByRole("button", { name: "Sign out everywhere" }).boundingBox()
    expect((button?.y ?? 900) + (button?.height ?? 0)).toBeLessThan(900)
    // The first and the last screen can be reached, also where only a part of them fits.
    await page.setViewportSize({ width: 1280, height: 560 })
    await page.getByRole("link", { name: titles.at(-1) ?? "", exact: true }).click()
    await page.getByRole("link", { name: "Overview", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
    await page.getByRole("button", { name: "Sign out", exact: true }).click({ trial: true })
    // The sidebar shows the present screen where not all have room, also after a reload.
    await page.setViewportSize({ width: 1280, height: 860 })
    await page.getByRole("link", { name: "Admin keys", exact: true }).click()
    await page.getByRole("row").nth(1).waitFor()
    const roomBelow = () =>
      page.evaluate<number>(
        `document.querySelector(".side-nav").getBoundingClientRect().bottom - document.querySelector(".side-nav [aria-current]").getBoundingClientRect().bottom`,
      )
    expect(await roomBelow()).toBeGreaterThan(0)
    await page.setViewportSize({ width: 1280, height: 640 })
    await page.reload()
    await page.getByRole("row").nth(1).waitFor()
    expect(await roomBelow()).toBeGreaterThan(0)
  })

  test("the menu on a narrow screen opens, closes, and shows which screen this is", async () => {
    const { page, look } = await desk.visit("/console/accounts")
    await page.setViewportSize({ width: 390, height: 860 })
    await page.getByRole("button", { name: "Menu" }).click()
    await page.getByRole("navigation", { name: "Console" }).waitFor()
    await look("menu")
    await page.setViewportSize({ width: 390, height: 860 })
    await page.getByRole("link", { name: "Keys", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor()
    await page.getByRole("navigation", { name: "Console" }).waitFor({ state: "hidden" })
  })
}

/** The placeholders of a page that do not fit into their fields. */
const cutPlaceholders = `(() => {
  const context = document.createElement("canvas").getContext("2d")
  return [...document.querySelectorAll("input[placeholder]")].filter((input) => {
    const { font, paddingLeft, paddingRight } = getComputedStyle(input)
    context.font = font
    return context.measureText(input.placeholder).width > input.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)
  }).map((input) => input.placeholder)
})()`
