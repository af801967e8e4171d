import type { AdjustmentRecord } from "../../store/adjustments.ts"
import type { AdminStore } from "../../store/admin-reads.ts"
import type { AccountDetails, AuditRecord } from "../../store/admin-store.ts"
import { sumCredits } from "../../store/store.ts"
import type { UsageSum } from "../../store/usage-types.ts"
import { toIso } from "../../values/time-text.ts"
import { hasField, readAccountRecords, recordedText } from "../audit/record.ts"
import { readAllRows } from "../pages.ts"
import { isOver, type Month, renewalsIn } from "./month.ts"
import { readTerms, type StatementParts, type TermsOf } from "./plan-terms.ts"
import { lineOf, type Statement, type StatementLine } from "./statement-schema.ts"

/** Accounts whose statements are read at once, at most. */
export const accountsAtOnce = 100
/** Accounts whose rows are in memory at once. One may have thousands. */
const accountsTogether = 8

/**
 * Statements of accounts for a month, in their order: of the present state, or once it is over, of rows that never change.
 */
export async function readStatements(
  accounts: readonly AccountDetails[],
  month: Month,
  parts: StatementParts,
): Promise<readonly Statement[]> {
  if (accounts.length === 0) return []
  const termsOf = await readTerms(month, parts)
  const made: Statement[] = []
  for (let first = 0; first < accounts.length; first += accountsTogether) {
    const nowMs = parts.clock.now()
    const sources = await readSources(accounts.slice(first, first + accountsTogether), month, parts)
    made.push(...sources.map((source) => toStatement(source, month, nowMs, termsOf)))
  }
  return made
}

/** The data of an account's statement. */
interface StatementSource {
  readonly account: AccountDetails
  /** The audit records since the start of the month, oldest first. */
  readonly records: readonly AuditRecord[]
  /** The adjustments of the month, oldest first. */
  readonly entries: readonly AdjustmentRecord[]
  /** Sums by key and API. */
  readonly usage: readonly UsageSum[]
  /** The present names of the keys that were used; other accounts' keys may be there, too. */
  readonly keyNames: ReadonlyMap<string, string>
}

async function readSources(accounts: readonly AccountDetails[], month: Month, { admin }: StatementParts) {
  const ids = accounts.map(({ id }) => id)
  const [records, entries, usage] = await Promise.all([
    readAccountRecords(ids, month.startMs, admin),
    readEntries(ids, month, admin),
    readSums(ids, month, admin),
  ])
  const keyNames = await namesOf(usage, admin)
  const recordsBy = Map.groupBy(records, ({ targetId }) => targetId)
  const entriesBy = Map.groupBy(entries, ({ accountId }) => accountId)
  const usageBy = Map.groupBy(usage, (sum) => sum.account)
  return accounts.map((account) => ({
    account,
    records: recordsBy.get(account.id) ?? [],
    entries: entriesBy.get(account.id) ?? [],
    usage: usageBy.get(account.id) ?? [],
    keyNames,
  }))
}

