/**
 * Statements add up to the ledger in random histories: charges, moves of plans, months that are started again, grants,
 * adjustments, repeats and undos. `bun run exactness --only statements` runs 1,000.
 */
import { describe, expect, test } from "bun:test"
import { periodAt } from "../../src/accounts/credits.ts"
import { updateAccount } from "../../src/admin/accounts/change-account.ts"
import { createAccount } from "../../src/admin/accounts/create-account.ts"
import { adjustCredits, undoAdjustment } from "../../src/admin/credits/adjust-credits.ts"
import { grantCredits, renewCredits } from "../../src/admin/credits/change-credits.ts"
import { AdminFault } from "../../src/admin/fault.ts"
import { createApiKey } from "../../src/admin/keys/issue-key.ts"
import { showStatement } from "../../src/admin/statements/statement.ts"
import { openAdministration, type TestAdministration, type Values } from "../support/administration.ts"
import { type AnyTestStore, useOpenStores, useStoreKinds } from "../support/any-store.ts"
import { randomNumbers } from "../support/random-numbers.ts"
import { chargeOf } from "../support/store.ts"

const histories = Number(process.env.PENKNIFE_TEST_ROUNDS ?? 10)
const steps = 60
const hourMs = 3_600_000

/** The expected figures of a month, kept apart from the store. */
interface MonthBook {
  granted: number
  adjusted: number
  renewals: number
  moves: string[]
  /** Credits by `key api`. */
  used: Record<string, number>
}

const openStore = useOpenStores()
describe.each(useStoreKinds())("$name", ({ create }) => {
  test(`${histories} histories add up`, async () => {
    const opened = await openStore(await create())
    const admin = openAdministration(opened)
    for (let seed = 1; seed <= histories; seed++) await runHistory(opened, admin, seed)
  }, 3_600_000)
})

