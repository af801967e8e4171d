/** `penknife mock --smtp`: mails reach a catcher on this machine, and are listed as without it. */
import { expect, test } from "bun:test"
import type { SMTPServerOptions } from "smtp-server"
import { startMailServer } from "./support/mail-server.ts"
import { askForLink, listOf, startTestMock, type TestMock } from "./support/mock.ts"

const mailsOf = (mock: TestMock) => listOf(mock, "mails")

test("a mail arrives in the clear with the link that is listed", async () => {
  const { address, taken } = await startMailServer({ hideSTARTTLS: true })
  const mock = await startTestMock({ smtp: `smtp://127.0.0.1:${address.port}` })
  await askForLink(mock.url)
  const [listed, ...others] = await mailsOf(mock)
  expect(others).toEqual([])
  expect(taken).toMatchObject([{ from: "no-reply@localhost", to: "ann@example.com", isEncrypted: false }])
  const text = taken[0]?.message.replaceAll("=\r\n", "").replaceAll("=3D", "=")
  expect(listed?.link).toMatch(/#sign-up=pkl-/)
  expect(text).toContain(listed?.link ?? "no link")
})

test("a catcher that is away gets the mail by a later attempt, on the clock of the mock", async () => {
  const away = await startTestMock({ smtp: "smtp://127.0.0.1:1" })
  await askForLink(away.url)
  const [first] = await mailsOf(away)
  await away.control("PUT", "/clock", { advance: "60s" })
  const [second, ...others] = await mailsOf(away)
  // Each attempt has a link of its own.
  expect(second?.link).not.toBe(first?.link ?? "")
  expect([second?.to, others]).toEqual(["ann@example.com", []])
})

test("mails arrive in the order in which they were raised, also while the catcher is slow", async () => {
  const isOpen = Promise.withResolvers<void>()
  const onMailFrom: SMTPServerOptions["onMailFrom"] = (_, __, done) => void isOpen.promise.then(() => done())
  const { address, taken } = await startMailServer({ hideSTARTTLS: true, onMailFrom })
  const mock = await startTestMock({ smtp: `smtp://127.0.0.1:${address.port}` })
  const asked = Array.from({ length: 12 }, (_, number) => `reader${number}@example.com`)
  for (const email of asked) await askForLink(mock.url, email)
  isOpen.resolve()
  await mock.control("PUT", "/clock", { advance: "1s" })
  expect(taken.map(({ to }) => to)).toEqual(asked)
  expect((await mailsOf(mock)).map(({ to }) => to).sort()).toEqual(asked.toSorted())
})

test.each(["smtp://mail.example", "smtp://192.0.2.1:25", "smtps://[2001:db8::1]"])(
  "%s is refused at the start",
  (smtp) =>
    expect(startTestMock({ smtp })).rejects.toThrow("--smtp of a test double must be on this machine"),
)

test("a mail is sent to the catcher again, with the same text and Message-ID, and listed as an attempt more", async () => {
  const { address, taken } = await startMailServer({ hideSTARTTLS: true })
  const mock = await startTestMock({ smtp: `smtp://127.0.0.1:${address.port}` })
  await askForLink(mock.url)
  const [first] = await mailsOf(mock)
  await mock.control("PUT", "/clock", { advance: "1h" })
  const sent = { status: 250, error: null, sent: true }
  const attempts = [
    { at: "2025-01-01T00:00:00.000Z", ...sent },
    { at: "2025-01-01T01:00:00.000Z", ...sent },
  ]
  for (const method of ["PUT", "POST"]) {
    const again = await mock.control(method, `/mails/${first?.id}/resend`)
    expect([again.code, again.data]).toEqual([200, { ...first, attempts: expect.arrayContaining(attempts) }])
  }
  const listed = { ...first, attempts: [...attempts, ...attempts.slice(1)] }
  expect<object[]>(await mailsOf(mock)).toEqual([listed])
  expect(taken).toHaveLength(3)
  expect(new Set(taken.map(({ message }) => withoutBoundaries(message))).size).toBe(1)
})

test("without a catcher nothing is sent, and each attempt says so", async () => {
  const mock = await startTestMock()
  await askForLink(mock.url)
  const [first] = await mailsOf(mock)
  const attempt = { at: "2025-01-01T00:00:00.000Z", status: null, error: null, sent: false }
  expect(first?.attempts).toEqual([attempt])
  const { data } = await mock.control("PUT", `/mails/${first?.id}/resend`)
  expect(data).toEqual({ ...first, attempts: [attempt, attempt] })
})

test("a mail that is not there or still waits is not sent again", async () => {
  const away = await startTestMock({ smtp: "smtp://127.0.0.1:1" })
  await askForLink(away.url)
  const [waiting] = await mailsOf(away)
  const unreachable = expect.stringMatching(/ECONNREFUSED|refused/i)
  expect(waiting?.attempts).toMatchObject([{ status: null, error: unreachable }])
  const refused = await away.control("PUT", `/mails/${waiting?.id}/resend`)
  const early = "The 'id' parameter is of a mail that is still to be sent."
  expect([refused.code, refused.error]).toEqual([400, early])
  const error = expect.stringContaining("GET /_mock/mails lists them")
  for (const id of ["mail_none", "msg_none", "..%2F"])
    expect(await away.control("POST", `/mails/${id}/resend`)).toMatchObject({ code: 404, error })
  expect((await mailsOf(away))[0]?.attempts).toHaveLength(1)
})

/** Each message has boundaries of its own between its parts. */
const withoutBoundaries = (message: string) =>
  message.replaceAll(/boundary="[^"]+"/g, "boundary").replaceAll(/^--.*$/gm, "--")
