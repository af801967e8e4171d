import type { AdjustmentRecord } from "../../store/adjustments.ts"
import type { AccountDetails, AuditRecord } from "../../store/admin-store.ts"
import type { UsagePlace, UsageSum } from "../../store/usage-types.ts"
import { toIso } from "../../values/time-text.ts"
import { readAllRows, rowsAtOnce } from "../all-rows.ts"
import { readAccountRecords, recordedText } from "../audit/account-records.ts"
import type { AdminParts } from "../parts.ts"
import { isOver, type Month, renewalsIn } from "./month.ts"
import type { KeptLine, Statement } from "./statement-schema.ts"

/** What statements are made from. */
export type StatementParts = Pick<AdminParts, "admin" | "clock" | "plans">

/** The statement of an account for a month: the one that was written when the month was over, or one of the present state. */
export async function readStatement(
  account: AccountDetails,
  month: Month,
  parts: StatementParts,
): Promise<Statement> {
  const { admin, clock } = parts
  const kept = await admin.findStatement(account.id, month.name)
  if (kept !== null) return fromText(kept)
  const statement = await makeStatement(account, month, parts)
  return statement.final ? keepStatement(statement, month, parts, clock.now()) : statement
}

/** Writes a statement that is final, and returns the one that is kept: another process may have been first. */
export async function keepStatement(
  statement: Statement,
  { name }: Month,
  { admin }: StatementParts,
  writtenMs: number,
): Promise<Statement> {
  const body = JSON.stringify(statement)
  return fromText(await admin.keepStatement({ accountId: statement.account, month: name, writtenMs, body }))
}

/** Statements that an earlier version wrote lack some fields of their lines. */
function fromText(text: string): Statement {
  const { lines, ...head }: Statement = JSON.parse(text)
  return { ...head, lines: lines.map(lineOf) }
}

/** Makes the statement of an account from what is stored. */
export async function makeStatement(
  account: AccountDetails,
  month: Month,
  parts: StatementParts,
): Promise<Statement> {
  const { clock, plans } = parts
  const { id, name, externalId } = account
  const nowMs = clock.now()
  const [records, entries, usage] = await Promise.all([
    readAccountRecords(id, month.startMs, parts.admin),
    readEntries(id, month, parts),
    readSums(id, month, parts),
  ])
  const planAt = timelineOf(account, records)
  const keyNames = await namesOf(usage, parts)
  const priceOf = (plan: string) => plans.get(plan)?.price ?? null
  const creditsOf = (plan: string) => plans.get(plan)?.monthlyCredits ?? null
  const plan = planAt(month.endMs - 1)
  const inMonth = (ms: number) => ms >= month.startMs && ms < month.endMs
  const renewals = [
    // A move at the moment at which a credit month begins comes after it.
    ...renewalsIn(account, month, nowMs).map((atMs) => [atMs, planAt(atMs - 1)] as const),
    ...records
      .filter(({ operation }) => operation === "credits.renew")
      .map(({ atMs }) => [atMs, planAt(atMs)] as const),
  ]
  const timed: (readonly [atMs: number, line: KeptLine])[] = [
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
    granted: sumOf(entries.filter(isAdded)),
    adjusted: sumOf(entries.filter((entry) => !isAdded(entry))),
    used: sumOf(usage),
    calls: usage.reduce((sum, { calls }) => sum + calls, 0),
    lines: [
      ...timed.sort(([a], [b]) => a - b).map(([atMs, line]) => ({ ...line, at: toIso(atMs) })),
      ...used,
    ],
  }
}

/** Whether something happened in the month, or it costs something: such statements are written without being asked for. */
export function isWorthKeeping({ price, lines }: Statement): boolean {
  return price !== null || lines.some(({ line }) => line !== "renewal")
}

const noLine = {
  id: null,
  at: null,
  plan: null,
  price: null,
  monthly_credits: null,
  previous_plan: null,
  previous_monthly_credits: null,
  key: null,
  key_name: null,
  api: null,
  calls: null,
  credits: null,
  reason: null,
  reference: null,
  undoes: null,
}

function lineOf(given: Partial<KeptLine> & Pick<KeptLine, "line">): KeptLine {
  return { ...noLine, ...given }
}

function sumOf(rows: readonly { readonly credits: number }[]): number {
  return rows.reduce((sum, { credits }) => sum + credits, 0)
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
async function readEntries(
  accountId: string,
  { startMs, endMs }: Month,
  { admin }: StatementParts,
): Promise<readonly AdjustmentRecord[]> {
  const found = await readAllRows(
    async (page) => {
      const entries = await admin.adjustments(accountId, page)
      return entries.filter(({ atMs }) => atMs >= startMs)
    },
    ({ atMs, id }) => [atMs, id],
    // Before every entry of that time.
    [endMs, ""],
  )
  return found.toReversed()
}

/** What was used in a month, by key and API. */
async function readSums(
  accountId: string,
  { firstDay, lastDay }: Month,
  { admin }: StatementParts,
): Promise<readonly UsageSum[]> {
  const query = { accountId, fromDay: firstDay, toDay: lastDay, by: ["key", "api"] } as const
  const found: UsageSum[] = []
  for (let after: UsagePlace | null = null; ; ) {
    const { sums, next } = await admin.usage(query, { limit: rowsAtOnce, after })
    found.push(...sums)
    if (next === null) return found
    after = next
  }
}

/** The names of the keys that were used. */
async function namesOf(
  usage: readonly UsageSum[],
  { admin }: StatementParts,
): Promise<ReadonlyMap<string, string>> {
  if (usage.length === 0) return new Map()
  const named = await admin.keyNames([...new Set(usage.map(({ key }) => key))])
  return new Map(named.map(({ id, name }) => [id, name]))
}
