/** Promises of every kind of store about its outbox of mails. */
import { beforeEach, describe, expect, test } from "bun:test"
import type { AdminStore } from "../../src/store/admin-reads.ts"
import type { Mutation, NotifyBy } from "../../src/store/admin-store.ts"
import type { MailFilter } from "../../src/store/list-filters.ts"
import { type MailOutbox, mailIdOf, type NewMail } from "../../src/store/mails.ts"
import type { OpenStore } from "../../src/store/store-options.ts"
import { accountDetailsOf, changeOf, firstPage, grantOf } from "../support/admin-store.ts"
import { useOpenStores, useStoreKinds } from "../support/any-store.ts"
import { chargeOf } from "../support/store.ts"
import { until } from "../support/until.ts"

const nowMs = Date.now()
const options = { nowMs, leaseMs: 60_000, maxWaitMs: 3_700_000, untriedOnly: false }
const sent = { atMs: nowMs, durationMs: 20, status: 250, error: null }
const refused = { atMs: nowMs, durationMs: 20, status: 451, error: "try later" }

function mailOf(change: Partial<NewMail> = {}): NewMail {
  return {
    id: "mail_1",
    recipient: "ann@example.com",
    template: "sign-in",
    accountId: "acc_1",
    data: '{"link":"https://example.com/#secret"}',
    nowMs,
    expiresMs: nowMs + 900_000,
    ...change,
  }
}

