/** Mails from the outbox to a mail server: each at least once, with its link erased after. */
import { afterEach, expect, test } from "bun:test"
import fc from "fast-check"
import { compose, toMessage, unsubscribeOf } from "../src/mail/compose.ts"
import { createMailDelivery } from "../src/mail/deliver-mails.ts"
import type { MailBrand } from "../src/mail/layout.ts"
import { createLog } from "../src/ports/log.ts"
import { createMailSender, type MailReply, type MailSender } from "../src/ports/mail-sender.ts"
import { systemRandom } from "../src/ports/random.ts"
import { systemTimer } from "../src/ports/timer.ts"
import type { MailRecord, MailTemplate, NewMail } from "../src/store/mails.ts"
import { openDatabase } from "../src/store/sqlite/database-file.ts"
import { createSqliteStores } from "../src/store/sqlite/open-sqlite.ts"
import { accountDetailsOf, changeOf } from "./support/admin-store.ts"
import { createManualClock } from "./support/clock.ts"
import { startMailServer } from "./support/mail-server.ts"
import { createManualTimer, noWaitTimer } from "./support/timer.ts"

const start = "2025-01-01T00:00:00Z"
const startMs = Date.parse(start)
const brand: MailBrand = {
  title: "Example <APIs>",
  accent: "#0b6b5d",
  onAccent: "#ffffff",
  logo: null,
  portal: "https://api.example.com/portal",
  from: "no-reply@example.com",
}
const link = "https://api.example.com/portal#secret"

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A data file in memory with a delivery. The sender gives the replies in turn, then accepts. */
async function setUp(sender: MailSender | null | readonly MailReply[] = []) {
  const database = openDatabase(":memory:")
  closing.push(() => database.close())
  const { admin, mails } = createSqliteStores(database, { timer: noWaitTimer })
  await admin.apply(changeOf([{ kind: "account.insert", account: accountDetailsOf() }]))
  const clock = createManualClock(start)
  const timer = createManualTimer()
  const logged: Record<string, unknown>[] = []
  const sent: { to: string; message: string }[] = []
  const replies = Array.isArray(sender) ? [...sender] : []
  const scripted: MailSender = {
    async send({ to, message }) {
      sent.push({ to, message: message.toString() })
      return replies.shift() ?? { kind: "accepted", status: 250, error: null }
    },
  }
  const delivery = createMailDelivery({
    mails,
    sender: Array.isArray(sender) ? scripted : (sender as MailSender | null),
    brand: () => brand,
    unsubscribeLink: async (account, address) => `https://api.example.com/unsubscribe/${account}.${address}`,
    ...{ clock, timer, random: systemRandom, log: createLog((line) => logged.push(JSON.parse(line))) },
  })
  const insert = (change: Partial<NewMail> = {}) => {
    const to = {
      id: "mail_1",
      recipient: "ann@example.com",
      template: "sign-in" as const,
      accountId: "acc_1",
    }
    const times = { nowMs: clock.now(), expiresMs: clock.now() + 900_000 }
    const mail = { ...to, data: JSON.stringify({ link }), ...times, ...change }
    return admin.apply(changeOf([{ kind: "mail.insert", mail }]))
  }
  const rows = () =>
    database
      .query<Record<string, unknown>, []>(
        "SELECT id, state, attempts, last_status, last_error, data FROM mails ORDER BY id",
      )
      .all()
  return { delivery, insert, rows, sent, logged, clock, timer, mails }
}

const busy: MailReply = { kind: "retry", status: 451, error: "greylisted" }

test("a mail is delivered once, and its link is erased", async () => {
  const { delivery, insert, rows, sent } = await setUp()
  await insert()
  expect(await delivery.runDue()).toBe(1)
  expect(await delivery.runDue()).toBe(0)
  expect(sent).toHaveLength(1)
  expect(sent[0]?.to).toBe("ann@example.com")
  expect(sent[0]?.message).toContain(link)
  expect(rows()).toMatchObject([{ state: "delivered", attempts: 1, last_status: 250, data: null }])
})

