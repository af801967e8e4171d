/** Promises of every kind of store about its outbox of mails. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import type { AdminStore } from "../../src/store/admin-store.ts"
import type { MailOutbox, NewMail } from "../../src/store/mails.ts"
import type { OpenStore } from "../../src/store/open-store.ts"
import { accountDetailsOf, changeOf, grantOf } from "../support/admin-store.ts"
import { openAnyStore, useStoreKinds } from "../support/any-store.ts"
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
  let db: string
  let opened: OpenStore
  let admin: AdminStore
  let mails: MailOutbox
  let woken = 0

  beforeEach(async () => {
    woken = 0
    db = await create()
    opened = await openAnyStore(db, () => void woken++)
    ;({ admin, mails } = opened)
    await admin.apply(changeOf([{ kind: "account.insert", account: accountDetailsOf() }]))
  })
  afterEach(() => opened.store.close())
  const insert = (...added: NewMail[]) =>
    admin.apply(changeOf(added.map((mail) => ({ kind: "mail.insert", mail }))))

  test("a mail is inserted once with its change, wakes the delivery, and is leased", async () => {
    expect(await insert(mailOf())).toBe("applied")
    expect(await insert(mailOf({ recipient: "other@example.com" }))).toBe("applied")
    await until(() => woken > 0)
    expect(await mails.claim(options)).toEqual({
      id: "mail_1",
      accountId: "acc_1",
      recipient: "ann@example.com",
      template: "sign-in",
      data: '{"link":"https://example.com/#secret"}',
      raisedMs: nowMs,
      expiresMs: nowMs + 900_000,
      state: "pending",
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
    const outcome = await admin.apply(
      changeOf([{ kind: "mail.insert", mail: mailOf() }, grantOf("acc_9", 1, 9)]),
    )
    expect(outcome).toBe("missing")
    expect(await mails.claim(options)).toBeNull()
  })

  test("mails with a link come before notices that wait longer", async () => {
    await insert(mailOf({ id: "mail_1", template: "notice", nowMs: nowMs - 5_000, expiresMs: null }))
    await insert(
      mailOf({ id: "mail_2", nowMs: nowMs - 1_000 }),
      mailOf({ id: "mail_3", nowMs: nowMs - 2_000 }),
    )
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

  test("several processes never lease the same mail", async () => {
    await insert(...Array.from({ length: 30 }, (_, i) => mailOf({ id: `mail_${i}` })))
    const others = await Promise.all([openAnyStore(db), openAnyStore(db)])
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
    for (const { store } of others) await store.close()
    for (let mail = await mails.claim(options); mail; mail = await mails.claim(options)) taken.push(mail.id)
    expect(taken.toSorted()).toEqual(Array.from({ length: 30 }, (_, i) => `mail_${i}`).toSorted())
  })
})