describe.each(useStoreKinds())("$name", ({ create }) => {
  const openStore = useOpenStores()
  let db: string
  let opened: OpenStore
  let admin: AdminStore
  let mails: MailOutbox
  let woken = 0

  beforeEach(async () => {
    woken = 0
    db = await create()
    opened = await openStore(db, () => void woken++)
    ;({ admin, mails } = opened)
    await admin.apply(changeOf([{ kind: "account.insert", account: accountDetailsOf() }]))
  })
  const insert = (...added: NewMail[]) =>
    admin.apply(changeOf(added.map((mail) => ({ kind: "mail.insert", mail }))))

  test("a mail is inserted once with its change, wakes the delivery, and is leased", async () => {
    expect(await insert(mailOf())).toBe("applied")
    expect(await insert(mailOf({ recipient: "other@example.com" }))).toBe("applied")
    await until(() => woken > 0)
    const { nowMs: raisedMs, ...mail } = mailOf()
    expect(await mails.claim(options)).toEqual({
      ...{ ...mail, raisedMs, accountName: "Ä & Co", accountBonus: expect.any(Number), state: "pending" },
      attempts: 0,
      waitedMs: 0,
      nextAttemptMs: nowMs + 60_000,
      lastStatus: null,
      lastError: null,
      deliveredMs: null,
    })
    expect(await mails.claim(options)).toBeNull()
    expect(await mails.nextAttemptMs(nowMs)).toBe(nowMs + 60_000)
    // After its lease, as when the process that had it has died.
    expect(await mails.claim({ ...options, nowMs: nowMs + 60_000 })).toMatchObject({ id: "mail_1" })
  })

  test("nothing is inserted when another part of the change fails", async () => {
    const insertMail: Mutation = { kind: "mail.insert", mail: mailOf() }
    const outcome = await admin.apply(changeOf([insertMail, grantOf("acc_9", 1, 9)]))
    expect([outcome, await mails.claim(options)]).toEqual(["missing", null])
  })

  test("mails with a link come before notices that wait longer", async () => {
    await insert(mailOf({ id: "mail_1", template: "notice", nowMs: nowMs - 5_000, expiresMs: null }))
    const later = mailOf({ id: "mail_3", nowMs: nowMs - 2_000 })
    await insert(mailOf({ id: "mail_2", nowMs: nowMs - 1_000 }), later)
    const ids: (string | undefined)[] = []
    for (let i = 0; i < 4; i++) ids.push((await mails.claim(options))?.id)
    expect(ids).toEqual(["mail_3", "mail_2", "mail_1", undefined])
  })

  test("a mail that is tried again keeps its link until it is delivered", async () => {
    await insert(mailOf())
    await mails.claim(options)
    await mails.record("mail_1", refused, { kind: "retry", delayMs: 5_000 })
    expect(await mails.claim({ ...options, nowMs: nowMs + 5_019 })).toBeNull()
    const later = { ...options, nowMs: nowMs + 5_020 }
    expect(await mails.claim({ ...later, untriedOnly: true })).toBeNull()
    expect(await mails.claim(later)).toMatchObject({
      attempts: 1,
      waitedMs: 5_000,
      lastStatus: 451,
      lastError: "try later",
      data: expect.stringContaining("#secret"),
    })
    await mails.record("mail_1", sent, { kind: "delivered" })
    // A slower process whose lease was over.
    await mails.record("mail_1", refused, { kind: "failed" })
    expect(await mails.claim({ ...options, nowMs: nowMs + 9e9 })).toBeNull()
    expect(await mails.nextAttemptMs(0)).toBeNull()
  })

  test("a mail that was written before the clock was set back is due", async () => {
    await insert(mailOf({ nowMs: nowMs + 86_400_000 }))
    expect(await mails.claim(options)).toMatchObject({ id: "mail_1", nextAttemptMs: nowMs + 60_000 })
  })

  test("mails that wait no more are deleted with old notices", async () => {
    await insert(mailOf(), mailOf({ id: "mail_2", nowMs: nowMs + 1 }))
    await insert(mailOf({ id: "mail_3", nowMs: nowMs + 9 }))
    await mails.record("mail_1", sent, { kind: "delivered" })
    await mails.record("mail_3", sent, { kind: "delivered" })
    expect(await opened.retention.deleteNotices(nowMs + 9, 100)).toBe(1)
    expect(await opened.retention.deleteNotices(nowMs + 9, 100)).toBe(0)
    expect(await opened.retention.deleteNotices(nowMs + 10, 100)).toBe(1)
    expect(await mails.claim({ ...options, nowMs: nowMs + 1 })).toMatchObject({ id: "mail_2" })
  })

  test("several processes never lease the same mail", async () => {
    await insert(...Array.from({ length: 30 }, (_, i) => mailOf({ id: `mail_${i}` })))
    const others = await Promise.all([openStore(db), openStore(db)])
    const taken: string[] = []
    await Promise.all(
      [opened, ...others].map(async (one) => {
        for (;;) {
          const mail = await one.mails.claim(options)
          if (mail) taken.push(mail.id)
          else return
        }
      }),
    )
    for (let mail = await mails.claim(options); mail; mail = await mails.claim(options)) taken.push(mail.id)
    expect(taken.toSorted()).toEqual(Array.from({ length: 30 }, (_, i) => `mail_${i}`).toSorted())
  })

  test("are listed newest first, by account, address and state, page by page", async () => {
    const bea = { accountId: null, recipient: "bea@example.com" }
    await insert(
      mailOf({ id: "mail_1", nowMs: nowMs - 3 }),
      mailOf({ id: "mail_2", nowMs: nowMs - 2, ...bea }),
      mailOf({ id: "mail_3", nowMs: nowMs - 1, ...bea }),
      mailOf({ id: "mail_4", nowMs }),
    )
    await mails.record("mail_1", sent, { kind: "delivered" })
    await mails.record("mail_3", { ...refused, status: 550 }, { kind: "failed" })
    const listed = async (filter: MailFilter, page = firstPage) =>
      (await admin.mails(filter, page)).map(({ id }) => id)
    expect(await listed({})).toEqual(["mail_4", "mail_3", "mail_2", "mail_1"])
    expect(await listed({}, { limit: 2, after: null })).toEqual(["mail_4", "mail_3"])
    expect(await listed({}, { limit: 2, after: [nowMs - 1, "mail_3"] })).toEqual(["mail_2", "mail_1"])
    expect(await listed({ accountId: "acc_1" })).toEqual(["mail_4", "mail_1"])
    expect(await listed({ recipient: "bea@example.com" })).toEqual(["mail_3", "mail_2"])
    expect(await listed({ state: "failed" })).toEqual(["mail_3"])
    expect(await listed({ state: "failed", accountId: "acc_1" })).toEqual([])
    expect(await listed({ state: "pending" })).toEqual(["mail_4", "mail_2"])
    expect(await listed({ state: "delivered", recipient: "ann@example.com" })).toEqual(["mail_1"])
    expect(await admin.mails({ state: "failed" }, firstPage)).toMatchObject([
      { lastStatus: 550, lastError: "try later", attempts: 1 },
    ])
    const counted = await admin.countListed({ list: "mails", filter: { state: "pending" } }, 100)
    expect(counted).toEqual({ count: 2, isExact: true })
    expect((await admin.mailsById(["mail_2", "mail_9"])).map(({ id }) => id)).toEqual(["mail_2"])
  })

  describe("a notice", () => {
    const data = '{"account":"acc_1","key":"key_1"}'
    const raise = (id: string, type = "key.created") =>
      admin.apply(changeOf([{ kind: "notice.insert", id, accountId: "acc_1", type, data, nowMs }]))
    async function choose(set: { readonly notify: NotifyBy; readonly email?: string | null }) {
      const version = (await admin.findAccount("acc_1"))?.version ?? 0
      const update: Mutation = { kind: "account.update", id: "acc_1", version, set }
      expect(await admin.apply(changeOf([update]))).toBe("applied")
    }
    const webhook = { url: "https://example.com/hook", secret: "whsec_AAAA", allowPrivate: false }
    beforeEach(() => admin.apply(changeOf([{ kind: "webhook.set", accountId: "acc_1", webhook }])))

    test.each([
      ["webhook", "pending", 0],
      ["mail", "unsent", 1],
      ["both", "pending", 1],
      ["none", "unsent", 0],
    ] as const)("goes as the account has chosen: %s", async (notify, state, count) => {
      await choose({ notify, email: "ann@example.com" })
      expect(await admin.findAccount("acc_1")).toMatchObject({ notify })
      await raise("msg_1")
      await raise("msg_1")
      expect(await admin.notices({}, firstPage)).toMatchObject([{ id: "msg_1", state }])
      const mail = await mails.claim(options)
      expect(await mails.claim(options)).toBeNull()
      expect(mail === null ? 0 : 1).toBe(count)
      if (mail === null) return
      const to = { recipient: "ann@example.com", accountId: "acc_1" }
      expect(mail).toMatchObject({ id: mailIdOf("msg_1"), ...to, template: "notice", expiresMs: null })
      expect(JSON.parse(mail.data ?? "")).toEqual({
        ...{ notice: "msg_1", type: "key.created", account: "acc_1", plan: "free", threshold: null },
        ...{ used: 0, allowance: null, data },
      })
      await mails.record(mail.id, sent, { kind: "delivered" })
    })

    test.each([
      [{ notify: "none" }, 0],
      [{ notify: "webhook" }, 0],
      [{ notify: "both", email: "bea@example.com" }, 0],
      [{ notify: "none", email: null }, 0],
      [{ notify: "both" }, 1],
      [{ notify: "mail", email: "ann@example.com" }, 1],
    ] as const)("that waits is not sent when the account wants it no more: %j", async (change, count) => {
      await choose({ notify: "mail", email: "ann@example.com" })
      await raise("msg_1")
      await insert(mailOf({ id: "mail_link" }))
      await choose(change)
      const claimed = [await mails.claim(options), await mails.claim(options)]
      // A link that someone asked for is still sent.
      expect(claimed.map((mail) => mail?.template)).toEqual(["sign-in", count === 1 ? "notice" : undefined])
    })

    test("that a charge raises is mailed with its numbers, once", async () => {
      await choose({ notify: "mail", email: "ann@example.com" })
      // The store reads its own clock when the notice is raised.
      const later = { ...options, nowMs: Date.now() + 60_000 }
      await opened.store.charge([chargeOf({ credits: 8 })])
      await opened.store.charge([chargeOf({ credits: 1 })])
      const mail = await mails.claim(later)
      expect(JSON.parse(mail?.data ?? "")).toMatchObject({
        ...{ type: "credits.threshold_reached", threshold: 80, used: 8, allowance: 10 },
      })
      expect(await mails.claim(later)).toBeNull()
      expect(await admin.notices({}, firstPage)).toMatchObject([{ threshold: 80, state: "unsent" }])
    })

    test("that tests the webhook is never mailed, and nothing is without an address", async () => {
      await choose({ notify: "mail", email: "ann@example.com" })
      await raise("msg_1", "test")
      await choose({ notify: "mail", email: null })
      await raise("msg_2")
      expect(await mails.claim(options)).toBeNull()
      expect((await admin.notices({}, firstPage)).map(({ id, state }) => [id, state]).toSorted()).toEqual([
        ["msg_1", "pending"],
        ["msg_2", "unsent"],
      ])
    })
  })
})
