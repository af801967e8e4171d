/** The state of mail in `health`: off, on, or why mails cannot be handed over. */
import { expect, onTestFinished, test } from "bun:test"
import { adminOf } from "./support/admin.ts"
import { freePort } from "./support/free-port.ts"
import { startMailServer } from "./support/mail-server.ts"
import { startTestService } from "./support/service.ts"
import { until } from "./support/until.ts"

const noQuestions = { sign_up_questions: 0, sign_up_limit_reached: false }

async function start(smtp: string | null) {
  const flags = smtp === null ? {} : { smtp, mailFrom: "no-reply@example.com" }
  const admin = await adminOf(await startTestService({ flags }))
  const body = { name: "Ann", email: "ann@example.com", events: ["key.created"] }
  const { id } = (await admin("POST", "/accounts", { body })).body
  await admin("PATCH", `/accounts/${id}`, { body: { notify: "mail" } })
  const health = async () => (await admin("GET", "/health")).body.mail
  return { health, raise: () => admin("POST", "/keys", { body: { account: id } }) }
}

test("mail is off without a mail server", async () => {
  const { health } = await start(null)
  expect(await health()).toEqual({ state: "off", problem: null, pending: 0, ...noQuestions })
})

test("mail is on, and stays so after a mail was taken", async () => {
  const server = await startMailServer({ disabledCommands: ["STARTTLS", "AUTH"] })
  onTestFinished(server.close)
  const { health, raise } = await start(`smtp://localhost:${server.address.port}?starttls=never`)
  expect(await health()).toEqual({ state: "on", problem: null, pending: 0, ...noQuestions })
  await raise()
  await until(() => server.taken.length === 1)
  await until(async () => JSON.stringify(await health()).includes('"pending":0'))
  expect(await health()).toMatchObject({ state: "on", problem: null })
})

test("mail fails while the mail server cannot be reached, with its reason and the number that waits", async () => {
  const { health, raise } = await start(`smtp://localhost:${freePort()}?starttls=never`)
  await raise()
  await until(async () => JSON.stringify(await health()).includes('"failing"'))
  expect(await health()).toEqual({
    state: "failing",
    problem: expect.stringContaining("ECONNREFUSED"),
    pending: 1,
    ...noQuestions,
  })
})
