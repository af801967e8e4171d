/** The lists of the administration: pages and filters. Lists of many rows are in sorted-lists.test.ts. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { Mutation } from "../../src/store/admin-store.ts"
import type { OpenStore } from "../../src/store/store-options.ts"
import {
  accountDetailsOf,
  adminKeyOf,
  changeOf,
  firstPage,
  keyDetailsOf,
  secretOf,
} from "../support/admin-store.ts"
import { openAnyStore, runSql, useStoreKinds } from "../support/any-store.ts"
import { readAll } from "../support/read-all.ts"

const idOf = (i: number) => `acc_${String(i).padStart(2, "0")}`
const count = 23
const notice = (id: string, accountId: string, nowMs: number): Mutation => {
  return { kind: "notice.insert", id, accountId, type: "key.created", data: "{}", nowMs }
}
const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id)

describe.each(useStoreKinds())("$name", ({ create }) => {
  let opened: OpenStore
  let db: string

  beforeAll(async () => {
    db = await create()
    opened = await openAnyStore(db)
    for (let i = 0; i < count; i++) {
      // Not in the order of their ids, and several with the same time.
      const createdMs = 1_000 + ((i * 7) % 4)
      const account = accountDetailsOf({
        id: idOf(i),
        name: i % 5 === 0 ? `Müller ${i} & 100%` : `other_${i}`,
        plan: i % 3 === 0 ? "pro" : "free",
        createdMs,
      })
      const key = keyDetailsOf({ id: `key_${i}`, accountId: idOf(i % 4), createdMs })
      const mutations: Mutation[] = [
        { kind: "account.insert", account },
        { kind: "key.insert", key, secret: secretOf(`hash ${i}`) },
        { kind: "adminKey.insert", adminKey: adminKeyOf({ id: `adm_${i}`, createdMs }), hash: `admin ${i}` },
        notice(`msg_${i}`, idOf(i % 4), createdMs),
      ]
      if (i % 8 === 0)
        mutations.push({ kind: "account.update", id: idOf(i), version: 1, set: { closedMs: 5_000 } })
      expect(await opened.admin.apply(changeOf(mutations))).toBe("applied")
    }
  })
  afterAll(() => opened.store.close())

  const sorted = <Row>(rows: readonly Row[], placeOf: (row: Row) => readonly [number, string]) =>
    rows.toSorted((a, b) => {
      const [[aMs, aId], [bMs, bId]] = [placeOf(a), placeOf(b)]
      return aMs - bMs || (aId < bId ? -1 : 1)
    })

  test.each([1, 4, 5, 100])("pages of %d have every row once, in a stable order", async (limit) => {
    const { admin } = opened
    const byCreation = (row: { createdMs: number; id: string }) => [row.createdMs, row.id] as const
    const adminKeys = await readAll((page) => admin.adminKeys(page), byCreation, limit)
    expect(idsOf(adminKeys)).toEqual(idsOf(sorted(adminKeys, byCreation)))
    const byRaise = (row: { raisedMs: number; id: string }) => [row.raisedMs, row.id] as const
    const notices = await readAll((page) => admin.notices({}, page), byRaise, limit)
    expect(idsOf(notices)).toEqual(idsOf(sorted(notices, byRaise).reverse()))
    expect([adminKeys.length, notices.length]).toEqual([count, count])
  })

  test("a text with U+0000, which nothing is called, finds nothing: it is no fault of the store", async () => {
    const { admin, history } = opened
    const nul = "\0"
    const page = { limit: 10, after: null }
    const days = { fromDay: "2025-01-01", toDay: "2025-01-31" }
    const times = { fromMs: 0, toMs: 3_600_000, stepMs: 3_600_000 }
    expect(
      await Promise.all([
        admin.accounts({ search: nul }, page),
        admin.accounts({ plan: nul }, page),
        admin.keys({ externalId: `fleet${nul}` }, page),
        admin.audit({ actor: nul, targetIds: [nul] }, page),
        admin.notices({ accountId: nul }, page),
        admin.noticeAttempts({ noticeId: nul }, page),
        history.calls({ ...times, api: nul }),
      ]),
    ).toEqual([[], [], [], [], [], [], []])
    expect(
      await Promise.all([
        admin.findAccount(nul),
        admin.findKey(nul),
        admin.findNotice(nul),
        admin.findReplay(nul, nul),
      ]),
    ).toEqual([null, null, null, null])
    expect((await admin.usage({ ...days, api: nul, by: ["day"] }, page)).sums).toEqual([])
    // A cursor that someone has changed.
    const after = [999_999, nul]
    expect(await admin.accounts({}, { limit: 10, after })).toEqual([])
  })

  test("plans of all accounts are named, and those of open accounts are counted", async () => {
    const open = Array.from({ length: count }, (_, i) => i).filter((i) => i % 8 !== 0)
    const pro = open.filter((i) => i % 3 === 0).length
    expect((await opened.admin.planNames()).toSorted()).toEqual(["free", "pro"])
    expect(await opened.admin.plansInUse()).toEqual([
      { plan: "free", accounts: open.length - pro },
      { plan: "pro", accounts: pro },
    ])
  })

  test("the names of some accounts and keys", async () => {
    const { admin } = opened
    const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1)
    const accounts = await admin.accountNames([idOf(1), idOf(5), "acc_99"])
    const named = accounts.toSorted(byId).map(({ id, name }) => `${id} ${name}`)
    expect(named).toEqual([`${idOf(1)} other_1`, `${idOf(5)} Müller 5 & 100%`])
    const keys = await admin.keyNames(["key_1", "key_99", idOf(1)])
    expect(keys).toEqual([{ id: "key_1", name: keyDetailsOf({}).name }])
    expect([await admin.accountNames([]), await admin.keyNames([])]).toEqual([[], []])
  })

  test("notices by account and state", async () => {
    expect(await opened.admin.notices({ accountId: idOf(3) }, firstPage)).toHaveLength(5)
    expect(await opened.admin.notices({ state: "unsent", accountId: idOf(3) }, firstPage)).toHaveLength(5)
    expect(await opened.admin.notices({ state: "pending" }, firstPage)).toEqual([])
    expect(await opened.admin.findNotice("msg_3")).toMatchObject({ accountId: idOf(3) })
    expect(await opened.admin.findNotice("msg_99")).toBeNull()
  })

  test.each([[["x", "acc_1"]], [[1_000]], [[1_000, "acc_1", 2]], [[1_000, 2]]])(
    "a page after %p, which is no place of the list, is refused",
    async (after) => await expect(opened.admin.accounts({}, { limit: 5, after })).rejects.toThrow("'after'"),
  )

  // It has its own store: its changes would appear in the lists of the other tests.
  test("attempts by notice and by account, newest first", async () => {
    const { store, admin, outbox } = await openAnyStore(await create())
    const webhook = { url: "https://example.com/hook", secret: "whsec_AAAA", allowPrivate: false }
    const accountId = idOf(2)
    await admin.apply(
      changeOf([
        { kind: "account.insert", account: accountDetailsOf({ id: accountId }) },
        ...["msg_2", "msg_6"].map((id) => notice(id, accountId, 1_000)),
        { kind: "webhook.set", accountId, webhook },
      ]),
    )
    const anyDue = { leaseMs: 1, maxWaitMs: 3_600_000, busyHosts: [], untriedOnly: false }
    for (const id of ["msg_2", "msg_6"]) {
      await admin.apply(changeOf([{ kind: "notice.resend", id, nowMs: 9_000 }]))
      for (const atMs of [10_000, 20_000]) {
        const due = await outbox.claim({ ...anyDue, nowMs: atMs })
        if (due?.id !== id) throw new Error("another notice is due")
        const result =
          atMs === 10_000 ? ({ kind: "retry", delayMs: 1 } as const) : { kind: "failed" as const }
        await outbox.record(due, { atMs, durationMs: 1, status: 500, error: null }, result)
      }
    }
    const read = (filter: object) =>
      readAll(
        (page) => admin.noticeAttempts(filter, page),
        ({ atMs, noticeId, attempt }) => [atMs, noticeId, attempt],
        1,
      )
    const all = ["msg_6 2", "msg_2 2", "msg_6 1", "msg_2 1"]
    const shown = (rows: readonly { noticeId: string; attempt: number }[]) =>
      rows.map(({ noticeId, attempt }) => `${noticeId} ${attempt}`)
    expect(shown(await read({}))).toEqual([...all])
    expect(shown(await read({ accountId }))).toEqual([...all])
    expect(shown(await read({ accountId: idOf(3) }))).toEqual([])
    expect(shown(await read({ noticeId: "msg_2" }))).toEqual(["msg_2 2", "msg_2 1"])
    await store.close()
  })

  test("audit records cannot be changed or deleted", async () => {
    for (const statement of ["UPDATE audit SET actor = 'nobody'", "DELETE FROM audit"])
      await expect(runSql(db, statement)).rejects.toThrow(/cannot be (changed|deleted)/)
    expect((await opened.admin.audit({}, firstPage)).length).toBeGreaterThanOrEqual(count)
  })
})
