/** The conditions and orders of the lists of the administration. */

/**
 * A place in a list. `after` holds the sort columns of the last row of the page before, with a row's id as the last of them;
 * null starts at the beginning.
 */
export interface Page {
  readonly limit: number
  readonly after: readonly (string | number)[] | null
}

/** The texts that columns of the rows of a list have; all conditions hold. */
type Filter<Column extends string> = { readonly [Name in Column]?: string | undefined }

/** The accounts of a list; all conditions hold. */
export interface AccountFilter extends Filter<"plan" | "externalId" | "email"> {
  /** True for closed accounts, false for open ones. */
  readonly closed?: boolean | undefined
  /** A part of the name or the beginning of the id, in any case. */
  readonly search?: string | undefined
  /**
   * Only open accounts whose stored month began after this time, and in which a threshold was reached or the plan was changed. No
   * other account has used so much of the month; of these, an account may have a larger plan now, or a month that is over.
   */
  readonly mayBeNearLimitSinceMs?: number | undefined
  /** Start of the visible prefix of one of its keys. */
  readonly keyPrefix?: string | undefined
}

/** The order of a list of accounts. Accounts with equal values are in the order of their ids. */
export type AccountOrder =
  | { readonly by: "newest" | "oldest" | "name" }
  | { readonly by: "last_used" }
  /** Most used credits of the present month first. */
  | {
      readonly by: "used"
      /** Months that began at this time or before are over. */
      readonly surelyOverMs: number
      /** Months that began after this time are not over. */
      readonly perhapsOverMs: number
      /** Whether the stored month of an account is over. */
      isMonthOver(account: { readonly createdMs: number; readonly periodStartMs: number }): boolean
    }

/** The order of a list of keys; `last_used` is for the keys of one account. */
export type KeySort = "newest" | "oldest" | "name" | "last_used"

/** The keys of a list; all conditions hold. */
export interface KeyFilter extends Filter<"accountId" | "externalId"> {
  /** Start of the visible prefix, in ASCII. */
  readonly prefix?: string | undefined
  /** Start of the id, in ASCII. */
  readonly idPrefix?: string | undefined
  readonly state?:
    | { readonly name: "works" | "disabled" | "expired" | "revoked"; readonly nowMs: number }
    | undefined
}

/** A list whose rows are counted. */
export type CountedList =
  | {
      readonly list: "accounts"
      readonly filter: AccountFilter
      /** Counts only those that were created before this time. */
      readonly createdBeforeMs?: number
    }
  | { readonly list: "keys"; readonly filter: KeyFilter }
  | { readonly list: "notices"; readonly filter: NoticeFilter }
  | { readonly list: "audit"; readonly filter: AuditFilter }
  | { readonly list: "mails"; readonly filter: MailFilter }

/** The notices of a list; all conditions hold. A state is `mailed` instead of `unsent` if the notice has a mail. */
export type NoticeFilter = Filter<"accountId" | "state">
/** The mails of a list; all conditions hold. */
export type MailFilter = Filter<"accountId" | "recipient" | "state">
/** The attempts of a list, by their notice or its account. */
export type AttemptFilter = Filter<"noticeId" | "accountId">

/** The audit records of a list; all conditions hold. */
export interface AuditFilter extends Filter<"actor" | "operation" | "accountId"> {
  readonly targetIds?: readonly string[] | undefined
  readonly fromMs?: number | undefined
  /** Up to, but without this time. */
  readonly toMs?: number | undefined
}
