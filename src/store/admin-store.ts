import type { AdjustMutation, CreditsStore } from "./adjustments.ts"
import type { EmailLink, EmailLinkLimits } from "./email-link.ts"
import type {
  AccountFilter,
  AccountOrder,
  AttemptFilter,
  AuditFilter,
  CountedList,
  KeyFilter,
  KeySort,
  NoticeFilter,
  Page,
} from "./list-filters.ts"
import type { MailReads, NewMail } from "./mails.ts"
import type { AttemptRecord, NoticeRecord, Webhook } from "./outbox.ts"
import type { PeopleMutation, PeopleReads, PersonRecord } from "./people.ts"
import type { AccountRecord, KeyRecord, SecretRecord } from "./store.ts"
import type { UsagePage, UsageQuery } from "./usage-types.ts"

export type { EmailLink, EmailLinkLimits } from "./email-link.ts"
export { type MailRecord, mailIdOf, mailStates, mailTemplates } from "./mails.ts"
export type { Page }

/**
 * The reads and changes of the administration, in the same database as the store. Every method may reject with StoreUnavailable.
 */
export interface AdminStore extends CreditsStore, PeopleReads, MailReads {
  /** Applies a change in one transaction: all its mutations, its audit records and its replay record, or nothing of them. */
  apply(change: AdminChange): Promise<AdminOutcome>

  findAccount(id: string): Promise<AccountDetails | null>
  /** Finds those of some normalised e-mail addresses and external ids that an account has, open or closed. */
  findTaken(asked: TakenTexts): Promise<TakenTexts>
  /** The account with a normalised e-mail address, open or closed. */
  findAccountByEmail(email: string): Promise<AccountDetails | null>
  /** Accounts in an order; the oldest first by default. */
  accounts(filter: AccountFilter, page: Page, order?: AccountOrder): Promise<readonly AccountDetails[]>
  /** The names of some accounts, in any order; unknown ones are left out. */
  accountNames(ids: readonly string[]): Promise<readonly NameOfId[]>
  /** Each plan that an account has, closed ones included. */
  planNames(): Promise<readonly string[]>
  /** How many open accounts have each plan, by the plan's name. It looks at every account. */
  plansInUse(): Promise<readonly { readonly plan: string; readonly accounts: number }[]>
  findKey(id: string): Promise<KeyDetails | null>
  /** The key of a current or earlier secret, by the secret's hash. `secretUntilMs` is null for the current secret. */
  findKeyByHash(
    hash: string,
  ): Promise<{ readonly key: KeyDetails; readonly secretUntilMs: number | null } | null>
  /** The hash of a key's current secret; null for an unknown key. */
  findSecretHash(keyId: string): Promise<string | null>
  /** Keys in an order; the oldest first by default. */
  keys(filter: KeyFilter, page: Page, sort?: KeySort): Promise<readonly KeyDetails[]>
  /** The last day with a call by each of some keys, `YYYY-MM-DD`. A key without calls is left out. */
  lastUses(
    keys: readonly Pick<KeyDetails, "id" | "accountId">[],
  ): Promise<readonly { readonly keyId: string; readonly day: string }[]>
  /** The names of some keys, in any order; unknown ones are left out. A key may have an empty name. */
  keyNames(ids: readonly string[]): Promise<readonly NameOfId[]>
  /** How many keys an account has, revoked ones included. */
  countKeys(accountId: string): Promise<number>
  /** Notices, newest first. */
  notices(filter: NoticeFilter, page: Page): Promise<readonly NoticeRecord[]>
  findNotice(id: string): Promise<NoticeRecord | null>
  /** Attempts to deliver notices, newest first: sorted by `atMs`, `noticeId` and `attempt`. */
  noticeAttempts(filter: AttemptFilter, page: Page): Promise<readonly AttemptRecord[]>

