import type { Condition, PageParts } from "./list-page.ts"

/** How a kind of store reads the lists of the administration. */
export interface ListParts extends PageParts {
  /** The columns of `accounts` that conditions use, and those that the order by name needs, too. */
  readonly accountColumns: { readonly usual: string; readonly byName: string }
  /** The names of accounts and of keys in small letters (A to Z), as an index has them. */
  readonly lowerName: { readonly accounts: string; readonly keys: string }
  /** A column whose texts are compared by their bytes. */
  readonly byBytes: (column: string) => string
  /** Selects {@link NoticeRecord}s. */
  readonly selectNotices: string
  /** The condition of accounts with a text in their name. The case of A to Z does not count; the text has small letters. */
  readonly nameContains: (text: string) => Condition
  /** The same in the words of an index; null without one. */
  readonly nameIndex: ((text: string) => Condition) | null
  /** The same for accounts whose id begins with the text. */
  readonly idBeginsWith: (text: string) => Condition
  /** The SQL that is true for closed accounts. */
  readonly isClosed: string
  /** The SQL for `mayBeNearLimitSinceMs` of AccountFilter. */
  readonly mayBeNearLimit: (sinceMs: string) => string
  /** Names an index of `ledger`, for a kind of store that has to be told. */
  readonly indexed: (name: string) => string
  /** The rows of the days in `ledger`, with columns account_id, day and key_id; the condition is added. */
  readonly openDays: string
}
