import { expect } from "bun:test"
import { lookUp } from "../accounts.ts"
import { hostile } from "./accounts.ts"
import { createCustomer, type Desk } from "./desk.ts"
import { testsInTurn } from "./turns.ts"
import { counted, described, pressByKeys, said } from "./wait.ts"

export function keysInBrowser(desk: Desk): void {
  const test = testsInTurn()
  test("a key is created with its text shown once, edited, rotated, disabled, enabled, found, and revoked by keyboard", async () => {
    const { id } = await desk.call("POST", "/accounts", { name: hostile, plan: "pro" })
    const { page, look } = await desk.visit("/console/keys")
    await page.getByRole("button", { name: "Create key" }).click()
    // The APIs come later, and move the button.
    await page.getByRole("dialog").getByLabel("hmac").waitFor()
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click()
    const account = page.getByRole("dialog").getByLabel("Account")
    await described(account, /Type an account/)
    await account.fill(id)
    await page.getByLabel("Name").fill(hostile)
    await page.getByLabel("Expires").fill("yesterday")
    await page.getByLabel("Calls a minute").fill("60")
    await page.getByLabel("hmac").check()
    await page.getByLabel("Only from these addresses").fill("127.0.0.0/8")
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click()
    await page.locator("[name=expires][aria-invalid=true]:focus").waitFor()
    await described(page.getByLabel("Expires"), /Must be a date such as 2027-01-31/)
    await look("keys-create-refused", "above")
    await page.getByLabel("Expires").fill("30d")
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click()
    const text = (await page.getByText(/^pk-\w{38}$/).textContent()) ?? ""
    await look("key-created", "above")
    // Escape must not lose the only sight of it.
    await page.keyboard.press("Escape")
    await page.getByRole("button", { name: "I have copied it" }).click()
    await page.getByText(text).waitFor({ state: "detached" })

    await page.getByRole("button", { name: "Look up a leaked key" }).click()
    await page.getByLabel("Text of the key").fill("pk-nobody")
    await page.getByRole("button", { name: "Look up", exact: true }).click()
    await page.getByText("No key has this text").waitFor()
    await page.getByLabel("Text of the key").fill(text)
    await page.getByRole("button", { name: "Look up", exact: true }).click()
    await page.getByRole("link", { name: "Open the key" }).waitFor()
    await look("key-found", "above")
    await page.getByRole("link", { name: "Open the key" }).click()
    await page.getByRole("heading", { level: 1, name: hostile }).waitFor()
    await page.getByText("127.0.0.0/8").waitFor()
    await look("key")

    await page.getByRole("button", { name: "Edit", exact: true }).click()
    await page.getByLabel("Name").fill("production")
    await page.getByLabel("linesorter").check()
    await look("key-edit", "above")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("heading", { level: 1, name: "production" }).waitFor()
    await page.getByText("hmac, linesorter").waitFor()

    await page.getByRole("button", { name: "Rotate" }).click()
    await page.getByLabel("How long the old text still works").selectOption("It stops at once")
    await page.getByRole("button", { name: "Rotate key" }).click()
    await page.getByText(/^pk-\w{38}$/).waitFor()
    expect(await page.getByText(/^pk-\w{38}$/).textContent()).not.toBe(text)
    await page.getByRole("button", { name: "I have copied it" }).click()

    await page.getByRole("button", { name: "Disable" }).click()
    await page.getByText("Disabled", { exact: true }).first().waitFor()
    await page.getByRole("button", { name: "Enable" }).click()
    await page.getByText("Active", { exact: true }).waitFor()

    await pressByKeys(page, "Revoke")
    await page.getByRole("dialog", { name: "Revoke production?" }).waitFor()
    await look("key-revoke-question", "above")
    await pressByKeys(page, "Revoke key")
    await said(page, "Key revoked.")
    await page.getByText("Revoked", { exact: true }).first().waitFor()
    await counted(page.getByRole("button", { name: "Edit", exact: true }), 0)
    await page.getByRole("link", { name: "Keys" }).first().click()
    await page.getByRole("row").nth(1).waitFor()
    const copy = page.getByRole("button", { name: /^Copy key_/ })
    await copy.nth(1).waitFor()
    await look("keys")
  })

  test("who may not list the APIs edits a key, and what it may call stays", async () => {
    const { id: account } = await desk.call("POST", "/accounts", { name: "With a limited key", plan: "free" })
    const { id } = await desk.call("POST", "/keys", { account, name: "limited", allow_apis: ["hmac"] })
    const { key } = await desk.call("POST", "/admins", { name: "Keys only", may: ["keys.*"] })
    const { page } = await desk.visit(`/console/keys/${id}`, { key })
    await page.getByRole("button", { name: "Edit", exact: true }).click()
    await page.getByLabel("Name").fill("renamed")
    await page.getByRole("button", { name: "Save" }).click()
    await said(page, "Key saved.")
    expect(await desk.call("GET", `/keys/${id}`)).toMatchObject({ name: "renamed", allow_apis: ["hmac"] })
  })

  test("a leaked key is disabled where it was found, and stops at once", async () => {
    const { key, keyId } = await createCustomer(desk, "Leaky")
    const call = () => fetch(desk.url + lookUp, { headers: { "x-api-key": key } })
    expect((await call()).status).toBe(200)
    const { page, look } = await desk.visit("/console/keys")
    await page.getByRole("button", { name: "Look up a leaked key" }).click()
    const dialog = page.getByRole("dialog", { name: "Look up a leaked key" })
    const find = async () => {
      await dialog.getByLabel("Text of the key").fill(key)
      await dialog.getByRole("button", { name: "Look up", exact: true }).click()
      await dialog.getByRole("link", { name: "Open the key" }).waitFor()
    }
    await find()
    await dialog.getByRole("button", { name: "Disable" }).click()
    await said(page, "The key is disabled. Calls with it are refused until it is enabled again.")
    await dialog.getByText("Disabled", { exact: true }).waitFor()
    await counted(dialog.getByRole("button", { name: "Disable" }), 0)
    await look("key-found-disabled", "above")
    expect((await call()).status).toBe(401)
    expect((await desk.call("GET", `/keys/${keyId}`)).disabled).not.toBeNull()
    // One that does not work is not offered to be disabled again.
    await dialog.getByRole("button", { name: "Look up another" }).click()
    await find()
    await counted(dialog.getByRole("button", { name: "Disable" }), 0)
  })

  test("an address with what the list does not know shows what counts, and leads to the first page", async () => {
    await desk.call("POST", "/accounts", { name: "Listed", plan: "free" })
    const address = "/console/accounts?sort=nope&closed=nope&after=nope"
    const { page, look } = await desk.visit(address, { mayFail: true })
    await page.getByText("The 'after' parameter must be").waitFor()
    expect(await page.getByLabel("Order").inputValue()).toBe("")
    expect(await page.getByLabel("State").inputValue()).toBe("")
    await look("accounts-bad-address", "above")
    await page.getByRole("button", { name: "First page" }).click()
    await page.getByRole("rowheader", { name: "Listed" }).first().waitFor()
  })

  test("each wrong field has its message, which is read with it, and the other fields keep their values", async () => {
    const { id } = await desk.call("POST", "/accounts", { name: "Each field", plan: "free" })
    const { page } = await desk.visit("/console/keys")
    await page.getByRole("button", { name: "Create key" }).click()
    const dialog = page.getByRole("dialog")
    const right = { account: id, name: "each", expires: "30d", rate_limit: "60", allow_ips: "192.0.2.0/24" }
    const wrong = [
      ["account", "", /Type an account/],
      ["account", "acc_nobody", /There is no account 'acc_nobody'/],
      ["name", "x".repeat(300), /Must be a string of at most 200 characters/],
      ["expires", "yesterday", /Must be a date such as/],
      ["rate_limit", "0", /Must be/],
      ["allow_ips", "everywhere", /everywhere/],
    ] as const
    for (const [name, text] of Object.entries(right)) await dialog.locator(`[name=${name}]`).fill(text)
    for (const [name, text, message] of wrong) {
      const field = dialog.locator(`[name=${name}]`)
      await field.fill(text)
      await dialog.getByRole("button", { name: "Create key" }).click()
      await dialog.locator(`[name=${name}][aria-invalid=true]:focus`).waitFor()
      await counted(dialog.locator("[aria-invalid=true]"), 1)
      await described(field, message)
      await field.fill(right[name])
    }
    await dialog.getByRole("button", { name: "Create key" }).click()
    await page.getByText(/^pk-\w{38}$/).waitFor()
  })

  test("a button whose work failed has the focus again when the window with the reason closes, and can be pressed again", async () => {
    const { keyId } = await createCustomer(desk, "Focus")
    const { page, look } = await desk.visit(`/console/keys/${keyId}`, { mayFail: true })
    const problem = { type: "https://x/conflict", detail: "Something else changed it." }
    await page.route(/disable/, (route) => route.fulfill({ status: 409, json: problem }), { times: 1 })
    await pressByKeys(page, "Disable")
    await page.getByRole("dialog", { name: "That did not work" }).waitFor()
    await look("action-failed", "above")
    await page.keyboard.press("Escape")
    await counted(page.getByRole("dialog"), 0)
    await page.keyboard.down("Enter")
    await page.getByRole("button", { name: "Enable", exact: true }).waitFor()
    // Held down, the key does not press the button again.
    for (let times = 0; times < 3; times++) await page.keyboard.down("Enter")
    await page.keyboard.up("Enter")
    await page.getByRole("button", { name: "Enable", exact: true }).waitFor()
    expect((await desk.call("GET", `/keys/${keyId}`)).disabled).not.toBeNull()
  })

  test("a key that someone else changed meanwhile is not changed again", async () => {
    const { keyId } = await createCustomer(desk, "Two operators")
    const { page } = await desk.visit(`/console/keys/${keyId}`)
    await page.getByRole("button", { name: "Edit", exact: true }).click()
    await page.getByLabel("Name").fill("mine")
    await desk.call("PATCH", `/keys/${keyId}`, { name: "theirs" })
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("alert").waitFor()
    expect(await page.getByLabel("Name").inputValue()).toBe("mine")
    expect((await desk.call("GET", `/keys/${keyId}`)).name).toBe("theirs")
  })
}