  findAdminKey(hash: string): Promise<AdminKeyRecord | null>
  findAdminKeyById(id: string): Promise<AdminKeyRecord | null>
  /** Admin keys in the order of creation. */
  adminKeys(page: Page): Promise<readonly AdminKeyRecord[]>
  /** Audit records, newest first. */
  audit(filter: AuditFilter, page: Page): Promise<readonly AuditRecord[]>
  /**
   * Counts the rows of a list. It ends soon after `most` rows were counted in an index, or a quarter as many looked at where no
   * index answers the filter; the count is not exact then.
   */
  countListed(
    asked: CountedList,
    most: number,
  ): Promise<{ readonly count: number; readonly isExact: boolean }>

  /**
   * From this day on usage is kept by day, before it by month: `YYYY-MM-DD`, the first of a month. Null if all is by day.
   */
  usageMonthsUntil(): Promise<string | null>
  /**
   * Sums of usage, by account, key, newest day first, and API. The day of usage that is kept by month is `YYYY-MM`. A query may
   * only ask for all days of such a month. With named accounts, a page has as many sums as its limit allows; their usage is read
   * at once.
   */
  usage(query: UsageQuery, page: Page): Promise<UsagePage>

  /** The link of a token's hash, until it is used or expires. */
  findSignInLink(hash: string): Promise<SignInLink | null>
  /** The link of a token's hash that was sent by e-mail, used or not, until some time after it expires. */
  findEmailLink(hash: string): Promise<EmailLink | null>
  /** An invitation by its id, unless it was used. */
  findInvitation(id: string): Promise<EmailLink | null>
  /** Invitations that were not used, expired ones included until they are deleted. Newest first. */
  invitations(page: Page): Promise<readonly EmailLink[]>
  /** The session of a cookie's hash, until it ends or expires. */
  findSession(hash: string): Promise<SessionRecord | null>
  /** Whether there is an admin key or a session of the console, or a link to the console was made. */
  hasAdmin(): Promise<boolean>

  /** People who were not removed, in the order of creation. */
  people(page: Page): Promise<readonly PersonRecord[]>
  /** A setting of the service, as JSON; null if no service has kept it. */
  findSetting(name: string): Promise<string | null>
  keepSetting(name: string, value: string): Promise<void>
  /** Keeps a setting that no service has kept yet, and returns the one that is kept: of two processes both get the same. */
  keepFirstSetting(name: string, value: string): Promise<string>

  findReplay(actor: string, key: string): Promise<ReplayRecord | null>
  /** Keeps the answer of a change for replays. */
  keepAnswer(actor: string, key: string, answer: string): Promise<void>
  /** Deletes at most `limit` replays that were made before a time, the oldest first, and returns how many there were. */
  deleteReplaysBefore(ms: number, limit: number): Promise<number>
  /** Deletes one replay, unless there is a newer one with its key. */
  forgetReplay(replay: Pick<ReplayRecord, "actor" | "key" | "createdMs">): Promise<void>
}

/** The name of what has an id. */
export interface NameOfId {
  readonly id: string
  readonly name: string
}

/** An account as the administration sees it. */
export interface AccountDetails extends AccountRecord {
  /** Rises with each change of the fields that `account.update` can set. */
  readonly version: number
  /** The operator's own id of the customer. Unique where it is set. */
  readonly externalId: string | null
  /** Whoever reads mail to it may sign in to the portal. Normalised, and unique where it is set, closed accounts included. */
  readonly email: string | null
  /** How it gets notices. */
  readonly notify: NotifyBy
  /** A JSON object. */
  readonly metadata: string
  /** Types of the events that the account's webhook gets besides `credits.threshold`. */
  readonly events: readonly string[]
  /** Credits that adjustments took below zero. Calls do not see it; later adjustments pay it first. */
  readonly debt: number
  /** The last day with a call, `YYYY-MM-DD`; empty without one. Absent from an account that was not read from the store. */
  readonly lastDay?: string
}

/** How an account gets notices: its webhook, mail to its address, or both. */
export const notifyChoices = ["webhook", "mail", "both", "none"] as const
export type NotifyBy = (typeof notifyChoices)[number]

/** Values that no two accounts may share. */
export interface TakenTexts {
  readonly emails: readonly string[]
  readonly externalIds: readonly string[]
}