async function runHistory(opened: AnyTestStore, admin: TestAdministration, seed: number): Promise<void> {
  const next = randomNumbers(seed)
  const below = (limit: number) => Math.floor(next() * limit)
  const { clock } = admin
  clock.set(new Date(Date.UTC(2025, below(12), 1 + below(31), below(24), below(60))).toISOString())
  const createdMs = clock.now()
  const id = String((await admin.run(createAccount, { name: `Account ${seed}`, plan: "free" })).id)
  const keys: string[] = []
  for (const name of ["a", "b"]) keys.push(String((await admin.run(createApiKey, { account: id, name })).id))

  const books = new Map<string, MonthBook>()
  const bookOf = (ms: number) => {
    const month = new Date(ms).toISOString().slice(0, 7)
    const book = books.get(month) ?? { granted: 0, adjusted: 0, renewals: 0, moves: [], used: {} }
    books.set(month, book)
    return book
  }
  let plan = "free"
  let balance = { startMs: createdMs, used: 0, bonus: 500 }
  let fromMonths = 0
  const undoable: { id: string; credits: number }[] = []
  const referred: { reference: string; credits: number }[] = []
  bookOf(createdMs).granted += 500
  bookOf(createdMs).renewals++

  /** Runs an operation that the balance may not allow. */
  async function attempt(run: () => Promise<Values>, isAllowed: boolean): Promise<Values | null> {
    try {
      const answer = await run()
      expect([seed, isAllowed]).toEqual([seed, true])
      return answer
    } catch (thrown) {
      if (!(thrown instanceof AdminFault)) throw thrown
      expect([seed, thrown.code, isAllowed]).toEqual([seed, "conflict", false])
      return null
    }
  }

  async function charge(): Promise<void> {
    const credits = 1 + below(400)
    const [api, keyId] = [next() < 0.5 ? "hmac" : "spfvalidator", keys[below(2)] ?? ""]
    const allowance = admin.parts.plans.get(plan)?.monthlyCredits ?? null
    const { startMs } = periodAt(createdMs, clock.now())
    const used = startMs > balance.startMs ? 0 : balance.used
    const left = Math.max(0, (allowance ?? Number.POSITIVE_INFINITY) - used)
    const fromMonth = Math.min(credits, left)
    const charged = credits <= left + balance.bonus
    const day = new Date(clock.now()).toISOString().slice(0, 10)
    const items = [{ api, calls: 1, credits }]
    const given = chargeOf({ accountId: id, keyId, items, allowance, periodStartMs: startMs, day })
    expect(await opened.store.charge([given])).toMatchObject([{ charged }])
    if (!charged) return
    balance = { startMs, used: used + fromMonth, bonus: balance.bonus - (credits - fromMonth) }
    fromMonths += fromMonth
    const book = bookOf(clock.now())
    book.used[`${keyId} ${api}`] = (book.used[`${keyId} ${api}`] ?? 0) + credits
  }

  async function adjust(): Promise<void> {
    const credits = next() < 0.5 ? 1 + below(300) : -1 - below(300)
    const reference = next() < 0.5 ? { reference: `r-${referred.length}` } : {}
    const isAllowed = balance.bonus + credits >= 0
    const values = { id, credits, reason: "Why", ...reference }
    const made = await attempt(() => admin.run(adjustCredits, values), isAllowed)
    if (!made) return
    balance.bonus += credits
    bookOf(clock.now()).adjusted += credits
    undoable.push({ id: String(made.id), credits })
    if (reference.reference) referred.push({ reference: reference.reference, credits })
  }

  async function undo(): Promise<void> {
    const [entry] = undoable.splice(below(undoable.length), 1)
    if (!entry) return
    if (!(await attempt(() => admin.run(undoAdjustment, { id: entry.id }), balance.bonus >= entry.credits)))
      return
    balance.bonus -= entry.credits
    bookOf(clock.now()).adjusted -= entry.credits
  }

  async function step(): Promise<void> {
    const kind = below(20)
    if (kind < 10) return charge()
    if (kind < 13) return adjust()
    if (kind < 14) return undo()
    if (kind < 15) {
      // A repeat with the same reference changes nothing.
      const again = referred[below(referred.length)]
      if (again) await admin.run(adjustCredits, { id, ...again, reason: "Again" })
    } else if (kind < 17) {
      const credits = 1 + below(200)
      await admin.run(grantCredits, { id, credits })
      balance.bonus += credits
      bookOf(clock.now()).granted += credits
    } else if (kind < 19) {
      const to = ["free", "starter", "pro"][below(3)] ?? "free"
      await admin.run(updateAccount, { id, plan: to })
      if (to !== plan) bookOf(clock.now()).moves.push(to)
      plan = to
    } else if (next() < 0.3) {
      await admin.run(renewCredits, { id, anyway: true })
      balance = { ...balance, startMs: periodAt(createdMs, clock.now()).startMs, used: 0 }
      bookOf(clock.now()).renewals++
    }
  }

  const show = (month: string) => admin.run(showStatement, { id, month, limit: 1_000 })
  const shown = new Map<string, Awaited<ReturnType<typeof show>>>()
  for (let number = 0; number < steps; number++) {
    const { endMs } = periodAt(createdMs, clock.now())
    // Two days on average, so about four months.
    clock.advance(below(96) * hourMs + below(hourMs))
    for (let at = endMs; at <= clock.now(); at = periodAt(createdMs, at).endMs) bookOf(at).renewals++
    await step()
    const today = new Date(clock.now())
    const lastMonth = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 0))
    const month = lastMonth.toISOString().slice(0, 7)
    if (next() < 0.1 && lastMonth.getTime() > createdMs) shown.set(month, await show(month))
  }
  for (const [month, statement] of shown) if (statement.final) expect(await show(month)).toEqual(statement)

  let [used, added] = [0, 0]
  for (const [month, book] of books) {
    const statement = await show(month)
    const lines = statement.data as {
      line: string
      key: string
      api: string
      credits: number
      plan: string
    }[]
    const usage = lines.filter(({ line }) => line === "usage")
    expect({
      ...{ seed, month, granted: statement.granted, adjusted: statement.adjusted },
      renewals: lines.filter(({ line }) => line === "renewal").length,
      moves: lines.filter(({ line }) => line === "plan_change").map((line) => line.plan),
      used: Object.fromEntries(usage.map(({ key, api, credits }) => [`${key} ${api}`, credits])),
      sum: usage.reduce((sum, { credits }) => sum + credits, 0),
    }).toEqual({ seed, month, ...book, sum: Number(statement.used) })
    used += Number(statement.used)
    added += Number(statement.granted) + Number(statement.adjusted)
  }
  const account = await admin.parts.admin.findAccount(id)
  const query = { accountIds: [id], fromDay: "2025-01-01", toDay: "2026-12-31", by: [] } as const
  const { sums } = await admin.parts.admin.usage(query, { limit: 10, after: null })
  const booked = sums.reduce((sum, { credits }) => sum + credits, 0)
  // All that was used was paid by months or by the bonus, and what was added to the bonus and not used is left.
  expect([seed, used, added - (used - fromMonths)]).toEqual([seed, booked, account?.bonus ?? -1])
  expect([account?.bonus, account?.used, account?.debt]).toEqual([balance.bonus, balance.used, 0])
}