test("a mail is tried again when the server says so, with the same Message-ID", async () => {
  const { delivery, insert, rows, sent, clock, logged } = await setUp([busy, busy])
  await insert()
  await delivery.runDue()
  expect(rows()).toMatchObject([{ state: "pending", last_status: 451, data: expect.any(String) }])
  expect(delivery.health()).toEqual({ isOn: true, problem: "greylisted" })
  for (let i = 0; i < 2; i++) {
    clock.advance(20_000)
    await delivery.runDue()
  }
  expect(rows()).toMatchObject([{ state: "delivered", attempts: 3, data: null }])
  expect(delivery.health().problem).toBeNull()
  const ids = sent.map(({ message }) => /^Message-ID: (.*)\r$/im.exec(message)?.[1])
  expect(ids).toEqual(Array(3).fill("<mail_1@example.com>"))
  // The same problem is logged once.
  expect(logged.map(({ message }) => message)).toEqual([
    "mail cannot be handed to the mail server",
    "mail is handed to the mail server again",
  ])
  expect(JSON.stringify(logged)).not.toContain("secret")
})

const words = `spam: https://api.example.com/portal/confirm#sign-in=pkl-${"a".repeat(38)} and /unsubscribe/acc_1.x.y`
const kept = "spam: https://api.example.com/portal/confirm#sign-in=… and …"
const none = "the service has no mail server (--smtp)"
test.each([
  ["that is refused has failed, with the server's words", ["no such user"], 0, "failed", "no such user"],
  ["that is refused in its own words keeps no token: its link may still work", [words], 0, "failed", kept],
  ["is not sent after its link is over", [], 900_000, "expired", undefined],
  ["is marked as not sent without a mail server", null, 0, "unsent", none],
])("a mail: %s, without its link", async (_, errors, waitedMs, state, last_error) => {
  const replies = errors?.map((error): MailReply => ({ kind: "refused", status: 550, error })) ?? null
  const { delivery, insert, rows, sent, logged, clock } = await setUp(replies)
  await insert()
  clock.advance(waitedMs)
  await delivery.runDue()
  expect(rows()).toMatchObject([{ state, data: null, ...(last_error !== undefined && { last_error }) }])
  const failure = { level: "error", message: "mail not delivered", status: 550, error: last_error }
  expect([sent.length, logged]).toMatchObject(errors?.length ? [1, [failure]] : [0, []])
  expect(JSON.stringify(logged)).not.toContain("secret")
  expect(delivery.health().isOn).toBe(replies !== null)
})

test.each([
  ["waits no longer than its link is valid, then the link is erased", 900_000, {}, "expired"],
  ["that waits for a day without success has failed", 86_400_000, { expiresMs: null }, "failed"],
])("a mail: %s", async (_, limitMs, change, state) => {
  const { delivery, insert, rows, sent, clock, mails } = await setUp(Array(200).fill(busy))
  await insert(change)
  let nextMs: number | null = startMs
  while (nextMs !== null) {
    clock.advance(nextMs - clock.now())
    await delivery.runDue()
    expect(clock.now()).toBeLessThanOrEqual(startMs + limitMs)
    nextMs = await mails.nextAttemptMs(clock.now())
  }
  expect(clock.now()).toBe(startMs + limitMs)
  expect(rows()).toMatchObject([{ state, data: null }])
  expect(sent.length).toBeGreaterThan(5)
})

test("a mail whose data are not those of its template has failed, and others go on", async () => {
  const { delivery, insert, rows } = await setUp()
  await insert({ id: "mail_1", data: "{}" })
  await insert({ id: "mail_2", recipient: "ann@example.com>\r\nBcc: all@example.com" })
  await insert({ id: "mail_3" })
  await delivery.runDue()
  expect(rows().map(({ state }) => state)).toEqual(["failed", "failed", "delivered"])
  expect(JSON.stringify(rows())).not.toContain("secret")
})

test("a server that takes an hour keeps eight connections busy, and the others are sent when it ends", async () => {
  let waiting: ((reply: MailReply) => void)[] = []
  let most = 0
  const slow: MailSender = {
    send: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        most = Math.max(most, waiting.length)
      }),
  }
  const { delivery, insert, rows } = await setUp(slow)
  for (let i = 0; i < 20; i++) await insert({ id: `mail_${String(i).padStart(2, "0")}` })
  const running = delivery.runDue()
  while (rows().some(({ state }) => state === "pending")) {
    for (let turn = 0; turn < 50; turn++) await systemTimer.turn()
    const ending = waiting
    waiting = []
    for (const end of ending) end({ kind: "accepted", status: 250, error: null })
  }
  await running
  expect(most).toBe(8)
})