/** A key as the administration sees it. */
export interface KeyDetails extends KeyRecord {
  /** Rises with each change of the key, also with a rotation. */
  readonly version: number
  /** Null while the key may be used. Unlike a revocation this can be taken back. */
  readonly disabledMs: number | null
  readonly externalId: string | null
  /** A JSON object. */
  readonly metadata: string
}

/** A key of the admin API, without its secret. */
export interface AdminKeyRecord {
  readonly id: string
  readonly name: string
  /** The first characters, for lists. */
  readonly prefix: string
  /** `*`, `keys.*` or `keys.read`, … */
  readonly permissions: readonly string[]
  readonly createdMs: number
  readonly expiresMs: number | null
  readonly revokedMs: number | null
}

/** The kinds of pages that someone signs in to with a browser. */
export type SessionKind = "console" | "portal"

/** A link that signs someone in to the console or the portal, once. The store keeps a hash of its token. */
export interface SignInLink {
  /** `lnk_…` */
  readonly id: string
  readonly kind: SessionKind
  /** Whose sessions it opens: the account's id, or the administrator as the audit log names them. */
  readonly owner: string
  /** A name to show with the id. */
  readonly name: string
  readonly permissions: readonly string[]
  /** The admin key without which it opens nothing; null when it needs none. */
  readonly adminKeyId: string | null
  /** The only account that it opens; null in the console. */
  readonly accountId: string | null
  readonly createdMs: number
  readonly expiresMs: number
}

/** Someone who is signed in with a browser. The store keeps a hash of the cookie. */
export interface SessionRecord extends Omit<SignInLink, "id"> {
  /** `ses_…` */
  readonly id: string
  /** The hash of the API key that opened it, and without which it ends; null when a link opened it. */
  readonly keyHash: string | null
  /** The passkey that opened it, and with which it ends; null when something else did. */
  readonly passkeyId: string | null
}

/** The changes of one operation. */
export interface AdminChange {
  readonly mutations: readonly Mutation[]
  readonly audit: AuditRecord
  /** Records of the single things that a change of many made, inserted before `audit`. */
  readonly auditParts?: readonly AuditRecord[]
  /** Null when the client sent no Idempotency-Key. */
  readonly replay: NewReplay | null
}