function toStatement(
  { account, records, entries, usage, keyNames }: StatementSource,
  month: Month,
  nowMs: number,
  termsOf: TermsOf,
): Statement {
  const { id } = account
  const { name, externalId, closedMs } = isOver(month, nowMs) ? atEndOf(month, account, records) : account
  const planAt = timelineOf(account, records)
  const priceOf = (plan: string) => termsOf(plan).price
  const creditsOf = (plan: string) => termsOf(plan).monthlyCredits
  const plan = planAt(month.endMs - 1)
  const inMonth = (ms: number) => ms >= month.startMs && ms < month.endMs
  const renewals = [
    // A move at the moment at which a credit month begins comes after it.
    ...renewalsIn({ createdMs: account.createdMs, closedMs }, month, nowMs).map(
      (atMs) => [atMs, planAt(atMs - 1)] as const,
    ),
    ...records
      .filter(({ operation }) => operation === "credits.renew")
      .map(({ atMs }) => [atMs, planAt(atMs)] as const),
  ]
  const timed: (readonly [atMs: number, line: StatementLine])[] = [
    ...renewals.flatMap(([atMs, planThen]) => {
      if (!inMonth(atMs)) return []
      const credits = creditsOf(planThen)
      const given = { plan: planThen, price: priceOf(planThen), monthly_credits: credits, credits }
      return [[atMs, lineOf({ line: "renewal", ...given })] as const]
    }),
    ...records.flatMap((record) => {
      const move = moveOf(record)
      if (move === null || !inMonth(record.atMs)) return []
      const { from, to } = move
      const before = { previous_plan: from, previous_monthly_credits: creditsOf(from) }
      const after = { plan: to, price: priceOf(to), monthly_credits: creditsOf(to) }
      return [[record.atMs, lineOf({ line: "plan_change", ...before, ...after })] as const]
    }),
    ...entries.map((entry) => {
      const { id: entryId, kind, credits, reason, reference, undoes } = entry
      return [entry.atMs, lineOf({ line: kind, id: entryId, credits, reason, reference, undoes })] as const
    }),
  ]
  const used = usage.map(({ key, api, calls, credits }) =>
    lineOf({ line: "usage", key, key_name: keyNames.get(key) ?? null, api, calls, credits }),
  )
  const isAdded = ({ kind }: AdjustmentRecord) => kind === "grant" || kind === "sign_up"
  return {
    account: id,
    name,
    external_id: externalId,
    month: month.name,
    from: toIso(month.startMs),
    to: toIso(month.endMs),
    final: isOver(month, nowMs),
    plan,
    price: priceOf(plan),
    granted: sumCredits(entries.filter(isAdded)),
    adjusted: sumCredits(entries.filter((entry) => !isAdded(entry))),
    used: sumCredits(usage),
    calls: usage.reduce((sum, { calls }) => sum + calls, 0),
    lines: [
      ...timed.sort(([a], [b]) => a - b).map(([atMs, line]) => ({ ...line, at: toIso(atMs) })),
      ...used,
    ],
  }
}

/** The account's state at the end of a month, worked out from the records since its start. */
function atEndOf(
  { startMs, endMs }: Month,
  { name, externalId, closedMs }: AccountDetails,
  records: readonly AuditRecord[],
): Pick<AccountDetails, "name" | "externalId" | "closedMs"> {
  const later = records.filter(({ atMs }) => atMs >= endMs)
  const changed = (field: string) => later.find(({ before }) => hasField(before, field))
  const [named, referred] = [changed("name"), changed("external_id")]
  const reopens = (record: AuditRecord) => record.operation === "accounts.reopen"
  const closes = (record: AuditRecord) => record.operation === "accounts.close"
  const next = later.find((record) => reopens(record) || closes(record))
  const closing = records.findLast((record) => record.atMs < endMs && closes(record))
  return {
    name: named ? (recordedText(named.before, "name") ?? name) : name,
    externalId: referred ? recordedText(referred.before, "external_id") : externalId,
    // An account that is reopened later was closed in this month, or before it.
    closedMs: next === undefined ? closedMs : reopens(next) ? (closing?.atMs ?? startMs - 1) : null,
  }
}

/** The plan at a time, as the records since the start of the month tell it. */
function timelineOf({ plan }: AccountDetails, records: readonly AuditRecord[]): (ms: number) => string {
  const moves = records.flatMap((record) => {
    const move = moveOf(record)
    return move === null ? [] : [{ atMs: record.atMs, from: move.from }]
  })
  return (ms) => moves.find(({ atMs }) => atMs > ms)?.from ?? plan
}

/** The plans between which an account was moved; null for any other record. */
function moveOf({ before, after }: AuditRecord): { readonly from: string; readonly to: string } | null {
  const [from, to] = [recordedText(before, "plan"), recordedText(after, "plan")]
  return from === null || to === null || from === to ? null : { from, to }
}

/** The adjustments of a month, oldest first. */
function readEntries(accountIds: readonly string[], { startMs, endMs }: Month, admin: AdminStore) {
  // The place is before every entry of that time.
  return readAllRows((page) => admin.adjustments({ accountIds, fromMs: startMs }, page), [endMs, ""])
}

/** The usage of a month, by account, key and API. */
async function readSums(accountIds: readonly string[], { firstDay, lastDay }: Month, admin: AdminStore) {
  const query = { accountIds, fromDay: firstDay, toDay: lastDay, by: ["account", "key", "api"] } as const
  const { sums } = await admin.usage(query, { limit: Number.MAX_SAFE_INTEGER, after: null })
  return sums
}

/** The names of the keys that were used. */
async function namesOf(usage: readonly UsageSum[], admin: AdminStore): Promise<ReadonlyMap<string, string>> {
  const named = await admin.keyNames([...new Set(usage.map(({ key }) => key))])
  return new Map(named.map(({ id, name }) => [id, name]))
}
