import type { AdjustmentRecord } from "./adjustments.ts"
import type { Page } from "./list-filters.ts"
import type { NewMail } from "./mails.ts"
import type { NoticeRecord, Webhook } from "./outbox.ts"
import type { PeopleMutations } from "./people.ts"
import type { AccountRecord, KeyRecord, SecretRecord } from "./store.ts"

export { type MailRecord, mailIdOf, mailStates, mailTemplates } from "./mails.ts"
export type { Page }

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
  /** Null or absent if the client sent no Idempotency-Key. */
  readonly replay?: NewReplay | null
}

/** One change of one row. */
export type Mutation = {
  [Kind in keyof Mutations]: Readonly<{ kind: Kind } & Mutations[Kind]>
}[keyof Mutations]

/**
 * The fields of each kind of mutation. `version` is the version that the change was made for; another one there ends the whole
 * change.
 */
interface Mutations extends PeopleMutations {
  "account.insert": { account: AccountDetails }
  "account.update": { id: string; version: number; set: AccountUpdate }
  /**
   * Changes the bonus of the account with an id. Ends the change with `tooMuch` when the bonus would exceed `maxBonus`, with
   * `tooLittle` when credits are taken and it would be below zero, or below `-maxBonus` if the account may owe credits, and with
   * `conflict` when there is an entry with its reference, or one that undoes the same.
   */
  "account.adjust": {
    id: string
    entry: Omit<AdjustmentRecord, "undoneBy">
    maxBonus: number
    mayOwe: boolean
  }
  /** Starts a new credit month with zero usage. */
  "account.renew": { id: string; createdMs: number; periodStartMs: number }
  /** Null removes the webhook, and pending notices are not sent. */
  "webhook.set": { accountId: string; webhook: Webhook | null }
  "key.insert": { key: KeyDetails; secret: SecretRecord }
  "key.update": { id: string; version: number; set: KeyUpdate }
  /** Adds the new current secret. Earlier ones end at `othersUntilMs` or sooner. */
  "key.rotate": { id: string; version: number; secret: SecretRecord; othersUntilMs: number }
  "adminKey.insert": { adminKey: AdminKeyRecord; hash: string }
  "adminKey.revoke": { id: string; revokedMs: number }
  /** Ends the change with `tooMany` when the account has so many keys already that were neither revoked nor expired. */
  "keys.limit": { accountId: string; most: number; nowMs: number }
  /** Expired links are deleted with each new one. */
  "link.insert": { link: SignInLink; hash: string }
  /** Ends the change with `missing` when the link was used, or is no longer valid at `nowMs`. */
  "link.use": { hash: string; nowMs: number }
  /**
   * Expired links are deleted with each new one. Ends the change with `tooMany` when one of the limits is reached; null for
   * none. `hash` is that of the token that the link's maker gets; null if only the mail will have a token.
   */
  "emailLink.insert": { link: EmailLink; hash: string | null; limits: EmailLinkLimits | null }
  /**
   * Marks a link as used. Ends the change with `missing` when it was used, or is no longer valid at `nowMs`. One that makes an
   * account ends all others that would make one with the same address.
   */
  "emailLink.use": { hash: string; nowMs: number }
  /** Takes an invitation back. Ends the change with `missing` when there is none that could be used. */
  "emailLink.revoke": { id: string }
  /** With each new session, expired ones are deleted, and the oldest of an owner who would have more than `most`. */
  "session.insert": { session: SessionRecord; hash: string; most: number }
  /** Ends one session, or nothing when it has ended. */
  "session.end": { id: string }
  /** Ends all sessions of an owner, and takes back the links that were not used, also those that were sent by e-mail. */
  "session.endAll": { sessionKind: SessionKind; owner: string }
  /** Lets a session depend on another text of an API key: the one that its key has from now on. */
  "session.bind": { id: string; keyHash: string }
  /** Makes a notice that was delivered, failed or not sent due again. */
  "notice.resend": { id: string; nowMs: number }
  /** A mail; `id` is made by the caller, and a second mail with it is ignored. */
  "mail.insert": { mail: NewMail }
  /** A notice for an account's webhook; `id` is made by the caller, and a second notice with it is ignored. */
  "notice.insert": Pick<NoticeRecord, "id" | "accountId" | "type"> & { data: string; nowMs: number }
}

/** The fields of an account that a change can set. */
export type AccountUpdate = Partial<
  Pick<
    AccountDetails,
    "name" | "plan" | "externalId" | "email" | "notify" | "metadata" | "closedMs" | "events"
  >
>
/** The fields of a key that a change can set. */
export type KeyUpdate = Partial<Omit<KeyDetails, "id" | "accountId" | "prefix" | "createdMs" | "version">>

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

/** A link that was sent by e-mail. The store keeps hashes of its tokens, of which each works. */
export interface EmailLink {
  /** `eml_…` */
  readonly id: string
  /** `sign-up` and `invitation` make an account, `sign-in` opens one. */
  readonly kind: "sign-up" | "sign-in" | "invitation"
  /** Normalised. */
  readonly email: string
  /** The name of the account to make; empty for the address. */
  readonly name: string
  /** The plan of the account to make; null for the plan of the settings. */
  readonly plan: string | null
  /** The address of the terms that were accepted with the question for the link. */
  readonly terms: string | null
  /** The account to sign in to; null for the other kinds. */
  readonly accountId: string | null
  /** The hash of the cookie of the browser that asked, which alone may use it; null for any browser. */
  readonly browser: string | null
  /** The narrowest network of the client that asked; empty for an invitation. */
  readonly network: string
  readonly createdMs: number
  readonly expiresMs: number
  readonly usedMs: number | null
}

/**
 * A visitor's question for a link, and the most questions of those that have not expired. All count, whether an account was found
 * or not and whether the link was used, so that nobody's own limits tell who has an account.
 */
export interface EmailLinkLimits {
  readonly asked: "sign-up" | "sign-in"
  /** The mailbox that gets the link, however its address is written. */
  readonly mailbox: string
  /** The client's networks, narrowest first, with the most questions of each. A name begins with the wider network's name. */
  readonly networks: readonly { readonly name: string; readonly most: number }[]
  /**
   * Questions for a mailbox from the widest network. A browser that has not asked for it gets up to as many more: each takes the
   * place of the oldest unused link.
   */
  readonly perMailboxAndNetwork: number
  /** Questions for a mailbox. Beyond that, a network that has not asked for it still gets one, up to `mostPerMailbox`. */
  readonly perMailbox: number
  readonly mostPerMailbox: number
  /** Questions of this kind from everyone; null if they are not limited. */
  readonly inAll: number | null
}