/** One change of one row. `version` is the version that the change was made for; another one there ends the whole change. */
export type Mutation =
  | { readonly kind: "account.insert"; readonly account: AccountDetails }
  | {
      readonly kind: "account.update"
      readonly id: string
      readonly version: number
      readonly set: Partial<
        Pick<
          AccountDetails,
          "name" | "plan" | "externalId" | "email" | "notify" | "metadata" | "closedMs" | "events"
        >
      >
    }
  | AdjustMutation
  /** Starts a new credit month with zero usage. */
  | {
      readonly kind: "account.renew"
      readonly id: string
      readonly createdMs: number
      readonly periodStartMs: number
    }
  /** Null removes the webhook, and pending notices are not sent. */
  | { readonly kind: "webhook.set"; readonly accountId: string; readonly webhook: Webhook | null }
  | { readonly kind: "key.insert"; readonly key: KeyDetails; readonly secret: SecretRecord }
  | {
      readonly kind: "key.update"
      readonly id: string
      readonly version: number
      readonly set: Partial<Omit<KeyDetails, "id" | "accountId" | "prefix" | "createdMs" | "version">>
    }
  /** Adds the new current secret. Earlier ones end at `othersUntilMs` or sooner. */
  | {
      readonly kind: "key.rotate"
      readonly id: string
      readonly version: number
      readonly secret: SecretRecord
      readonly othersUntilMs: number
    }
  | { readonly kind: "adminKey.insert"; readonly adminKey: AdminKeyRecord; readonly hash: string }
  | { readonly kind: "adminKey.revoke"; readonly id: string; readonly revokedMs: number }
  /** Ends the change with `tooMany` when the account has so many keys already that were neither revoked nor expired. */
  | { readonly kind: "keys.limit"; readonly accountId: string; readonly most: number; readonly nowMs: number }
  /** Expired links are deleted with each new one. */
  | { readonly kind: "link.insert"; readonly link: SignInLink; readonly hash: string }
  /** Ends the change with `missing` when the link was used, or is no longer valid at `nowMs`. */
  | { readonly kind: "link.use"; readonly hash: string; readonly nowMs: number }
  /**
   * Expired links are deleted with each new one. Ends the change with `tooMany` when one of the limits is reached; null for
   * none.
   */
  | {
      readonly kind: "emailLink.insert"
      readonly link: EmailLink
      /** The hash of the token that the link's maker gets; null if only the mail will have a token. */
      readonly hash: string | null
      readonly limits: EmailLinkLimits | null
    }
  /**
   * Marks a link as used. Ends the change with `missing` when it was used, or is no longer valid at `nowMs`. One that makes an
   * account ends all others that would make one with the same address.
   */
  | { readonly kind: "emailLink.use"; readonly hash: string; readonly nowMs: number }
  /** Takes an invitation back. Ends the change with `missing` when there is none that could be used. */
  | { readonly kind: "emailLink.revoke"; readonly id: string }
  /** With each new session, expired ones are deleted, and the oldest of an owner who would have more than `most`. */
  | {
      readonly kind: "session.insert"
      readonly session: SessionRecord
      readonly hash: string
      readonly most: number
    }
  /** Ends one session, or nothing when it has ended. */
  | { readonly kind: "session.end"; readonly id: string }
  /** Ends all sessions of an owner, and takes back the links that were not used, also those that were sent by e-mail. */
  | { readonly kind: "session.endAll"; readonly sessionKind: SessionKind; readonly owner: string }
  /** Lets a session depend on another text of an API key: the one that its key has from now on. */
  | { readonly kind: "session.bind"; readonly id: string; readonly keyHash: string }
  | PeopleMutation
  /** Makes a notice that was delivered, failed or not sent due again. */
  | { readonly kind: "notice.resend"; readonly id: string; readonly nowMs: number }
  /** A mail; `id` is made by the caller, and a second mail with it is ignored. */
  | { readonly kind: "mail.insert"; readonly mail: NewMail }
  /** A notice for an account's webhook; `id` is made by the caller, and a second notice with it is ignored. */
  | {
      readonly kind: "notice.insert"
      readonly id: string
      readonly accountId: string
      /** `key.created`, … */
      readonly type: string
      /** The `data` of the message, as JSON. */
      readonly data: string
      readonly nowMs: number
    }

/** The record of a change: the actor, the change and its source. Never holds a secret. */
export interface AuditRecord {
  /** `aud_…` */
  readonly id: string
  readonly atMs: number
  /** `admin-key:ID`, `person:ID`, `console:ID`, `portal:ID`, `cli:NAME` or `service`. */
  readonly actor: string
  /** A name to show with the id. */
  readonly actorName: string
  /** `keys.rotate`, … */
  readonly operation: string
  /** The target: the kind and id of one thing, and the account that this thing belongs to. */
  readonly targetKind: string
  readonly targetId: string
  readonly accountId: string | null
  /** The fields that changed, as JSON; null when there was nothing before or is nothing after. */
  readonly before: string | null
  readonly after: string | null
  /** Client address, or host name for the command line. */
  readonly source: string
  readonly requestId: string
}

/** Remembers that a change with this Idempotency-Key was made. */
export interface NewReplay {
  readonly actor: string
  readonly key: string
  /** SHA-256 of operation and input. */
  readonly payloadHash: string
  readonly createdMs: number
}

/** A change that was made with an Idempotency-Key. */
export interface ReplayRecord extends NewReplay {
  readonly operation: string
  readonly targetId: string
  /** JSON without secrets; null when the process ended before the answer was known. */
  readonly answer: string | null
}

/**
 * How a change ended. Unless it is `applied`, nothing was kept: `conflict` means that a row has another version, `missing` that
 * there is no such row, `taken` that an external id is used by another row, `replayed` that the Idempotency-Key was used before,
 * also by a change that ran at the same time, `noOwner` that nobody would have every permission any more.
 */
export type AdminOutcome =
  | "applied"
  | "conflict"
  | "missing"
  | "taken"
  | "tooMuch"
  | "tooLittle"
  | "tooMany"
  | "replayed"
  | "noOwner"
