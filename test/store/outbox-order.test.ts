/** Notices and mails that are due at one time leave every kind of store in the order in which they were raised. */
import { describe, expect, test } from "bun:test"
import { systemClock } from "../../src/ports/clock.ts"
import { keepAliveTimer } from "../../src/ports/timer.ts"
import { move } from "../../src/store/move.ts"
import { accountDetailsOf, changeOf } from "../support/admin-store.ts"
import { type AnyTestStore, useOpenStores, useStoreKinds } from "../support/any-store.ts"
import { chargeOf } from "../support/store.ts"

const nowMs = 1_700_000_000_000
const leaseMs = 60_000
const due = { leaseMs, maxWaitMs: 3_600_000, busyHosts: [], untriedOnly: false }
/** No order of theirs is that in which they are raised: ids are random, or follow from a hash. */
const ids = ["d", "a", "f", "c", "e", "b"]
const accounts = ["acc_1", "acc_2"]

const kinds = useStoreKinds()
const [file, postgres] = kinds
if (!file || !postgres) throw new Error("a kind of store is missing")
const openStore = useOpenStores()

/** Two accounts with receivers on different hosts, that choose `credits.exhausted`. */
async function openWithAccounts(db: string): Promise<AnyTestStore> {
  const opened = await openStore(db)
  for (const id of accounts) {
    const account = accountDetailsOf({ id, events: ["credits.exhausted"] })
    await opened.admin.apply(changeOf([{ kind: "account.insert", account }]))
    const url = `https://${id}.example/`
    await opened.outbox.setWebhook(id, { url, secret: "whsec_AAAA", allowPrivate: false })
  }
  return opened
}

const hostOf = (accountId: string) => `${accountId}.example`

/** Raises a notice for each id, in turn for both accounts, half of them in one change. */
async function raise({ admin }: AnyTestStore) {
  const inserts = ids.map((id, i) => {
    const accountId = accounts[i % accounts.length] ?? ""
    const event = { type: "key.created", data: "{}", nowMs }
    return { kind: "notice.insert", id: `msg_${id}`, accountId, ...event } as const
  })
  await admin.apply(changeOf(inserts.slice(0, 3)))
  for (const insert of inserts.slice(3)) await admin.apply(changeOf([insert]))
}

async function sendMails({ admin }: AnyTestStore) {
  const inserts = ids.map((id) => {
    const to = { recipient: "ann@example.com", accountId: "acc_1" }
    const mail = { id: `mail_${id}`, ...to, data: "{}", nowMs } as const
    return { kind: "mail.insert", mail: { ...mail, template: "sign-in", expiresMs: null } } as const
  })
  await admin.apply(changeOf(inserts.slice(0, 3)))
  for (const insert of inserts.slice(3)) await admin.apply(changeOf([insert]))
}

/** Leases all that is due, and returns the ids without what stands before them. */
async function leaseAll(claim: () => Promise<{ readonly id: string } | null>): Promise<readonly string[]> {
  const leased: string[] = []
  for (let one = await claim(); one !== null; one = await claim()) leased.push(one.id.replace(/^\w+_/, ""))
  return leased
}
const leaseNotices = ({ outbox }: AnyTestStore, atMs: number, busyHosts: readonly string[] = []) =>
  leaseAll(() => outbox.claim({ ...due, nowMs: atMs, busyHosts }))
const leaseMails = ({ mails }: AnyTestStore, atMs: number) =>
  leaseAll(() => mails.claim({ ...due, nowMs: atMs }))

/** Leases the notices of the second account before those of the first, so that rows are rewritten in another order. */
async function leaseOutOfOrder(opened: AnyTestStore) {
  for (const accountId of accounts) await leaseNotices(opened, nowMs, [hostOf(accountId)])
}

describe.each(kinds)("$name", ({ create }) => {
  test("notices of one instant are leased in the order in which they were raised, also after their leases", async () => {
    const opened = await openWithAccounts(await create())
    await raise(opened)
    expect((await opened.outbox.list()).map(({ id }) => id)).toEqual(ids.map((id) => `msg_${id}`))
    await leaseOutOfOrder(opened)
    expect(await leaseNotices(opened, nowMs + leaseMs)).toEqual(ids)
    expect((await opened.outbox.list()).map(({ id }) => id)).toEqual(ids.map((id) => `msg_${id}`))
  })

  test("mails of one instant are leased in the order in which they were raised, also after their leases", async () => {
    const opened = await openWithAccounts(await create())
    await sendMails(opened)
    expect(await leaseMails(opened, nowMs)).toEqual(ids)
    expect(await leaseMails(opened, nowMs + leaseMs)).toEqual(ids)
  })

  test("a charge that reaches everything raises used up credits first, then thresholds from the lowest", async () => {
    const opened = await openWithAccounts(await create())
    await opened.store.charge([chargeOf({ credits: 100, allowance: 100 })])
    const raised = ["credits.exhausted", 80, 95]
    const whatOf = (notice: { readonly type: string; readonly threshold: number | null }) =>
      notice.threshold ?? notice.type
    expect((await opened.outbox.list()).map(whatOf)).toEqual(raised)
    const leased: unknown[] = []
    for (const _ of raised) {
      const notice = await opened.outbox.claim({ ...due, nowMs: Date.now() + 60_000 })
      leased.push(notice && whatOf(notice))
    }
    expect(leased).toEqual(raised)
  })
})

test.each([
  ["a data file to PostgreSQL", file, postgres],
  ["PostgreSQL to a data file", postgres, file],
  ["PostgreSQL to PostgreSQL", postgres, postgres],
])("a move from %s keeps the order of notices and mails; later ones come after", async (_, from, to) => {
  const [before, after] = [await from.create(), await to.create()]
  const opened = await openWithAccounts(before)
  await Promise.all([raise(opened), sendMails(opened)])
  await leaseOutOfOrder(opened)
  await leaseMails(opened, nowMs)
  await opened.store.close()
  await move(before, after, { timer: keepAliveTimer, clock: systemClock })
  const moved = await openStore(after)
  const late = { kind: "notice.insert", id: "msg_0", accountId: "acc_1", type: "test", data: "{}" } as const
  await moved.admin.apply(changeOf([{ ...late, nowMs: nowMs + leaseMs }]))
  expect(await leaseNotices(moved, nowMs + leaseMs)).toEqual([...ids, "0"])
  expect(await leaseMails(moved, nowMs + leaseMs)).toEqual(ids)
})
