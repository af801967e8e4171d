/**
 * Books of its own: a few plain maps that are told of each commit in the order of commits, and say what does not follow from
 * the commits before it. It shares no code with the ledger, the outbox and the administration.
 */
import type { AdminChange } from "../../src/store/admin-store.ts"
import type { ClaimOptions } from "../../src/store/outbox.ts"
import { AlreadyCharged, type Charge, type ChargeOutcome } from "../../src/store/store.ts"
import { Violation } from "./kernel.ts"

const dayMs = 86_400_000
/** A key that is over by the fastest clock may have been deleted. */
const fastestClockMs = 3_610_000

export interface Books {
  readonly id: string
  readonly createdMs: number
  isClosed: boolean
  periodMs: number
  used: number
  bonus: number
  /** All credits that were ever charged, by credit month and by calendar month of the day. */
  total: number
  readonly byPeriod: Map<string, number>
  readonly byMonth: Map<string, number>
  /** Bonus credits that were added or taken, by calendar month. */
  readonly adjusted: Map<string, number>
  notified: number
  readonly keys: Map<string, { credits: number; atMs: number; times: number }>
}

export type Model = ReturnType<typeof createModel>

/** The start of an account's credit month at a time: the nth begins n months after the account, on the last day if need be. */
export function monthStart(createdMs: number, nowMs: number): number {
  const created = new Date(createdMs)
  let found = createdMs
  for (let n = 1; n < 400; n++) {
    const [year, month] = [created.getUTCFullYear(), created.getUTCMonth() + n]
    const days = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
    const atMs = Date.UTC(year, month, Math.min(created.getUTCDate(), days)) + (createdMs % dayMs)
    if (atMs > nowMs) break
    found = atMs
  }
  return found
}

export function addTo<Key>(map: Map<Key, number>, key: Key, amount: number): void {
  map.set(key, (map.get(key) ?? 0) + amount)
}

