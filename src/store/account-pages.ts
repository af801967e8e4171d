import type { Run } from "./rows.ts"

/** Reads ids of accounts in the order of the store, from one on or after it. */
export async function readAccountIds(
  read: Run,
  { id, isIncluded }: { readonly id: string; readonly isIncluded: boolean },
  limit: number,
): Promise<readonly string[]> {
  const select = `SELECT account_id AS id FROM ledger WHERE account_id ${isIncluded ? ">=" : ">"} $1::text
    ORDER BY account_id LIMIT $2::bigint`
  return (await read<{ id: string }>(select, [id, limit])).map((row) => row.id)
}

/** A page of sums, which may have fewer than its limit, or none, and be followed. */
interface SumPage<Sum, Place> {
  readonly sums: readonly Sum[]
  /** Where the next page begins after; null at the end. */
  readonly next: Place | null
}

/** How a page of sums of all accounts is read. */
interface AccountPages<Sum, Place> {
  /** The account where the page begins; empty for the first one. */
  readonly from: string
  readonly limit: number
  /** Accounts that are read at once, and those that a page looks at. */
  readonly step: number
  readonly most: number
  /** Reads the sums of some accounts, in the order of the page. */
  readonly sumsOf: (accountIds: readonly string[]) => Promise<readonly Sum[]>
  readonly placeOf: (sum: Sum) => Place
  /** The place after everything of an account. */
  readonly endOf: (accountId: string) => Place
}

/**
 * Reads a page of sums of all accounts in steps of some accounts, until it is full or enough of them were looked at: so each step
 * and each page takes a bounded time.
 */
export async function readOverAccounts<Sum, Place>(
  read: Run,
  { from: first, limit, step, most, sumsOf, placeOf, endOf }: AccountPages<Sum, Place>,
): Promise<SumPage<Sum, Place>> {
  const found: Sum[] = []
  let from = { id: first, isIncluded: true }
  for (let seen = 0; ; ) {
    const ids = await readAccountIds(read, from, step)
    const last = ids.at(-1)
    if (last === undefined) return cutPage(found, limit, placeOf)
    found.push(...(await sumsOf(ids)))
    seen += ids.length
    if (found.length > limit || seen >= most) return cutPage(found, limit, placeOf, endOf(last))
    from = { id: last, isIncluded: false }
  }
}

/** @param next where to go on when all sums fit in the page */
export function cutPage<Sum, Place>(
  sums: readonly Sum[],
  limit: number,
  placeOf: (sum: Sum) => Place,
  next: Place | null = null,
): SumPage<Sum, Place> {
  if (sums.length <= limit) return { sums, next }
  const shown = sums.slice(0, limit)
  const last = shown.at(-1)
  return { sums: shown, next: last === undefined ? null : placeOf(last) }
}
