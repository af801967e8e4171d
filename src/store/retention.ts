import { dayMs, toDay, toStart } from "../values/time-text.ts"
import { readAccountIds } from "./account-pages.ts"
import type { Run } from "./rows.ts"

export { dayMs, toDay, toStart }

/**
 * Deletes and adds up what is older than is kept, in small steps. Several processes may do so at the same time. Times are
 * milliseconds since the Unix epoch. Every method may reject with StoreUnavailable.
 */
export interface Retention extends ReturnType<typeof prepareRetentionMarks> {
  /** How long a step should take, milliseconds. */
  readonly stepMs: number
  /** Whether there is room for what a step writes. A data file's log is emptied only when no process reads it. */
  hasRoom(): boolean
  /**
   * Deletes at most `limit` notices that were raised before a time, with their attempts, and as many mails. Notices and mails
   * that wait stay. Returns how many rows there were.
   */
  deleteNotices(beforeMs: number, limit: number): Promise<number>
  /** Deletes at most `limit` Idempotency-Keys of calls that were kept for long enough. Returns how many. */
  deleteReplays(nowMs: number, limit: number): Promise<number>
  /** Adds at most about `limit` rows of usage before a day to those of their months. */
  foldUsage(beforeDay: string, place: string, limit: number): Promise<PassStep>
  /** Deletes at most about `limit` rows of charges by account before a time. */
  deleteCredits(beforeMs: number, place: string, limit: number): Promise<PassStep>
  /** Whether this user of a database may delete audit records. Services may not. */
  mayDeleteAudit(): Promise<boolean>
  /** Deletes at most `limit` audit records before `auditFromMs` that no statement needs. Returns how many. */
  deleteAudit(limit: number): Promise<number>
}

/** A step of a pass over all accounts, which begins at the place `""`. */
export interface PassStep {
  /** Rows that were deleted. */
  readonly rows: number
  /** Where the next step begins; null at the end. */
  readonly next: string | null
}

/** The marks by which the processes on a store agree, in its table `meta`. */
export function prepareRetentionMarks({ read, write }: Readonly<Record<"read" | "write", Run>>) {
  async function find(name: keyof typeof marks): Promise<number | null> {
    const select = "SELECT value::float8 AS value FROM meta WHERE name = $1::text"
    const [row] = await read<{ value: number }>(select, [marks[name]])
    return row?.value ?? null
  }
  /** Returns whether the value was another one. */
  async function set(name: keyof typeof marks, value: number, condition: string): Promise<boolean> {
    const rows = await write(
      `INSERT INTO meta (name, value) VALUES ($1::text, $2::bigint)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE meta.value ${condition} excluded.value RETURNING value`,
      [marks[name], value],
    )
    return rows.length > 0
  }
  const findDay = async (name: keyof typeof marks) => {
    const ms = await find(name)
    return ms === null ? null : toDay(ms)
  }
  return {
    // A time in the future was written before the clock was set back.
    /** Takes the work of the hour that begins at a time for this process; false if another one has taken it. */
    takeHour: (startMs: number) => set("tidied", startMs, "<>"),
    /** Takes the scheduled backup of a time for this process; false if another one has taken it. */
    takeBackup: (slotMs: number) => set("backedUp", slotMs, "<>"),
    /** The first day whose usage is kept by day, `YYYY-MM-DD`; earlier usage is kept by month. Null if all is kept by day. */
    monthsUntil: () => findDay("monthsUntil"),
    /** Sets it to a later day, the first of a month. */
    setMonthsUntil: (day: string): Promise<unknown> => set("monthsUntil", Date.parse(day), "<"),
    /** The day up to which all usage was added to its month's; null for none. */
    foldedUntil: () => findDay("folded"),
    setFoldedUntil: (day: string): Promise<unknown> => set("folded", Date.parse(day), "<"),
    /** Audit records before this time may be deleted; null for none. */
    auditFromMs: () => find("auditFrom"),
    setAuditFromMs: (ms: number): Promise<unknown> => set("auditFrom", ms, "<"),
  }
}

/** The names in the table `meta`. The trigger of the audit log reads one of them. */
const marks = {
  tidied: "tidied_ms",
  backedUp: "backed_up_ms",
  monthsUntil: "usage_months_until_ms",
  folded: "usage_folded_until_ms",
  auditFrom: "audit_from_ms",
}

/** A table of usage by day, without its day. */
export interface DayTable {
  readonly name: string
  /** The columns that identify a row together with its day; the first is the account. */
  readonly of: readonly string[]
  readonly sums: readonly string[]
}

/** The usage of a month is kept under its first day. */
export const dayTables: readonly DayTable[] = [
  {
    name: "usage",
    of: ["account_id", "period_start_ms", "api"],
    sums: ["calls", "credits", "key_calls", "key_credits"],
  },
  { name: "key_usage", of: ["account_id", "key_id", "api"], sums: ["calls", "credits"] },
]

/** The condition of audit records that may be deleted. Statements of past months are made from the others. */
export const isDeletable =
  "operation NOT IN ('accounts.close', 'accounts.reopen', 'accounts.update', 'credits.renew')"

/** The condition of rows that are to be added to those of their month. */
export function isFoldable(beforeDay: string): string {
  return `day < ${beforeDay} AND substr(day, 9) <> '01'`
}

/** Adds the rows of a SELECT to those of their months. Sorted, so that two statements never wait for each other. */
export function addToMonths({ name, of, sums }: DayTable, from: string): string {
  const key = [...of, "day"].join(", ")
  const set = sums.map((column) => `${column} = ${name}.${column} + excluded.${column}`)
  const grouped = [...of, "day"].map((_, index) => index + 1).join(", ")
  return `INSERT INTO ${name} (${key}, ${sums.join(", ")})
    SELECT ${of.join(", ")}, substr(day, 1, 8) || '01', ${sums.map((column) => `sum(${column})`).join(", ")}
    FROM ${from} GROUP BY ${grouped} ORDER BY ${grouped}
    ON CONFLICT (${key}) DO UPDATE SET ${set.join(", ")}`
}

/**
 * Works on some accounts after a place. A step that reaches its limit stays at its place.
 * @param work gets the accounts, and returns how many rows it deleted
 */
export async function stepOverAccounts(
  read: Run,
  { place, limit }: { readonly place: string; readonly limit: number },
  work: (accountIds: readonly string[]) => Promise<number>,
): Promise<PassStep> {
  const ids = await readAccountIds(read, { id: place, isIncluded: false }, Math.ceil(limit / accountShare))
  const last = ids.at(-1)
  if (last === undefined) return { rows: 0, next: null }
  const rows = await work(ids)
  return { rows, next: rows < limit ? last : place }
}

/** An account is looked at for each so many rows of a step. */
const accountShare = 8