test("a real server gets the mail as its reader will see it", async () => {
  const server = await startMailServer()
  closing.push(server.close)
  const { delivery, insert } = await setUp(createMailSender(server.address, { timer: systemTimer }))
  await insert()
  await delivery.runDue()
  expect(server.taken).toHaveLength(1)
  const [{ message, isEncrypted } = { message: "", isEncrypted: false }] = server.taken
  expect(isEncrypted).toBe(true)
  const [headers = ""] = message.split("\r\n\r\n")
  expect(headers).toContain("To: ann@example.com")
  expect(headers).toContain('From: "Example <APIs>" <no-reply@example.com>')
  expect(headers).toContain("Auto-Submitted: auto-generated")
  expect(headers).toContain("Message-ID: <mail_1@example.com>")
  expect(headers).toContain("Date: Wed, 01 Jan 2025 00:00:00 +0000")
  expect(headers).toContain("multipart/alternative")
})

const templates: readonly MailTemplate[] = ["sign-in", "confirmation", "invitation"]

const recordOf = (change: Partial<MailRecord>): MailRecord => ({
  id: "mail_1",
  accountId: "acc_1",
  recipient: "ann@example.com",
  template: "sign-in",
  data: JSON.stringify({ link }),
  raisedMs: startMs,
  expiresMs: startMs + 900_000,
  state: "pending",
  attempts: 0,
  waitedMs: 0,
  nextAttemptMs: startMs,
  lastStatus: null,
  lastError: null,
  deliveredMs: null,
  ...change,
})

test.each(templates)(
  "what a mail says: %s has its link in text and HTML, and how long it is valid",
  (template) => {
    const { text, html } = compose(recordOf({ template }), brand, null)
    expect(text).toContain(link)
    expect(html).toContain(`href="${link}"`)
    expect(text).toContain("once, within 15 minutes")
    expect(html).toContain("Example &lt;APIs&gt;")
    expect(html).not.toContain("<APIs>")
  },
)

test("what a mail says only notices have headers and a line that end them; with one click under HTTPS alone", async () => {
  const data = JSON.stringify({ type: "key.created", data: "{}" })
  const end = "https://api.example.com/unsubscribe/acc_1.tag.signature"
  async function headersOf(mail: MailRecord, address: string | null) {
    const composed = compose(mail, brand, await unsubscribeOf(mail, async () => address ?? ""))
    const lines = (await toMessage(mail, composed, brand)).toString().split("\r\n\r\n")[0]?.split("\r\n")
    return { composed, lines: lines?.filter((line) => line.startsWith("List-")) }
  }
  const notice = recordOf({ template: "notice", data, expiresMs: null })
  const secure = await headersOf(notice, end)
  expect(secure.lines).toEqual([
    `List-Unsubscribe: <${end}>`,
    "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
  ])
  expect(secure.composed.text).toEndWith(`-- \nExample <APIs>\nStop notices by mail: ${end}\n`)
  expect(secure.composed.html).toContain(`<a href="${end}"`)
  const plain = await headersOf(notice, "http://localhost:3000/unsubscribe/x")
  expect(plain.lines).toEqual(["List-Unsubscribe: <http://localhost:3000/unsubscribe/x>"])
  for (const template of templates) {
    const { composed, lines } = await headersOf(recordOf({ template }), end)
    expect(lines).toEqual([])
    expect(JSON.stringify(composed)).not.toContain("unsubscribe/")
  }
})

