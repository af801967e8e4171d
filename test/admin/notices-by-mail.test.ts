/** An operator's view of mails and of notices by mail, and an account's choice between webhook and mail. */
import { expect, test } from "bun:test"
import { updateAccount } from "../../src/admin/accounts/change-account.ts"
import { createAccount } from "../../src/admin/accounts/create-account.ts"
import { createApiKey } from "../../src/admin/keys/issue-key.ts"
import { chooseNotices } from "../../src/admin/notices/choose-notices.ts"
import { listMails } from "../../src/admin/notices/list-mails.ts"
import { listNotices } from "../../src/admin/notices/list-notices.ts"
import { createInvitation } from "../../src/admin/sign-up/invitations.ts"
import { setWebhook } from "../../src/admin/webhooks/webhook.ts"
import type { MailResult } from "../../src/store/mails.ts"
import { actorOf, openAdministration, type Values } from "../support/administration.ts"

async function withAccount(notify: string, given: Values = {}) {
  const admin = openAdministration()
  const { id } = await admin.run(createAccount, {
    ...{ name: "Ann", email: "ann@example.com", events: ["key.created"], ...given },
  })
  await admin.run(updateAccount, { id, notify })
  const list = async (of: typeof listNotices | typeof listMails, values: Values = {}) =>
    (await admin.run(of, values)).data as Values[]
  return { ...admin, id: String(id), list }
}

/** The mail server's reply to the mail that is due. */
async function answer(
  { opened, clock }: Awaited<ReturnType<typeof withAccount>>,
  status: number,
  error: string | null,
  result: MailResult,
) {
  const claim = { nowMs: clock.now(), leaseMs: 1_000, maxWaitMs: 3_700_000, untriedOnly: false }
  const mail = await opened.mails.claim(claim)
  if (mail === null) throw new Error("no mail is due")
  await opened.mails.record(mail.id, { atMs: clock.now(), durationMs: 5, status, error }, result)
}

test("a notice by mail is mailed, with the state of its mail and the server's words, and is not among the unsent ones", async () => {
  const admin = await withAccount("mail")
  await admin.run(createApiKey, { account: admin.id })
  expect(await admin.list(listNotices)).toMatchObject([
    { state: "mailed", mail_state: "pending", attempts: 0, last_error: null },
  ])
  await answer(admin, 550, "no such mailbox", { kind: "failed" })
  const [notice] = await admin.list(listNotices, { state: "mailed" })
  expect(notice).toMatchObject({
    state: "mailed",
    mail_state: "failed",
    attempts: 1,
    last_status: 550,
    last_error: "no such mailbox",
  })
  expect(await admin.list(listNotices, { state: "unsent" })).toEqual([])
  expect(
    await admin.list(listMails, { address: "ANN@example.com", state: "failed", account: admin.id }),
  ).toEqual([
    {
      ...{ id: `mail_${String(notice?.id).slice(4)}`, account: admin.id, address: "ann@example.com" },
      template: "notice",
      event: "key.created",
      notice: notice?.id,
      raised: "2025-01-01T00:00:00.000Z",
      ...{ expires: null, state: "failed", attempts: 1, next_attempt: null, last_status: 550 },
      ...{ last_error: "no such mailbox", delivered: null },
    },
  ])
})

test("a notice by mail to both has both states, and one to nowhere stays unsent", async () => {
  const admin = await withAccount("both")
  await admin.run(setWebhook, { id: admin.id, url: "https://example.com/hook" })
  await admin.run(createApiKey, { account: admin.id })
  await answer(admin, 250, null, { kind: "delivered" })
  expect(await admin.list(listNotices)).toMatchObject([
    { state: "pending", mail_state: "delivered", attempts: 0, last_status: null },
  ])
  const none = await withAccount("none")
  await none.run(createApiKey, { account: none.id })
  expect(await none.list(listNotices, { state: "unsent" })).toMatchObject([
    { state: "unsent", mail_state: null, attempts: 0 },
  ])
  expect(await none.list(listNotices, { state: "mailed" })).toEqual([])
})

test("mails are listed without a link or a token, page by page and counted", async () => {
  const admin = openAdministration()
  // As a service with a mail server would.
  const signUp = { ...admin.parts.signUp, hasMail: true }
  Object.defineProperty(admin.parts, "signUp", { get: () => signUp })
  for (const name of ["a", "b", "c"]) await admin.run(createInvitation, { email: `${name}@example.com` })
  const first = await admin.run(listMails, { limit: 2, total: true })
  expect(first).toMatchObject({ has_more: true, total: { count: 3, is_exact: true } })
  const second = await admin.run(listMails, { limit: 2, after: first.next })
  const all = [...(first.data as Values[]), ...(second.data as Values[])]
  const addresses = all.map(({ address }) => String(address)).toSorted()
  expect(addresses.join(" ")).toBe("a@example.com b@example.com c@example.com")
  expect(all[0]).toMatchObject({ template: "invitation", state: "pending" })
  expect(all[0]).toMatchObject({ account: null, notice: null, event: null })
  expect(JSON.stringify(all)).not.toMatch(/pkl-|#|http/)
  expect((await admin.refusal(listMails, { address: "nobody" })).parameter).toBe("address")
  expect((await admin.refusal(listMails, { account: "acc_none" })).code).toBe("not-found")
  const readsNotices = actorOf({ permissions: ["notices.*"] })
  expect((await admin.refusal(listMails, {}, { as: readsNotices })).code).toBe("forbidden")
})

test("an account chooses: mail, and is told of keys that expire; the webhook, and nothing is added", async () => {
  const admin = await withAccount("webhook", { events: [] })
  const { id } = admin
  const mail = await admin.run(chooseNotices, { id, notify: "mail" })
  expect(mail).toEqual({ id, notify: "mail", email: "ann@example.com", events: ["key.expiring"] })
  expect((await admin.audit()).at(-1)).toMatchObject({
    operation: "notices.choose",
    before: '{"notify":"webhook","events":[]}',
    after: '{"notify":"mail","events":["key.expiring"]}',
  })
  // An operator has taken it away since.
  await admin.run(updateAccount, { id, events: [] })
  expect(await admin.run(chooseNotices, { id, notify: "both" })).toMatchObject({ notify: "both", events: [] })
  expect(await admin.run(chooseNotices, { id, notify: "none" })).toMatchObject({ notify: "none", events: [] })
})

test("an account chooses: no mail without an address, and a customer none of a service that sends none", async () => {
  const admin = await withAccount("webhook", { email: undefined })
  const { id } = admin
  const choose = { id, notify: "mail" }
  expect((await admin.refusal(chooseNotices, choose)).message).toContain(`account update ${id} --email`)
  const customer = actorOf({ id: "portal:ses_1", account: id, permissions: ["notices.write"] })
  expect((await admin.refusal(chooseNotices, choose, { as: customer })).message).toContain("sends no mail")
  const { notify } = await admin.run(chooseNotices, { id, notify: "none" }, { as: customer })
  expect(notify).toBe("none")
})
