import { expect } from "bun:test"
import { eventually } from "../../support/eventually.ts"
import { startReceiver, statusOnly } from "../../support/receiver.ts"
import { hostile } from "./accounts.ts"
import { callOnce, createCustomer, type Desk } from "./desk.ts"
import { testsInTurn } from "./turns.ts"
import { counted, described, pressByKeys, said, settled, tabTo } from "./wait.ts"

/** Collects what is written into canvases, such as the numbers of an axis. */
const keepDrawnTexts = `(() => {
  globalThis.drawnTexts = []
  const { prototype } = CanvasRenderingContext2D
  const { fillText } = prototype
  prototype.fillText = function (text, ...rest) {
    drawnTexts.push(text)
    return fillText.call(this, text, ...rest)
  }
})()`

export function portalInBrowser(desk: Desk): void {
  const test = testsInTurn()
  test("a customer signs in with an API key, and a wrong one is refused at its field", async () => {
    const { key } = await createCustomer(desk, hostile)
    const { page, look } = await desk.visit("/portal/usage", { key: null })
    await page.getByRole("heading", { level: 1, name: "Sign in to your account" }).waitFor()
    await look("portal-sign-in")
    await page.getByLabel("API key").fill("pk-00000000000000000000000000000000000000")
    await page.keyboard.press("Enter")
    await page.locator("[name=key][aria-invalid=true]:focus").waitFor()
    await page.getByLabel("API key").fill(key)
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor()
    await page.getByText(hostile).first().waitFor()
  })

  test("where nobody can sign up, the page says who makes accounts", async () => {
    const { page, look } = await desk.visit("/portal/sign-up", { key: null })
    await page.getByText("You cannot sign up here by yourself.").waitFor()
    await page.getByRole("link", { name: "Sign in" }).waitFor()
    await look("portal-sign-up-off")
  })

  test("a customer creates a key whose text is shown once, renames, rotates and revokes it", async () => {
    const { account, key } = await createCustomer(desk, "Keys of a customer")
    const { page, look } = await desk.visit("/portal", { key })
    await page.getByRole("row").nth(1).waitFor()
    await look("portal-keys-one")
    await page.getByRole("button", { name: "Create key" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("textbox", { name: "Name" }).fill(hostile)
    await dialog.getByLabel("Expires").fill("yesterday")
    await dialog.getByText("Limits", { exact: true }).click()
    await dialog.getByLabel("Line sorter").check()
    await look("portal-keys-create", "above")
    await dialog.getByRole("button", { name: "Create key" }).click()
    await page.locator("[name=expires][aria-invalid=true]:focus").waitFor()
    await described(dialog.getByLabel("Expires"), /Must be a date such as 2027-01-31/)
    await dialog.getByLabel("Expires").fill("30d")
    await dialog.getByRole("button", { name: "Create key" }).click()
    const text = (await page.getByText(/^pk-\w{38}$/).textContent()) ?? ""
    await look("portal-key-created", "above")
    await page.keyboard.press("Escape")
    await page.getByRole("button", { name: "I have copied it" }).click()
    await page.getByText(text).waitFor({ state: "detached" })
    await page.getByRole("row").nth(2).waitFor()
    await look("portal-keys")

    await page.getByRole("button", { name: `Rename ${hostile}` }).click()
    await page.getByRole("textbox", { name: "Name" }).fill("production")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("button", { name: "Rotate production" }).click()
    await look("portal-key-rotate", "above")
    await page.getByLabel("How long the old text still works").selectOption("For a day")
    await page.getByRole("button", { name: "Rotate key" }).click()
    await page.getByText("The old text works until").waitFor()
    await page.getByRole("button", { name: "I have copied it" }).click()
    await pressByKeys(page, "Revoke production")
    await page.getByRole("dialog", { name: "Revoke production?" }).waitFor()
    await look("portal-key-revoke", "above")
    await pressByKeys(page, "Revoke key")
    await said(page, "Key revoked.")
    await page.getByText("Revoked", { exact: true }).waitFor()
    const { data } = await desk.call("GET", `/keys?account=${account}&state=revoked`)
    expect(data).toMatchObject([{ name: "production" }])
  })

  test("whoever signs in with a limited key is told what is not allowed", async () => {
    const { account } = await createCustomer(desk, "Limited")
    const limited = await desk.call("POST", "/keys", { account, name: "limited", rate_limit: 600 })
    const { page, look } = await desk.visit("/portal", { key: limited.key })
    await page.getByText("You cannot create, rotate or revoke keys here").waitFor()
    await page.getByRole("row").nth(1).waitFor()
    await counted(page.getByRole("button", { name: "Create key" }), 0)
    await look("portal-keys-limited")
    await page.getByRole("link", { name: "Notices" }).click()
    await page.getByText("You cannot change the webhook here").waitFor()
    await look("portal-webhook-limited")
  })

  test("usage shows credits, days, APIs and keys, is narrowed down by keyboard, and what is shown can be saved", async () => {
    const { key, keyId } = await createCustomer(desk, "Usage of a customer")
    const { page, look } = await desk.visit("/portal/usage", { key })
    await page.getByText("No calls in the last 31 days").waitFor()
    await look("portal-usage-empty")
    await callOnce(desk, key)
    await callOnce(desk, key)
    await page.reload()
    await page.locator(".plot-canvas canvas").nth(1).waitFor()
    await page.getByRole("rowheader", { name: "Bluetooth company lookup" }).waitFor()
    await look("portal-usage")
    const download = page.waitForEvent("download")
    await page.getByRole("button", { name: "Save as CSV: By API" }).click()
    expect(await Bun.file(await (await download).path()).text()).toBe(
      "API,Calls,Credits\r\nBluetooth company lookup,2,2\r\n",
    )
    await page.evaluate(keepDrawnTexts)
    await tabTo(page, "31 days")
    await page.keyboard.press("ArrowLeft")
    await page.waitForURL(/range=7/)
    await page.getByLabel("Key", { exact: true }).selectOption("first")
    await page.waitForURL(`${desk.url}/portal/usage?range=7&key=${keyId}`)
    await settled(page)
    // There is no half call.
    await eventually(async () => {
      const counts = (await page.evaluate<string[]>("drawnTexts")).filter((text) => /^[\d.]+$/.test(text))
      expect([...new Set(counts)].sort()).toEqual(["0", "1", "2"])
    })
    await tabTo(page, "API")
    // One letter: the browser begins anew with one that comes a second later.
    await page.keyboard.press("H")
    await page.waitForURL(/api=hmac/)
    await page.getByText("No calls in the last 7 days").waitFor()
    await page.keyboard.press("Home")
    await page.getByRole("rowheader", { name: "Bluetooth company lookup" }).waitFor()
    await settled(page)
    await pressByKeys(page, "Figures")
    await page.getByRole("table", { name: "Calls by day" }).waitFor()
    await tabTo(page, "Save as CSV: By key")
    const byKey = page.waitForEvent("download")
    await page.keyboard.press("Enter")
    expect(await Bun.file(await (await byKey).path()).text()).toBe("Key,Calls,Credits\r\nfirst,2,2\r\n")
  })

  test("the address of another account's key shows nothing of it", async () => {
    const { key } = await createCustomer(desk, "Curious")
    const other = await createCustomer(desk, "Other")
    await callOnce(desk, other.key)
    const { page, look } = await desk.visit(`/portal/usage?key=${other.keyId}`, { key })
    await page.getByRole("alert").first().waitFor()
    await counted(page.locator(".loading"), 0)
    await counted(page.locator(".plot-canvas"), 0)
    await look("portal-usage-other")
    for (const path of [
      `/accounts/${other.account}`,
      `/keys/${other.keyId}`,
      `/accounts/${other.account}/webhook`,
    ])
      expect([path, (await page.request.get(`${desk.url}/portal/v1${path}`)).status()]).toEqual([path, 404])
  })

  test("the playground sends a call from a form, and shows its code, its answer and what it cost", async () => {
    const { key } = await createCustomer(desk, "Player", "free")
    const { page, look } = await desk.visit("/portal/playground?api=sunrisesunset", { key })
    await page.getByRole("button", { name: "Send the call" }).waitFor()
    await described(page.locator("[name=date]"), /It has no effect on your plan\.$/)
    await described(page.locator("[name=lat]"), /^(?!.*your plan)/)
    await look("portal-playground")
    await page.getByRole("button", { name: "Send the call" }).click()
    await page.getByText("Status 200").waitFor()
    await page.getByText("Cost 1 credit, 1,499 left").waitFor()
    await page.getByText("Headers", { exact: true }).click()
    await page.getByText("x-api-remaining-credits").waitFor()
    await look("portal-playground-answer")
    await tabTo(page, "lat")
    await page.keyboard.press("Control+a")
    await page.keyboard.type("99")
    await page.getByText("lat=99").waitFor()
    await pressByKeys(page, "Send the call")
    await page.locator("[name=lat][aria-invalid=true]:focus").waitFor()
    await described(page.locator("[name=lat]"), /must be a number from -90 to 90/i)
    await page.getByText("Cost nothing").waitFor()
    await look("portal-playground-refused")
    // The session calls, so no key is in the page.
    expect(await page.content()).not.toContain(key)
    await page.getByLabel("API", { exact: true }).selectOption("Line sorter")
    await page.getByText("Python", { exact: true }).click()
    await page.locator("[name=lines]").fill("b\na")
    await page.locator("[name=order]").selectOption("desc")
    await page.locator("[name=_format]").selectOption("YAML")
    await page.getByText('"order": "desc"').waitFor()
    await page.getByRole("button", { name: "Send the call" }).click()
    await page.getByText("lineCount: 2").waitFor()
    await look("portal-playground-yaml", "above")
  })

  /** The console has the same by mouse. */
  test("a webhook is set by keyboard with its secret shown once, tested and removed", async () => {
    const { account, key } = await createCustomer(desk, "Webhook of a customer")
    let status = 200
    const receiver = startReceiver()
    receiver.answer(() => statusOnly(status))
    const { page, look } = await desk.visit("/portal/webhook", { key })
    await page.getByText("No webhook", { exact: true }).waitFor()
    await page.getByText("Notices are sent nowhere. There is no webhook yet.").waitFor()
    // This service sends no mail.
    expect(await page.getByRole("button", { name: "Choose how" }).count()).toBe(0)
    await look("portal-webhook-none")
    await pressByKeys(page, "Set a webhook")
    await page.getByRole("dialog", { name: "Set a webhook" }).waitFor()
    await tabTo(page, "Address")
    await page.keyboard.type("http://localhost:1/hook")
    await page.keyboard.press("Enter")
    await page.locator("[name=url][aria-invalid=true]:focus").waitFor()
    await look("portal-webhook-refused", "above")
    await page.keyboard.press("Control+a")
    await page.keyboard.type("https://example.com/hook")
    await page.keyboard.press("Enter")
    await page.getByText(/^whsec_/).waitFor()
    await look("portal-webhook-secret", "above")
    await pressByKeys(page, "I have copied it")
    await page.getByText("https://example.com/hook").waitFor()
    // Only operators may name an address in their own network.
    await desk.call("POST", `/accounts/${account}/webhook`, { url: receiver.url, allow_private: true })
    await page.reload()
    await page.getByText(receiver.url).waitFor()
    const sendUntil = async (text: string | RegExp) => {
      await pressByKeys(page, "Send a test event")
      await page.getByRole("rowheader", { name: "test" }).first().waitFor()
      await tabTo(page, "Refresh")
      await eventually(async () => {
        await page.keyboard.press("Enter")
        await settled(page)
        expect(await page.getByText(text, { exact: true }).count()).toBe(1)
      })
    }
    await sendUntil("Delivered")
    await page.getByText("Status 200", { exact: true }).waitFor()
    await look("portal-webhook")
    await page.getByRole("button", { name: "Details of test" }).click()
    const attempts = page.getByRole("dialog").getByRole("table", { name: "attempts" })
    await attempts.getByRole("cell", { name: "200" }).waitFor()
    await look("portal-webhook-attempts", "above")
    await page.keyboard.press("Escape")
    // It is tried again later, which the list says.
    status = 400
    await sendUntil(/^next attempt (?:in|within) /)
    await pressByKeys(page, "Remove")
    await pressByKeys(page, "Remove webhook")
    await page.getByText("No webhook", { exact: true }).waitFor()
  })

  test("an answer that does not come, and a service that is gone", async () => {
    const { key } = await createCustomer(desk, "Patient")
    const { page, look } = await desk.visit("/portal", { key, mayFail: true })
    await page.getByRole("row").nth(1).waitFor()
    await page.route(/\/portal\/v1\/usage/, () => {})
    await page.getByRole("link", { name: "Usage" }).click()
    await page.getByText("Loading usage").first().waitFor()
    await look("portal-usage-loading")
    await page.context().setOffline(true)
    await page.getByRole("link", { name: "Notices" }).click()
    await page.getByText("The service cannot be reached.").first().waitFor()
    await look("portal-gone")
    await page.context().setOffline(false)
    await page.getByText("No webhook", { exact: true }).waitFor()
  })
}
