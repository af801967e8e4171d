import { Database } from "bun:sqlite"
import { writeFileSync } from "node:fs"
import { createProgramAccounts } from "../../src/admin/program-accounts.ts"
import { loadConfig } from "../../src/config/load.ts"
import { systemClock } from "../../src/ports/clock.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { keepAliveTimer } from "../../src/ports/timer.ts"
import { isPostgresUrl, openStore } from "../../src/store/open.ts"
import type { Finding } from "../findings.ts"
import { query } from "./database.ts"
import type { Call, Customer } from "./traffic.ts"
import { none } from "./trial.ts"

/** The plans of the trials. `ample` has more credits than a trial spends, of a limited number, so that each charge compares. */
const plans: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  ample: { monthly_credits: 1_000_000_000 },
  scarce: { monthly_credits: 300 },
  limit600: { monthly_credits: 1_000_000_000, requests_per_minute: 600 },
  limit6000: { monthly_credits: 1_000_000_000, requests_per_minute: 6_000 },
  limit60000: { monthly_credits: 1_000_000_000, requests_per_minute: 60_000 },
}

/** Writes the configuration of the instances. */
export function writePlans(file: string): void {
  const tables = Object.entries(plans).map(([name, plan]) =>
    [`[plans.${name}]`, ...Object.entries(plan).map(([setting, value]) => `${setting} = ${value}`)].join(
      "\n",
    ),
  )
  writeFileSync(file, tables.join("\n"))
}

/** Makes accounts on a plan, with one key each. */
export async function createCustomers(
  url: string,
  count: number,
  plan: string,
): Promise<readonly Customer[]> {
  const config = loadConfig({ flags: { db: url }, env: {}, file: { name: "plans", values: { plans } } })
  const ports = { timer: keepAliveTimer, clock: systemClock, random: systemRandom }
  const opened = await openStore(url, ports)
  try {
    const accounts = createProgramAccounts({
      ...opened,
      ...ports,
      auditRandom: systemRandom,
      plans: config.plans,
      prices: new Map(),
    })
    const made: Customer[] = []
    for (let number = 0; number < count; number++) {
      const { id } = await accounts.create(`exactness ${number}`, plan)
      const { id: keyId, key } = await accounts.createKey({ accountId: id })
      made.push({ id, keyId, key })
    }
    return made
  } finally {
    await opened.store.close()
  }
}

const selectBooks =
  "SELECT account_id AS id, CAST(sum(credits) AS double precision) AS credits FROM all_usage GROUP BY account_id"

/**
 * Reads the credits that were charged to each account since it exists, beside the instances. Waits first until no statement of
 * an instance runs.
 * @param url of a database, or a data file
 */
export async function readBooks(url: string): Promise<ReadonlyMap<string, number>> {
  if (!isPostgresUrl(url)) {
    using file = new Database(url, { readonly: true })
    return toBooks(file.query<BookRow, []>(selectBooks).all())
  }
  for (;;) {
    const [row] = await query<{ busy: number }>(
      url,
      `SELECT count(*)::integer AS busy FROM pg_stat_activity
       WHERE state = 'active' AND application_name LIKE 'penknife%' AND pid <> pg_backend_pid()`,
    )
    if (row?.busy === 0) break
    await Bun.sleep(10)
  }
  return toBooks(await query<BookRow>(url, selectBooks))
}

interface BookRow {
  readonly id: string
  readonly credits: number
}

const toBooks = (rows: readonly BookRow[]): ReadonlyMap<string, number> =>
  new Map(rows.map(({ id, credits }) => [id, credits]))

/** The agreement of answers and charges. */
export interface Comparison {
  readonly answered: number
  readonly booked: number
  /** Credits of calls under way at a fault that may have been charged although they did not succeed. */
  readonly uncertain: number
  /** Credits of successful answers that were not charged. */
  readonly unpaid: number
  /** Credits charged beyond what was answered or uncertain. */
  readonly unexplained: number
}

/**
 * Compares, account by account.
 * @param begunMs when the fault had begun: a later call whose answer is a 503 must not be charged, whatever the answer says
 */
export function compare(
  calls: readonly Call[],
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  begunMs: number,
): Comparison {
  const total = { answered: 0, booked: 0, uncertain: 0, unpaid: 0, unexplained: 0 }
  for (const [id, ofAccount] of Map.groupBy(calls, ({ customer }) => customer.id)) {
    // The client sends a call again when a kept connection breaks, and tells then that the new one was refused.
    const mayBeBooked = ofAccount.filter(
      ({ isUncertain, status, startMs }) =>
        (isUncertain && status === null) || ((isUncertain || status === null) && startMs <= begunMs),
    )
    const answered = sum(ofAccount.map(({ credits }) => credits))
    const uncertain = sum(mayBeBooked.map(({ cost }) => cost))
    const booked = (after.get(id) ?? 0) - (before.get(id) ?? 0)
    total.answered += answered
    total.uncertain += uncertain
    total.booked += booked
    total.unpaid += Math.max(0, answered - booked)
    total.unexplained += Math.max(0, booked - answered - uncertain)
  }
  return total
}

export const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0)

/** The findings that must hold however a trial charges: no answer without its charge, and no charge without a call for it. */
export function chargeFindings(
  results: readonly Pick<Comparison, "unpaid" | "unexplained">[],
  prefix = "",
): readonly Finding[] {
  const total = (name: "unpaid" | "unexplained") => sum(results.map((result) => result[name]))
  return [
    none(`${prefix}credits answered and not booked`, total("unpaid")),
    none(`${prefix}credits booked beyond answered + under way`, total("unexplained")),
  ]
}