test("what a mail says: a logo is a part of the mail, and nothing is loaded from elsewhere", async () => {
  const withLogo = { ...brand, logo: new Uint8Array([0x89, 0x50, 0x4e, 0x47]) }
  const composed = compose(recordOf({}), withLogo, null)
  const message = (await toMessage(recordOf({}), composed, withLogo)).toString()
  expect(message).toContain("multipart/related")
  expect(message).toContain("Content-ID: <logo@mail>")
  expect(message).toContain("iVBORw==")
  expect(composed.html.match(/src="[^"]*"/g)).toEqual(['src="cid:logo@mail"'])
  expect(compose(recordOf({}), brand, null).html).not.toContain("<img")
})

test.each([
  ["confirmation", true],
  ["sign-in", true],
  ["invitation", false],
] as const)(
  "what a mail says: %s says where its link works: in the browser that asked %p",
  (template, isBound) => {
    const { text } = compose(recordOf({ template, data: JSON.stringify({ link, plan: "pro" }) }), brand, null)
    expect(text.includes("Open it in the browser where you asked for it.")).toBe(isBound)
    expect(text.includes("on the plan “pro”")).toBe(template !== "sign-in")
  },
)

test("what a mail says: a notice has its numbers", () => {
  const data = {
    ...{ type: "credits.threshold_reached", account: "acc_1", plan: "pro", data: null },
    ...{ threshold: 80, used: 80_000, allowance: 100_000 },
  }
  const mail = recordOf({ template: "notice", data: JSON.stringify(data), expiresMs: null })
  const composed = compose(mail, brand, null)
  expect(composed.subject).toBe("Example <APIs>: 80 % of the month's credits are used")
  expect(composed.text).toContain("Open the portal:\nhttps://api.example.com/portal\n")
  expect(compose(mail, { ...brand, portal: null }, null).text).not.toContain("portal")
  expect(composed.text).toContain(
    "Account: acc_1\nPlan: pro\nCredits used: 80,000 of 100,000 of the month\nLeft of the month: 20,000\n" +
      "Bonus credits left: 0\nLeft in all: 20,000",
  )
  expect(composed.text).toContain(
    "At 100 % calls are refused until the next credit month begins or credits are added.",
  )
  const named = compose({ ...mail, accountName: "Ann & Co", accountBonus: 500 }, brand, null).text
  expect(named).toContain("Account: Ann & Co\n")
  expect(named).toContain("Left of the month: 20,000\nBonus credits left: 500\nLeft in all: 20,500")
  expect(named).toContain("At 100 % the bonus credits pay for calls.")
  expect(named).not.toContain("acc_1")
})

test("what a mail says: line breaks and control characters of a title or an event are spaces in headers", async () => {
  const broken = "a\r\nBcc: x@y.z\u2028b\u0085c\0d"
  const mail = recordOf({ template: "notice", data: JSON.stringify({ type: broken }), expiresMs: null })
  const named = { ...brand, title: broken }
  const message = (await toMessage(mail, compose(mail, named, null), named)).toString()
  expect(message).toContain("\r\nSubject: a Bcc: x@y.z b c d: Event a Bcc: x@y.z b c d\r\n")
  expect(message).toContain('From: "a Bcc: x@y.z b c d" <no-reply@example.com>\r\n')
})

test("what a mail says: no text becomes a header or markup", async () => {
  const names = fc.string({
    unit: fc.constantFrom("\r", "\n", "Bcc: x@y.z", "<b>", '"', "ü", "\0", " ", "a"),
  })
  await fc.assert(
    fc.asyncProperty(names, names, async (title, name) => {
      const given = { type: `x${name}`, data: JSON.stringify({ [name]: name }) }
      const mail = recordOf({ template: "notice", data: JSON.stringify(given), expiresMs: null })
      const composed = compose(mail, { ...brand, title }, null)
      expect(composed.html).not.toContain("<b>")
      const [headers = ""] = (await toMessage(mail, composed, { ...brand, title }))
        .toString()
        .split("\r\n\r\n")
      const named = headers.split("\r\n").filter((line) => !/^[ \t]/.test(line))
      expect(named.map((line) => line.slice(0, line.indexOf(":"))).toSorted()).toEqual(
        [
          ...["Auto-Submitted", "Content-Type", "Date", "From"],
          ...["MIME-Version", "Message-ID", "Subject", "To"],
        ].toSorted(),
      )
    }),
    { numRuns: 200, seed: 28 },
  )
})

test.each(["a@b\r\nBcc: c@d", "a@b, c@d", "a <b@c>", "a b@c", "", "@b", "a@", "a@b\u0000"])(
  "what a mail says: %p is refused as an address",
  async (recipient) => {
    const mail = recordOf({ recipient })
    await expect(toMessage(mail, compose(mail, brand, null), brand)).rejects.toThrow("not an e-mail address")
  },
)
