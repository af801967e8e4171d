/** Sums of usage can be divided by these columns. */
export type UsageColumn = "account" | "key" | "day" | "api"

/** The usage that is summed up, and how the sums are divided. */
export interface UsageQuery {
  /** UTC days, `YYYY-MM-DD`, both included. */
  readonly fromDay: string
  readonly toDay: string
  /** Without accounts, `by` may name no key. */
  readonly accountIds?: readonly string[] | undefined
  /** Only with its account. */
  readonly keyId?: string | undefined
  readonly api?: string | undefined
  /** Only deprecated items, such as `hmac:api` in the column `api`. Otherwise only the usage of APIs. */
  readonly deprecated?: boolean | undefined
  /** The columns that divide the sums. `key` needs `account` too. */
  readonly by: readonly UsageColumn[]
}

/** A sum of usage. Columns that it is not divided by are empty; the key is also empty for usage that was recorded without one. */
export interface UsageSum {
  readonly account: string
  readonly key: string
  readonly day: string
  readonly api: string
  readonly calls: number
  readonly credits: number
}

/** The place of a sum in the order of sums: account, key, newest day first, API. */
export type UsagePlace = readonly [account: string, key: string, day: string, api: string]

/** A part of the sums of a query. */
export interface UsagePage {
  readonly sums: readonly UsageSum[]
  /** Where the next page begins after; null at the end. A page may have fewer sums than its limit, or none, and be followed. */
  readonly next: UsagePlace | null
}
