/** What a customer does who comes by themselves: sign up, make a first call, and sign in by mail later, by keyboard alone. */
import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import type { Desk } from "./desk.ts"
import { tabTo } from "./wait.ts"

/** @param db the data file of a service that everyone can sign up to, whose mail server cannot be reached */
export function signUpInBrowser(desk: Desk, db: string): void {
  /** The link in the newest mail. */
  function lastLink(): string {
    const database = new Database(db, { readonly: true })
    const row = database
      .query<{ data: string }, []>("SELECT data FROM mails ORDER BY raised_ms DESC LIMIT 1")
      .get()
    database.close()
    return JSON.parse(row?.data ?? "{}").link
  }

  test("a visitor signs up and makes a first call, by keyboard alone", async () => {
    const startMs = performance.now()
    const { page, look, done } = await desk.visit("/portal", { key: null })
    await page.getByRole("link", { name: "Sign up" }).waitFor()
    await look("sign-in-by-mail")
    await tabTo(page, "Sign up")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: /^Sign up to/ }).waitFor()
    await look("sign-up")
    await tabTo(page, "E-mail")
    await page.keyboard.type("new@example.com")
    await page.keyboard.press("Enter")
    await page.getByText("Accept the terms to sign up.").waitFor()
    await look("sign-up-terms-missing", "above")
    await page.keyboard.press("Space")
    await tabTo(page, "Send me a link")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Look into your mail" }).waitFor()
    await look("sign-up-sent")

    await page.goto("about:blank")
    await page.goto(lastLink())
    await page.getByRole("heading", { name: "Confirm your address" }).waitFor()
    expect(page.url()).toEndWith("/portal/confirm")
    await look("sign-up-confirm")
    await tabTo(page, "Create my account")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: /^Welcome to/ }).waitFor()
    await page.getByText("First call", { exact: true }).waitFor()
    await look("sign-up-first-key")
    const [key = "", command = ""] = await page.locator(".secret code").allTextContents()
    expect(command).toContain(key)
    const call = Bun.spawn(["sh", "-c", command], { stdout: "pipe", stderr: "ignore" })
    expect(JSON.parse(await new Response(call.stdout).text())).toMatchObject({ status: "ok", error: null })
    expect(performance.now() - startMs).toBeLessThan(60_000)
    await tabTo(page, "I have copied the key")
    await page.keyboard.press("Enter")
    await page.getByRole("rowheader", { name: "first key" }).waitFor()

    // The link was used.
    await page.goto("about:blank")
    await page.goto(lastLink())
    await page.getByRole("button", { name: "Create my account" }).click()
    await page.getByRole("alert").getByText("The link was used already").waitFor()
    await look("sign-up-link-used")
    await done()
  })

  test("a customer signs in by mail, only in the browser that asked", async () => {
    const asking = await desk.visit("/portal", { key: null })
    await tabTo(asking.page, "E-mail")
    await asking.page.keyboard.type("new@example.com")
    await asking.page.keyboard.press("Enter")
    await asking.page.getByText("a mail with a link is on its way").waitFor()
    await asking.look("sign-in-sent", "above")
    const link = lastLink()
    await asking.page.goto("about:blank")
    await asking.page.goto(link)
    await asking.page.getByRole("heading", { name: "Sign in to your account" }).waitFor()
    const other = await asking.page.context().browser()?.newContext()
    const stolen = await other?.newPage()
    await stolen?.goto(link)
    await stolen?.getByRole("button", { name: "Sign in" }).click()
    await stolen?.getByRole("alert").getByText("only in the browser that asked for it").waitFor()
    await other?.close()
    // Only now: the other page took the focus of the browser.
    await tabTo(asking.page, "Sign in")
    await asking.page.keyboard.press("Enter")
    await asking.page.getByRole("rowheader", { name: "first key" }).waitFor()
    await asking.done()
  })

  test("an operator invites a customer, and takes an invitation back", async () => {
    const { page, look, done } = await desk.visit("/console/invitations")
    await page.getByText("No invitations").waitFor()
    await look("invitations-empty")
    await page.getByRole("button", { name: "Invite a customer" }).first().click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("E-mail", { exact: true }).fill("guest@example.com")
    await look("invitations-invite", "above")
    await page.keyboard.press("Enter")
    await dialog.getByText("Invitation of guest@example.com").waitFor()
    await look("invitations-link", "above")
    const link = String(await dialog.locator("code").textContent())
    await dialog.getByRole("button", { name: "I have copied it" }).click()
    await page.getByRole("rowheader", { name: "guest@example.com" }).waitFor()
    await look("invitations-one")
    await page.getByRole("button", { name: "Take back that of guest@example.com" }).click()
    await page.getByText("No invitations").waitFor()
    await page.goto(link)
    await page.getByLabel("I accept the terms").check()
    await page.getByRole("button", { name: "Create my account" }).click()
    await page.getByRole("alert").getByText("The link was used already").waitFor()
    await done()
  })
}
