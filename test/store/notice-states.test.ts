/** Notices and mails by state, as a filter over all of them finds them. */
import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import { noticeStates } from "../../src/admin/notices/notice.ts"
import type { AdminStore } from "../../src/store/admin-reads.ts"
import type { Page } from "../../src/store/admin-store.ts"
import { mailIdOf, mailStates, shownState } from "../../src/store/mails.ts"
import { runSql, useOpenStores, useStoreKinds } from "../support/any-store.ts"
import { readAll } from "../support/read-all.ts"
import { accountOf } from "../support/store.ts"

const accounts = ["acc_1", "acc_2"]
/** More than several pages. */
const count = 1_300
/** Three notices at a time were raised together, every other one has a mail, and all others follow from the number too. */
const numbers = Array.from({ length: count }, (_, n) => n)
const idOf = (n: number) => `msg_${10_000 + n}`
const stateOf = (n: number) => ["delivered", "unsent", "failed", "unsent", "pending"][(n * 7) % 5]
const hasMail = (n: number) => n % 4 < 2
const noticeRows = numbers.map((n) => {
  const due = stateOf(n) === "pending" ? 9 : "NULL"
  return `('${idOf(n)}', 'acc_${1 + (n % 2)}', 'key.created', '{}', 0, 'free', 0, ${Math.floor(n / 3)}, '${stateOf(n)}', ${due}, ${hasMail(n)})`
})
const mailRows = numbers.filter(hasMail).map((n) => {
  const state = mailStates[n % 3]
  const due = state === "pending" ? 9 : "NULL"
  return `('${mailIdOf(idOf(n))}', 'acc_${1 + (n % 2)}', 'ann@example.com', 'notice', '{"notice":"${idOf(n)}"}', ${Math.floor(n / 3)}, '${state}', ${due})`
})
const insertRows = [
  `INSERT INTO notices (id, account_id, type, data, period_start_ms, plan, used, raised_ms, state, next_attempt_ms, mailed) VALUES ${noticeRows.join()}`,
  `INSERT INTO mails (id, account_id, recipient, template, data, raised_ms, state, next_attempt_ms) VALUES ${mailRows.join()}`,
]

type Listed = { readonly id: string; readonly raisedMs: number }
const readRows = <Row extends Listed>(read: (page: Page) => Promise<readonly Row[]>) =>
  readAll(read, ({ raisedMs, id }) => [raisedMs, id], 100)
const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id)

/** Compares each filter with all rows, and returns how many rows each state has. */
async function compare(admin: AdminStore): Promise<readonly number[]> {
  const notices = await readRows((page) => admin.notices({}, page))
  const mails = await readRows((page) => admin.mails({}, page))
  const mailed = new Set(ids(mails))
  const shown = notices.map((notice) => ({
    ...notice,
    state: notice.state === "unsent" && mailed.has(mailIdOf(notice.id)) ? "mailed" : notice.state,
  }))
  const counts: number[] = []
  for (const accountId of [undefined, ...accounts]) {
    const isOf = (row: { readonly accountId: string | null }) =>
      accountId === undefined || row.accountId === accountId
    for (const state of noticeStates) {
      const filter = { accountId, state }
      const expected = ids(shown.filter((notice) => notice.state === state && isOf(notice)))
      expect(ids(await readRows((page) => admin.notices(filter, page)))).toEqual(expected)
      const counted = await admin.countListed({ list: "notices", filter }, 9_999)
      expect(counted).toEqual({ count: expected.length, isExact: true })
      if (accountId === undefined) counts.push(expected.length)
    }
    for (const state of mailStates) {
      const filter = { accountId, state }
      const expected = ids(mails.filter((mail) => mail.state === state && isOf(mail)))
      expect(ids(await readRows((page) => admin.mails(filter, page)))).toEqual(expected)
    }
  }
  return counts
}

const openStore = useOpenStores()
describe.each(useStoreKinds())("$name", ({ create }) => {
  test("each state has the notices and mails that a filter over all finds", async () => {
    const db = await create()
    const run = (statements: string) => runSql(db, statements)
    const { store, admin } = await openStore(db)
    for (const id of accounts) await store.createAccount(accountOf({ id }))
    for (const rows of insertRows) await run(rows)
    expect(await readRows((page) => admin.notices({}, page))).toHaveLength(count)
    const [pending, delivered, failed, unsent = 0, mailed = 0] = await compare(admin)
    expect([pending, delivered, failed, unsent + mailed]).toEqual([260, 260, 260, 520])
    expect(Math.min(unsent, mailed)).toBeGreaterThan(200)

    // Notices of accounts with mail, as a charge inserts them: by mail alone, and by both and then without a webhook.
    const insert = (id: string, state: string, due: string) =>
      run(`INSERT INTO notices (id, account_id, type, data, period_start_ms, plan, used, raised_ms, state, next_attempt_ms)
        VALUES ('${id}', 'acc_1', 'key.created', '{}', 0, 'free', 0, 5000, '${state}', ${due})`)
    await run("UPDATE accounts SET email = 'ann@example.com', notify = 'mail' WHERE id = 'acc_1'")
    await insert("msg_by_mail", "pending", "9")
    await run("UPDATE accounts SET notify = 'both' WHERE id = 'acc_1'")
    await insert("msg_by_both", "pending", "9")
    expect(await compare(admin)).toEqual([261, 260, 260, unsent, mailed + 1])
    await run("UPDATE notices SET state = 'unsent', next_attempt_ms = NULL WHERE id = 'msg_by_both'")
    await run("UPDATE notices SET state = 'delivered' WHERE id = 'msg_by_mail'")
    expect(await compare(admin)).toEqual([260, 261, 260, unsent, mailed + 1])
  })
})

test.each(["sqlite", "postgres"])("the index of %s has the words of the lists", async (kind) => {
  const schema = await Bun.file(join(import.meta.dir, `../../src/store/${kind}/schema.sql`)).text()
  expect(schema).toContain(`ON notices ((${shownState}), raised_ms, id, state, mailed)`)
})
