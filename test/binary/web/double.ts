import { expect } from "bun:test"
import { readFileSync } from "node:fs"
import { readAnswer } from "../../support/answer.ts"
import { eventually } from "../../support/eventually.ts"
import { withKey } from "../../support/keyed-request.ts"
import { startReceiver } from "../../support/receiver.ts"
import type { Desk } from "./desk.ts"
import { testsInTurn } from "./turns.ts"
import { counted, pressByKeys, said } from "./wait.ts"

/** @param desk a test double, which nothing else changes meanwhile */
export function doubleInBrowser(desk: Desk): void {
  const test = testsInTurn()
  const control = async (method: string, path: string, body?: object) => {
    const answer = fetch(`${desk.url}/_mock${path}`, { method, ...(body && { body: JSON.stringify(body) }) })
    return (await readAnswer(answer)).data as Readonly<Record<string, unknown>>
  }
  const call = (company: string, key = "mock-pro") =>
    fetch(
      `${desk.url}/v1/bluetoothlookup?companyid=${encodeURIComponent(company)}`,
      withKey({ key, headers: { accept: "text/plain" } }),
    )
  const runs = async (command: string | null) => {
    const { exitCode } = await Bun.$`sh -c ${command}`.quiet().nothrow()
    return exitCode === 0
  }
  const open = async () => {
    await control("POST", "/reset")
    const visit = await desk.visit("/_mock", { key: null })
    await visit.page.getByText("Live", { exact: true }).waitFor()
    return visit
  }

  test("an empty test double says how to make a request, a notice and a mail", async () => {
    const { page, look } = await open()
    for (const kind of ["requests", "notices", "mails"]) await page.getByText(`No ${kind} yet`).waitFor()
    await look("double-empty")
    // Each command works as it stands.
    const commands = await page.locator(".secret code").allTextContents()
    expect(commands).toHaveLength(3)
    for (const command of commands) expect([command, await runs(command)]).toEqual([command, true])
    for (const name of [/spfvalidator/, "credits.exhausted", "Confirm your address for penknife"])
      await page.locator("summary").getByText(name).first().waitFor()
  })

  test("requests appear as they come, and the command of one sends it again", async () => {
    const { page, look } = await open()
    await call("76")
    await call("nobody", "mock-free")
    await call(`it's <img src=x onerror="alert(1)">`)
    await counted(page.locator("summary"), 3)
    await page.locator("summary").last().focus()
    await page.keyboard.press("Enter")
    await page.getByText("-H 'x-api-key: mock-pro'").last().waitFor()
    await look("double-requests")
    for (const [index, number] of [
      [2, 4],
      [1, 5],
    ] as const) {
      const command = await page.locator(".entries .secret code").nth(index).textContent()
      expect([command, await runs(command)]).toEqual([command, true])
      await counted(page.locator("summary"), number)
    }
    // The body of a request is sent as it was, whatever a shell would make of it.
    const body = JSON.stringify({ domain: `it's $HOME \`id\` "\\\n!` })
    const headers = { "content-type": "application/json", "idempotency-key": "one" }
    await fetch(`${desk.url}/v1/spfvalidator`, withKey({ key: "mock-pro", method: "POST", body, headers }))
    await counted(page.locator("summary"), 6)
    expect(await runs(await page.locator(".entries .secret code").first().textContent())).toBe(true)
    await counted(page.locator("summary"), 7)
    const again = ((await control("GET", "/requests")).requests as { request: object }[]).at(-1)?.request
    expect(again).toMatchObject({ body, headers })
    // An opened request stays open.
    expect(await page.locator("[open] summary").textContent()).toContain("companyid=76")
    const requests = (await control("GET", "/requests")).requests as Record<string, unknown>[]
    for (const [sent, again] of [
      [0, 3],
      [2, 4],
    ] as const) {
      const { method, path, key } = requests[sent] ?? {}
      expect(requests[again]).toMatchObject({ method, path, key })
    }
  })

  test("a fault is switched on and off, also one that a test has made", async () => {
    const { page, look } = await open()
    await control("PUT", "/faults", { api: "hmac", status: 503, times: 2 })
    const own = page.getByRole("switch", { name: '{"api":"hmac","times":2,"status":503}' })
    await own.and(page.locator(":checked")).waitFor()
    const usual = page.getByRole("switch", { name: "Throttled: 429", exact: true })
    await pressByKeys(page, "Throttled: 429", "Space")
    await eventually(async () => expect((await call("76")).status).toBe(429))
    await usual.and(page.locator(":checked")).waitFor()
    await look("double-faults")
    await own.click()
    await own.and(page.locator(":not(:checked)")).waitFor()
    expect((await control("GET", "/faults")).faults).toEqual([{ status: 429 }])
    await own.click()
    await own.and(page.locator(":checked")).waitFor()
  })

  test("a fault of one API, key and number of calls is added by the form", async () => {
    const { page, look } = await open()
    const add = page.getByRole("button", { name: "Add", exact: true })
    const faults = async () => (await control("GET", "/faults")).faults
    await add.click()
    await eventually(async () => expect(await faults()).toEqual([{ status: 503 }]))
    await control("DELETE", "/faults")
    await page.getByLabel("Fault", { exact: true }).selectOption("Throttled: 429")
    await page.getByLabel("API", { exact: true }).selectOption("bluetoothlookup")
    await page.getByRole("textbox", { name: "Key" }).fill("mock-free")
    await page.getByRole("textbox", { name: "Times" }).fill("two")
    await add.click()
    await page.getByText("Type a whole number, such as 500.").waitFor()
    expect(await faults()).toEqual([])
    await page.getByRole("textbox", { name: "Times" }).fill("0")
    await add.click()
    await page.getByRole("alert").getByText("must be at least 1").waitFor()
    expect(await faults()).toEqual([])
    await look("double-fault-form")
    await page.getByRole("textbox", { name: "Times" }).fill("2")
    await page.keyboard.press("Enter")
    const added = { api: "bluetoothlookup", key: "mock-free", times: 2, status: 429 }
    await eventually(async () => expect(await faults()).toEqual([added]))
    await counted(page.locator("[role=switch]:checked"), 1)
    expect([(await call("76", "mock-free")).status, (await call("76")).status]).toEqual([429, 200])
  })

  test("a profile is switched on, off, and replaced by another", async () => {
    const { page } = await open()
    const [outage, slow] = [/^Profile outage/, /^Profile slow/].map((name) =>
      page.getByRole("switch", { name }),
    )
    await outage?.click()
    await eventually(async () => expect((await call("76")).status).toBe(502))
    await slow?.click()
    await outage?.and(page.locator(":not(:checked)")).waitFor()
    expect(await control("GET", "/profile")).toMatchObject({ name: "slow" })
    await slow?.click()
    await slow?.and(page.locator(":not(:checked)")).waitFor()
    expect(await control("GET", "/profile")).toMatchObject({ name: "ok" })
    await counted(page.locator("[role=switch]:checked"), 0)
  })

  test("a session has a page of its own, whose buttons change the session alone", async () => {
    await control("POST", "/reset")
    const { id } = await control("POST", "/sessions")
    const { page } = await desk.visit("/_mock", { key: null })
    await page.getByRole("link", { name: `Session ${id}` }).click()
    await page.getByText(`It answers at ${desk.url}/s/${id}.`).waitFor()
    await page.getByRole("button", { name: "+1 d", exact: true }).click()
    await page.getByText("2 Jan 2025, 00:00:00").waitFor()
    expect(await control("GET", "/clock")).toMatchObject({ now: "2025-01-01T00:00:00.000Z" })
    // The command on the page makes a request of the session.
    expect(await runs(await page.locator(".secret code").first().textContent())).toBe(true)
    await counted(page.locator("summary"), 1)
    expect(await control("GET", "/requests")).toMatchObject({ total: 0 })
    await control("DELETE", `/sessions/${id}`)
    await page.getByText("Not live", { exact: false }).waitFor()
  })

  test("a notice shows its attempts, and is sent again", async () => {
    const { url, received } = startReceiver()
    const { page, look } = await open()
    await desk.call("POST", "/accounts/acc_mockNoCredits/webhook", { url })
    await call("76", "mock-no-credits")
    const notice = page.locator("details").filter({ hasText: "credits.exhausted" })
    await notice.getByText("delivered", { exact: true }).waitFor()
    await notice.locator("summary").click()
    const before = received.length
    await notice.getByRole("button", { name: "Send again" }).click()
    await eventually(async () => expect(received).toHaveLength(before + 1))
    expect(JSON.parse(received.at(-1)?.body ?? "{}").type).toBe("credits.exhausted")
    await eventually(async () =>
      expect((await notice.textContent())?.match(/"duration_ms"/g)).toHaveLength(2),
    )
    await look("double-notice")
  })

  test("a mail shows its attempts, and is sent again", async () => {
    const { page, look } = await open()
    await desk.call("POST", "/invitations", { email: "ann@shop.example" })
    const mail = page.locator("details").filter({ hasText: "You are invited" }).last()
    await mail.locator("summary").click()
    await mail.getByRole("link", { name: "Open its link" }).waitFor()
    await mail.getByRole("button", { name: "Send again" }).click()
    await eventually(async () => expect((await mail.textContent())?.match(/"sent": false/g)).toHaveLength(2))
    const { mails } = (await control("GET", "/mails")) as { mails: { attempts: object[] }[] }
    expect(mails.map(({ attempts }) => attempts.length)).toEqual([2])
    await look("double-mail")
    // A request has no id and no such button.
    await call("76")
    await page.locator("summary").first().click()
    await counted(page.getByRole("button", { name: "Send again" }), 1)
  })

  test("the clock is moved by a day and by a month, which makes notices", async () => {
    const { page } = await open()
    await page.getByText("1 Jan 2025, 00:00:00").waitFor()
    await page.getByRole("button", { name: "+1 d", exact: true }).click()
    await page.getByText("2 Jan 2025, 00:00:00").waitFor()
    await page.getByRole("button", { name: "+31 d" }).click()
    await page.getByText("2 Feb 2025, 00:00:00").first().waitFor()
    await page.locator("summary").getByText("month.renewed").first().waitFor()
    const saved = page.waitForEvent("download")
    await page.getByRole("link", { name: "Seed file" }).click()
    expect((await saved).suggestedFilename()).toBe("seed.yaml")
    const file = readFileSync((await (await saved).path()) ?? "", "utf8")
    expect(file).toContain("2025-02-02T00:00:00")
    await page.getByRole("button", { name: "Reset" }).click()
    await page.getByText("No notices yet").waitFor()
    await page.getByText("1 Jan 2025, 00:00:00").waitFor()
  })

  test("DNS records are replaced; a mistake is said, and what was typed stays", async () => {
    const { page, look } = await open()
    const records = page.getByLabel("Records")
    await records.fill("a.example: nonsense")
    await page.getByRole("button", { name: "Replace" }).click()
    await page.getByText("The 'zone' parameter cannot be used").waitFor()
    await look("double-refused")
    expect(await records.inputValue()).toBe("a.example: nonsense")
    await records.fill('a.example:\n  - TXT: "v=spf1 -all"')
    await page.getByRole("button", { name: "Replace" }).click()
    await said(page, "Done.")
    await eventually(async () => expect(await records.inputValue()).toStartWith('{\n  "a.example"'))
    expect((await control("GET", "/dns")).zone).toEqual({ "a.example": [{ TXT: "v=spf1 -all" }] })
  })
}