export function createModel(thresholds: readonly number[]) {
  const accounts = new Map<string, Books>()
  /** Notices that must have been raised, by account, month and threshold. */
  const notices = new Map<string, { accountId: string; periodMs: number; threshold: number }>()
  /** Until when a notice or mail may not be claimed again; `over` once it was recorded as sent. */
  const leases = new Map<string, number | "over">()
  const buckets = new Map<string, { tokens: number; lastMs: number }>()
  const replays = new Map<string, number>()
  const usedLinks = new Set<string>()
  const emails = new Set<string>()

  function of(id: string): Books {
    const books = accounts.get(id)
    if (!books) throw new Violation(`books: there is no account ${id}`)
    return books
  }

  function add(id: string, createdMs: number, bonus: number): void {
    const maps = { byPeriod: new Map(), byMonth: new Map(), adjusted: new Map(), keys: new Map() }
    const numbers = { used: 0, bonus, total: 0, notified: 0 }
    accounts.set(id, { id, createdMs, isClosed: false, periodMs: createdMs, ...numbers, ...maps })
    if (bonus > 0) addTo(of(id).adjusted, monthName(createdMs), bonus)
  }

  function raise(books: Books, allowance: number | null): void {
    if (allowance === null) return
    const reached = thresholds.filter((percent) => allowance > 0 && books.used * 100 >= allowance * percent)
    for (const threshold of reached.filter((percent) => percent > books.notified))
      notices.set(`${books.id} ${books.periodMs} ${threshold}`, {
        ...{ accountId: books.id, periodMs: books.periodMs, threshold },
      })
    books.notified = Math.max(books.notified, ...reached)
    if (books.bonus === 0 && books.used >= allowance) books.notified = 100
  }

  return {
    ...{ accounts, notices, leases, of, add },
    /** Whether a change was made under an Idempotency-Key, `actor key`. */
    isMade: (name: string) => replays.has(name),

    /**
     * A charge was decided.
     * @param readings the times that the clock told while the charge was made
     */
    charged(charge: Charge, outcome: ChargeOutcome, readings: readonly number[], nowMs: number): void {
      const { idempotent, allowance, periodStartMs } = charge
      const books = of(charge.accountId)
      const credits = charge.items.reduce((sum, item) => sum + item.credits, 0)
      const about = `${charge.accountId} ${credits} of ${periodStartMs}, ${JSON.stringify(outcome)}`
      const month = (ms: number) => Math.max(books.periodMs, ms)
      const months = readings.map((ms) => month(monthStart(books.createdMs, ms)))
      if (periodStartMs !== 0 && !months.includes(month(periodStartMs)))
        throw new Violation(`month: ${about} is not the month of the clock`)
      if (books.isClosed) {
        if (outcome.charged) throw new Violation(`closed: ${about} is charged to a closed account`)
        return
      }
      const kept = idempotent ? books.keys.get(idempotent.keyHash) : undefined
      const wasCharged = !outcome.charged && outcome.cause instanceof AlreadyCharged
      if (kept && idempotent && kept.atMs > idempotent.nowMs - dayMs) {
        const mayBeOver = kept.atMs <= nowMs + fastestClockMs - dayMs
        if (!wasCharged && !mayBeOver) throw new Violation(`key: ${about} was charged under its key before`)
        if (!outcome.charged) return
      } else if (wasCharged) throw new Violation(`key: ${about} was not charged under its key before`)
      const isNew = periodStartMs > books.periodMs
      const used = isNew ? 0 : books.used
      const left = allowance === null ? Number.POSITIVE_INFINITY : Math.max(0, allowance - used)
      const fits = credits <= left + books.bonus
      if (!outcome.charged) {
        if (outcome.cause === undefined && fits) throw new Violation(`refused: ${about} although it fits`)
        return
      }
      if (!fits) throw new Violation(`below zero: ${about}, left are ${left} and ${books.bonus}`)
      if (isNew) Object.assign(books, { periodMs: periodStartMs, notified: 0 })
      const fromMonth = Math.min(credits, left)
      Object.assign(books, { used: used + fromMonth, bonus: books.bonus - credits + fromMonth })
      books.total += credits
      for (const item of charge.items) addTo(books.byPeriod, `${books.periodMs} ${item.api}`, item.credits)
      addTo(books.byMonth, charge.day.slice(0, 7), credits)
      if (idempotent)
        books.keys.set(idempotent.keyHash, { credits, atMs: idempotent.nowMs, times: (kept?.times ?? 0) + 1 })
      raise(books, allowance)
      const isSame = outcome.used === books.used && outcome.bonus === books.bonus
      if (!isSame || outcome.periodStartMs !== books.periodMs)
        throw new Violation(`outcome: ${about} must be ${books.used}, ${books.bonus}, ${books.periodMs}`)
    },

    /** A change of the administration was committed. */
    changed({ mutations, replay, audit }: AdminChange, nowMs: number): void {
      if (replay) {
        const name = `${replay.actor} ${replay.key}`
        const earlier = replays.get(name) ?? Number.NEGATIVE_INFINITY
        if (earlier > nowMs + fastestClockMs - dayMs)
          throw new Violation(
            `repeat: ${audit.operation} was made twice under the Idempotency-Key ${replay.key}`,
          )
        replays.set(name, replay.createdMs)
      }
      for (const one of mutations) {
        if (one.kind === "account.insert") {
          const { id, createdMs, bonus, email } = one.account
          if (email !== null && emails.has(email)) throw new Violation(`sign-up: ${email} has two accounts`)
          if (email !== null) emails.add(email)
          add(id, createdMs, bonus)
        }
        if (one.kind === "account.update" && one.set.closedMs !== undefined)
          of(one.id).isClosed = one.set.closedMs !== null
        if (one.kind === "account.update" && one.set.plan !== undefined)
          of(one.id).notified = Math.max(of(one.id).notified, 1)
        if (one.kind === "account.adjust") {
          const books = of(one.id)
          books.bonus += one.entry.credits
          if (books.bonus < 0) throw new Violation(`bonus: ${one.id} has ${books.bonus} credits`)
          addTo(books.adjusted, monthName(one.entry.atMs), one.entry.credits)
        }
        if (one.kind === "emailLink.use") {
          if (usedLinks.has(one.hash)) throw new Violation(`sign-up: the link ${one.hash} was used twice`)
          usedLinks.add(one.hash)
        }
      }
    },

    /** A call was counted against its limits, or refused. Any clock that moves forward fills a bucket. */
    taken(id: string, perMinute: number, isGranted: boolean, nowMs: number): void {
      const bucket = buckets.get(id) ?? { tokens: perMinute, lastMs: nowMs }
      const filled = bucket.tokens + (Math.max(0, nowMs - bucket.lastMs) * perMinute) / 60_000
      const tokens = Math.min(perMinute, filled) - (isGranted ? 1 : 0)
      buckets.set(id, { tokens, lastMs: nowMs })
      if (tokens < -0.01)
        throw new Violation(`rate: ${id} was granted ${(-tokens).toFixed(2)} calls too many`)
    },

    /** A notice or a mail was leased. */
    claimed(id: string, { nowMs, leaseMs, maxWaitMs }: Omit<ClaimOptions, "busyHosts">): void {
      const lease = leases.get(id)
      if (lease === "over") throw new Violation(`claim: ${id} was claimed after it was recorded as sent`)
      if (lease !== undefined && lease > nowMs && lease <= nowMs + maxWaitMs)
        throw new Violation(`claim: ${id} was claimed ${lease - nowMs} ms before its lease ends`)
      leases.set(id, nowMs + leaseMs)
    },

    /** An attempt to send it was recorded. */
    recorded(id: string, kind: string): void {
      if (kind !== "retry") leases.set(id, "over")
      else if (leases.get(id) !== "over") leases.delete(id)
    },

    /** A claim whose time is long past takes all leases for misdated, and gives them up. */
    giveUpLeases(): void {
      for (const [id, lease] of leases) if (lease !== "over") leases.delete(id)
    },
  }
}

/** The calendar month of a time, `YYYY-MM`. */
const monthName = (ms: number): string => new Date(ms).toISOString().slice(0, 7)
