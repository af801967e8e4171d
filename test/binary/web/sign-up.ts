/** The steps of a customer without an invitation: sign up, make a first call, and sign in by mail later, by keyboard alone. */
import { Database } from "bun:sqlite"
import { expect, test as testAlways } from "bun:test"
import { createSecret, hashKey } from "../../../src/accounts/key.ts"
import { systemRandom } from "../../../src/ports/random.ts"
import { createCustomer, type Desk } from "./desk.ts"
import { testsInTurn } from "./turns.ts"
import { counted, pressByKeys, tabTo } from "./wait.ts"

/** @param db the data file of a service that everyone can sign up to, whose mail server cannot be reached */
/** @param serve starts a service with these settings for one test */
export function signUpInBrowser(desk: Desk, db: string, serve: (settings: string) => Promise<Desk>): void {
  const test = testsInTurn()
  /** A link as the newest mail to an address would have it: a token is made for each attempt to send one. */
  function lastLink(to: string): string {
    using database = new Database(db, { readwrite: true, strict: true })
    database.run("PRAGMA busy_timeout = 5000")
    const sql =
      "SELECT data FROM mails WHERE recipient = ?1 AND data LIKE '%link_id%' ORDER BY raised_ms DESC LIMIT 1"
    const row = database.query<{ data: string }, [string]>(sql).get(to)
    const { link, link_id: linkId } = JSON.parse(row?.data ?? "{}")
    const token = createSecret("linkToken", systemRandom)
    const insert = "INSERT INTO email_link_tokens (hash, link_id) VALUES (?1, ?2)"
    database.query(insert).run(hashKey(token), linkId)
    return `${link}${token}`
  }

  test("the header of the public pages leads strangers to sign in and up, and customers to their portal", async () => {
    const { page, look } = await desk.visit("/", { key: null })
    const top = page.locator(".top")
    await top.getByRole("link", { name: "Sign in" }).waitFor()
    await top.getByRole("link", { name: "Sign up" }).waitFor()
    const { key } = await createCustomer(desk, "Known customer", "free")
    await page.request.post(`${desk.url}/portal/session`, { data: { key }, headers: { origin: desk.url } })
    for (const path of ["/", "/apis/hmac"]) {
      await page.goto(desk.url + path)
      await top.getByRole("link", { name: "Portal", exact: true }).waitFor()
      await counted(top.getByRole("link", { name: /^Sign/ }), 0)
    }
    await look("header-signed-in", "above")
    await top.getByRole("link", { name: "Portal", exact: true }).click()
    await page.getByText("Known customer").first().waitFor()
  })

  // A later test signs in to the account of this one.
  testAlways("a visitor signs up and makes a first call, by keyboard alone", async () => {
    const { page, look, done } = await desk.visit("/portal", { key: null })
    await page.getByRole("link", { name: "Sign up" }).waitFor()
    await look("sign-in-by-mail")
    await pressByKeys(page, "Sign up")
    await page.getByRole("heading", { name: /^Sign up for/ }).waitFor()
    await page.getByText("an account on the plan free").waitFor()
    await look("sign-up")
    // The first field has the focus.
    await page.locator("[name=email]:focus").waitFor()
    await page.keyboard.type("new@example.com")
    await page.keyboard.press("Enter")
    await page.getByText("Accept the terms to sign up.").waitFor()
    await look("sign-up-terms-missing", "above")
    await page.keyboard.press("Space")
    await pressByKeys(page, "Send me a link")
    await page.getByRole("heading", { name: "Check your mail" }).waitFor()
    await look("sign-up-sent")

    const link = lastLink("new@example.com")
    await page.goto("about:blank")
    await page.goto(link)
    await page.getByRole("heading", { name: "Confirm your address" }).waitFor()
    expect(page.url()).toEndWith("/portal/confirm")
    await page.getByText("on the plan free").waitFor()
    await look("sign-up-confirm")
    await page.locator("button:focus").getByText("Create my account").waitFor()
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: /^Welcome to/ }).waitFor()
    await page.getByText("First call", { exact: true }).waitFor()
    await look("sign-up-first-key")
    await page.getByText("Your account is on the plan free.").waitFor()
    const [key = "", command = ""] = await page.locator(".secret code").allTextContents()
    expect(command).toContain(key)
    expect(command).toContain("/v1/bluetoothlookup?companyid=")
    const call = Bun.spawn(["sh", "-c", command], { stdout: "pipe", stderr: "ignore" })
    expect(JSON.parse(await new Response(call.stdout).text())).toMatchObject({ status: "ok", error: null })
    await pressByKeys(page, "I have copied the key")
    await page.getByRole("rowheader", { name: "first key" }).waitFor()

    // Someone who is signed in has no need of the page for visitors.
    await page.goto(new URL("/portal/sign-up", page.url()).href)
    await page.getByRole("rowheader", { name: "first key" }).waitFor()
    expect(new URL(page.url()).pathname).toBe("/portal")

    // The link was used.
    await page.goto("about:blank")
    await page.goto(link)
    await page.getByRole("alert").getByText("The link was used already").waitFor()
    await counted(page.getByRole("button", { name: "Create my account" }), 0)
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
    const link = lastLink("new@example.com")
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
    await pressByKeys(asking.page, "Sign in")
    await asking.page.getByRole("rowheader", { name: "first key" }).waitFor()
  })

  test("where everyone may sign up but no mail is sent, the pages say so and lead to the operator", async () => {
    const own = await serve('contact = "help@example.com"\n[sign_up]\nmode = "open"\n')
    const { page, look } = await own.visit("/portal/sign-up", { key: null })
    await page.getByText("This service sends no mail, so you cannot sign up by yourself.").waitFor()
    const operator = page.getByRole("link", { name: "the operator of penknife" })
    expect(await operator.getAttribute("href")).toBe("mailto:help@example.com")
    await page.getByText("for an invitation: its link creates your account.").waitFor()
    await counted(page.getByRole("textbox"), 0)
    await look("sign-up-without-mail")
    await page.getByRole("link", { name: "Sign in" }).click()
    await page.getByText("Without a key, ask the operator of penknife").waitFor()
    await counted(page.getByLabel("E-mail"), 0)
    await counted(page.getByRole("link", { name: "Sign up" }), 0)
    await look("sign-in-without-mail")
    // The page's instructions work.
    const { url } = await own.call("POST", "/invitations", { email: "asked@example.com" })
    await page.goto("about:blank")
    await page.goto(String(url))
    await page.getByRole("button", { name: "Create my account" }).click()
    await page.getByRole("heading", { name: /^Welcome to/ }).waitFor()
  })

  test("where only a page of the operator signs up, the pages lead there", async () => {
    const address = "https://shop.example/join"
    const own = await serve(`sign_up_url = "${address}"\n[plans.free]\nprice = "Free"\n`)
    const { page, look } = await own.visit("/portal/sign-up", { key: null })
    const link = page.getByRole("link", { name: "the sign-up page of penknife" })
    expect(await link.getAttribute("href")).toBe(address)
    await page.getByText("To get an account, go to the sign-up page").waitFor()
    await counted(page.getByRole("textbox"), 0)
    await look("sign-up-elsewhere")
    for (const path of ["/portal", "/"]) {
      await page.goto(own.url + path)
      const signUp = page.getByRole("link", { name: /^Sign up/ }).first()
      await signUp.waitFor()
      expect(await signUp.getAttribute("href")).toBe(address)
    }
  })

  test("a card of another plan says how one gets it, and leads to the free one", async () => {
    const { page, look } = await desk.visit("/", { key: null })
    await page.getByText("Then ask the operator for Pro.").waitFor()
    await look("landing-start-with")
    await page.getByRole("link", { name: "Start with Free, then ask for Pro" }).click()
    await page.getByText("an account on the plan free").waitFor()
  })

  test("a customer chooses how notices come, and sees how each came", async () => {
    const { id } = await desk.call("POST", "/accounts", {
      ...{ name: "By mail", email: "by-mail@example.com", events: ["key.created"] },
    })
    const { key } = await desk.call("POST", "/keys", { account: id })
    const { page, look } = await desk.visit("/portal/webhook", { key })
    // An address gets notices without being told so.
    await page.getByText("Notices go by mail to by-mail@example.com.").waitFor()
    await pressByKeys(page, "Choose how")
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Send notices").selectOption("Not at all")
    await dialog.getByRole("button", { name: "Save" }).click()
    await page.getByText("Notices are sent nowhere. You chose to get none.").waitFor()
    await page.getByRole("button", { name: "Choose how" }).click()
    await dialog.getByLabel("Send notices").selectOption("By mail to by-mail@example.com")
    await dialog.getByText("you are also told before a key expires").waitFor()
    await look("portal-notices-choose", "above")
    await dialog.getByRole("button", { name: "Save" }).click()
    await page.getByText("Notices go by mail to by-mail@example.com.").waitFor()
    await page.getByText("when a key expires in 7 days").waitFor()
    await desk.call("POST", "/keys", { account: id, name: "second" })
    await page.getByRole("button", { name: "Refresh" }).click()
    await page.getByRole("row").getByText("Mail waiting").waitFor()
    await look("portal-notices-by-mail")
    await page.getByRole("button", { name: "Details of key.created" }).first().click()
    await page.getByRole("dialog").getByText("The account gets its notices by mail alone.").waitFor()
  })

  test("an operator finds the mails to an address, with what the mail server said", async () => {
    const invited = await desk.call("POST", "/invitations", { email: "nothing-came@example.com" })
    const { page, look } = await desk.visit("/console/mails")
    await page.getByLabel("Address").fill("nothing-came")
    await page.getByText("Type the whole address").waitFor()
    await page.getByLabel("Address").fill("nothing-came@example.com")
    await page.waitForURL(/address=/)
    await counted(page.locator("tbody tr"), 1)
    await page.getByRole("cell", { name: "Invitation" }).waitFor()
    await page.getByText("1–1 of 1", { exact: true }).waitFor()
    await look("mails-one")
    await page.getByLabel("State").selectOption("Expired")
    await page.getByText("No mails match").waitFor()
    await desk.call("POST", `/invitations/${invited.id}/revoke`, {})
  })

  test("an operator invites a customer, and takes an invitation back", async () => {
    const { page, look } = await desk.visit("/console/invitations")
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
    await page.getByRole("alert").getByText("The link was used already").waitFor()
  })

  test("terms that change while a page is open are shown, and accepted only then", async () => {
    const old = "https://terms.example/old"
    const smtp = 'smtp = "smtp://127.0.0.1:1?starttls=never"\nmail_from = "no-reply@example.com"\n'
    const own = await serve(`${smtp}[sign_up]\nmode = "open"\nterms = "${old}"\n`)
    const setTerms = (terms: string) => own.call("PATCH", "/config", { changes: { "sign_up.terms": terms } })
    const { url } = await own.call("POST", "/invitations", { email: "terms@example.com" })
    const { page, look } = await own.visit("/portal/sign-up", { key: null })
    /** Accepts the terms that the page shows, which are not those of the service, and then the new ones. */
    const accept = async (button: string, newer: string) => {
      const box = page.getByLabel("I accept the terms")
      await box.check()
      await setTerms(newer)
      await page.getByRole("button", { name: button }).click()
      await page.getByRole("alert").getByText(`The terms have changed. Read those at ${newer}`).waitFor()
      expect(await page.getByRole("link", { name: "Read the terms" }).getAttribute("href")).toBe(newer)
      expect(await box.isChecked()).toBe(false)
      await look(`terms-changed-${button.toLowerCase().replaceAll(" ", "-")}`, "above")
      await box.check()
      await page.getByRole("button", { name: button }).click()
    }
    await page.getByLabel("E-mail").fill("else@example.com")
    await accept("Send me a link", "https://terms.example/newer")
    await page.getByRole("heading", { name: "Check your mail" }).waitFor()
    await page.goto("about:blank")
    await page.goto(String(url))
    await accept("Create my account", "https://terms.example/newest")
    await page.getByRole("heading", { name: /^Welcome to/ }).waitFor()
  })

  test("an invitation to a plan of its own names it, and makes the account on it", async () => {
    const { url } = await desk.call("POST", "/invitations", { email: "pro@example.com", plan: "pro" })
    const { page, look } = await desk.visit("/portal", { key: null })
    await page.goto("about:blank")
    await page.goto(String(url))
    await page.getByRole("heading", { name: "You are invited" }).waitFor()
    await page.getByText("on the plan pro").waitFor()
    await page.locator("[name=name]:focus").waitFor()
    await look("invitation-confirm")
    await page.keyboard.press("Enter")
    await page.getByText("Accept the terms to sign up.").waitFor()
    await page.keyboard.press("Space")
    await page.keyboard.press("Enter")
    await page.getByText("Your account is on the plan pro.").waitFor()
  })
}
