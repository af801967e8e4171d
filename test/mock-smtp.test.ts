/** `penknife mock --smtp`: mails reach a catcher on this machine, and are listed as without it. */
import { expect, test } from "bun:test"
import { postWith } from "./support/keyed-request.ts"
import { startMailServer } from "./support/mail-server.ts"
import { startTestMock, type TestMock } from "./support/mock.ts"

interface Mail {
  readonly to: string
  readonly subject: string
  readonly link: string
}

const mailsOf = async (mock: TestMock) => (await mock.control("GET", "/mails")).data?.mails as Mail[]

async function askForLink(mock: TestMock): Promise<void> {
  const answer = await mock.fetch("/portal/mail-links", {
    ...postWith({ for: "sign-up", email: "ann@example.com" }),
    headers: { "content-type": "application/json", origin: mock.url },
  })
  expect(answer.status).toBeLessThan(300)
}

test("a mail arrives in the clear with the link that is listed", async () => {
  const { address, taken } = await startMailServer({ hideSTARTTLS: true })
  const mock = await startTestMock({ smtp: `smtp://127.0.0.1:${address.port}` })
  await askForLink(mock)
  const [listed, ...others] = await mailsOf(mock)
  expect(others).toEqual([])
  expect(taken).toMatchObject([{ from: "no-reply@localhost", to: "ann@example.com", isEncrypted: false }])
  const text = taken[0]?.message.replaceAll("=\r\n", "").replaceAll("=3D", "=")
  expect(listed?.link).toMatch(/#sign-up=pkl-/)
  expect(text).toContain(listed?.link ?? "no link")
})

test("a catcher that is away gets the mail by a later attempt, on the clock of the mock", async () => {
  const away = await startTestMock({ smtp: "smtp://127.0.0.1:1" })
  await askForLink(away)
  const [first] = await mailsOf(away)
  await away.control("PUT", "/clock", { advance: "60s" })
  const [second, ...others] = await mailsOf(away)
  // Each attempt has a link of its own.
  expect(second?.link).not.toBe(first?.link ?? "")
  expect([second?.to, others]).toEqual(["ann@example.com", []])
})

test.each(["smtp://mail.example", "smtp://192.0.2.1:25", "smtps://[2001:db8::1]"])(
  "%s is refused at the start",
  (smtp) =>
    expect(startTestMock({ smtp })).rejects.toThrow("--smtp of a test double must be on this machine"),
)
