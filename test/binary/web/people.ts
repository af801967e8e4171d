/** People, passkeys and admin keys in a browser, with Chromium's virtual authenticator (WebAuthn §11). */
import { expect } from "bun:test"
import { addDevice } from "./authenticator.ts"
import type { Desk } from "./desk.ts"
import { testsInTurn } from "./turns.ts"
import { pressByKeys, said, settled } from "./wait.ts"

/** @param desk a service at `localhost`: passkeys need a host name */
export function peopleInBrowser(desk: Desk): void {
  const test = testsInTurn()
  test("a colleague is invited, adds a passkey and signs in with it, by keyboard alone", async () => {
    const operator = await desk.visit("/console/people")
    await operator.page.getByRole("heading", { name: "People", exact: true }).waitFor()
    await settled(operator.page)
    await operator.look("people-empty")
    await pressByKeys(operator.page, "Invite a colleague")
    await operator.page.getByRole("dialog").getByLabel("Name", { exact: true }).focus()
    await operator.page.keyboard.type("Bo Colleague")
    await operator.page.getByRole("dialog").getByText("keys.read").waitFor()
    await pressByKeys(operator.page, "Everything", "Space")
    await operator.look("people-invite", "above")
    await operator.page.keyboard.press("Enter")
    const dialog = operator.page.getByRole("dialog")
    await dialog.getByText("Link for Bo Colleague").waitFor()
    await operator.look("people-link", "above")
    const link = await dialog.locator("code").textContent()
    await operator.page.keyboard.press("Tab")
    await dialog.getByRole("button", { name: "I have copied it" }).focus()
    await operator.page.keyboard.press("Enter")
    await operator.page.getByRole("rowheader", { name: "Bo Colleague" }).waitFor()
    await operator.look("people-one")
    await operator.done()

    const { page, look } = await desk.visit("/", { key: null })
    const device = await addDevice(page)
    await page.goto(String(link))
    await page.getByText("No passkey yet").waitFor()
    await settled(page)
    await look("passkeys-empty")
    await pressByKeys(page, "Add a passkey")
    await look("passkeys-add", "above")
    await page.getByRole("dialog").getByLabel("Name", { exact: true }).focus()
    await page.keyboard.press("Enter")
    await said(page, "The passkey was added. Sign in with it from now on.")
    await page.getByRole("rowheader", { name: "This device" }).waitFor()
    await look("passkeys-one")
    await pressByKeys(page, "Sign out")
    await page.getByRole("button", { name: "Sign in with a passkey" }).waitFor()
    await look("sign-in-passkey")
    await pressByKeys(page, "Sign in with a passkey")
    await page.getByText("Signed in as").waitFor()
    expect(await page.locator(".who-name").textContent()).toBe("Bo Colleague")
    expect(await device.count()).toBe(1)

    // Their acts are theirs.
    const { data } = await desk.call("GET", "/audit?operation=console.sign_in&limit=1")
    expect(data).toMatchObject([{ actor_name: "Bo Colleague", actor: expect.stringMatching(/^person:psn_/) }])

    // Removed while signed in: the next thing that they do asks them to sign in, and their passkey is refused.
    const people = (await desk.call("GET", "/people")).data as { id: string; name: string }[]
    const id = people.find(({ name }) => name === "Bo Colleague")?.id
    await desk.call("DELETE", `/people/${id}`)
    await page.goto(`${desk.url}/console`)
    await pressByKeys(page, "Sign in with a passkey")
    await page.getByRole("alert").getByText("This passkey is not known here").waitFor()
  })

  test("an admin key is created with chosen permissions, shown once, and revoked", async () => {
    const { page, look } = await desk.visit("/console/admin-keys")
    await page.getByRole("rowheader", { name: "Ann Operator" }).waitFor()
    await page.getByRole("button", { name: "Create admin key" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Name", { exact: true }).fill("billing")
    await dialog.getByLabel("accounts.read", { exact: true }).check()
    await look("admin-keys-create", "above")
    await dialog.getByRole("button", { name: "Create admin key" }).click()
    await dialog.getByText("pka-").waitFor()
    await dialog.getByRole("button", { name: "I have copied it" }).click()
    const row = page.getByRole("row", { name: /billing/ })
    await row.getByText("accounts.read").waitFor()
    await look("admin-keys")
    await row.getByRole("button", { name: /Revoke/ }).click()
    await look("admin-keys-revoke", "above")
    await dialog.getByRole("button", { name: "Revoke" }).click()
    await said(page, "The admin key billing was revoked.")
    await row.getByText("Revoked").waitFor()
  })
}
