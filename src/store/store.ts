/**
 * Persistence behind one interface. Asynchronous and batched where it is hot, so that a server database can stand
 * behind it; what is decided (does a charge fit?) is decided by the database, not by the memory of a process.
 */
export interface Store {
  /**
   * The key whose current or still graced secret has this SHA-256, with its account; null when there is none. A store that
   * has it in memory gives it at once: every call of the service asks this.
   */
  findKey(secretHash: string): KeyAccess | null | Promise<KeyAccess | null>
  /** Decides and commits charges in order, in one transaction; the outcomes are in the same order. */
  charge(charges: readonly Charge[]): Promise<readonly ChargeOutcome[]>
  /** Takes a call from rate-limit buckets, exactly, in whatever process; the outcomes are in the same order. */
  takeRates(takes: readonly RateTake[]): Promise<readonly RateOutcome[]>

  createAccount(account: AccountRecord): Promise<void>
  findAccount(id: string): Promise<AccountRecord | null>
  listAccounts(): Promise<readonly AccountRecord[]>
  /** Changes what is named, leaves the rest; false when there is no such account. */
  updateAccount(id: string, change: AccountChange): Promise<boolean>
  /** Adds bonus credits, up to `maxBonus` in all; false when it would be more, or there is no such account. */
  grant(accountId: string, credits: number, maxBonus: number): Promise<boolean>
  /** Puts an account into a month of which nothing is used, its usage so far counts in none; false when there is no such account. */
  renewMonth(accountId: string, month: Pick<AccountRecord, "createdMs" | "periodStartMs">): Promise<boolean>

  /** Stores a key with its first secret. */
  createKey(key: KeyRecord, secret: SecretRecord): Promise<void>
  findKeyById(id: string): Promise<KeyRecord | null>
  /** All keys, or those of one account, oldest first. */
  listKeys(accountId?: string): Promise<readonly KeyRecord[]>
  /** Makes `secret` the current one; earlier ones stop at `othersUntilMs`, or sooner where they already would. */
  rotateKey(id: string, secret: SecretRecord, othersUntilMs: number): Promise<boolean>
  /** Revokes a key from `atMs` on; a key revoked before keeps its earlier instant. */
  revokeKey(id: string, atMs: number): Promise<boolean>

  /** Usage by UTC day and API, newest day first. */
  usage(accountId: string, sinceDay: string): Promise<readonly UsageRow[]>
  /** Usage of one credit month by UTC day and API, newest day first: what `used` counts and what the bonus paid. */
  monthUsage(accountId: string, periodStartMs: number): Promise<readonly UsageRow[]>
  /** Throws a {@link StoreUnavailable} when the database does not answer. */
  ping(): Promise<void>
  close(): Promise<void>
}

export interface AccountRecord {
  readonly id: string
  readonly name: string
  readonly plan: string
  readonly createdMs: number
  readonly closedMs: number | null
  /** Start of the month that `used` counts. */
  readonly periodStartMs: number
  readonly used: number
  readonly bonus: number
}

export interface AccountChange {
  readonly plan?: string
  readonly closedMs?: number
}

export interface KeyRecord {
  readonly id: string
  readonly accountId: string
  readonly name: string
  /** Start of the current secret, for lists. */
  readonly prefix: string
  readonly createdMs: number
  readonly expiresMs: number | null
  readonly revokedMs: number | null
  /** Ids of the only APIs it may call; null is all. */
  readonly allowApis: readonly string[] | null
  readonly blockApis: readonly string[]
  /** CIDR networks it may be used from; null is any. */
  readonly allowIps: readonly string[] | null
  /** Calls a minute for this key alone; null is the plan's. */
  readonly rateLimit: number | null
}

export interface SecretRecord {
  /** SHA-256 of the key, hexadecimal. */
  readonly hash: string
  readonly prefix: string
  readonly createdMs: number
}

/** What a call needs of a key and its account. No more, since a busy server keeps very many. */
export interface KeyAccess {
  readonly key: Omit<KeyRecord, "accountId" | "name" | "prefix" | "createdMs">
  readonly account: Omit<AccountRecord, "name">
  /** When this secret stops because the key was rotated; null for the current one. */
  readonly secretUntilMs: number | null
  /** Rises with every administrative change of keys and accounts; charges leave it alone. */
  readonly revision: number
  /** Null at first: room for what the gate makes of the record, which is then found with it. The store leaves it alone. */
  caller: object | null
}

/** What one answer costs; charged as a whole or not at all. */
export interface Charge {
  readonly accountId: string
  readonly items: readonly ChargeItem[]
  /** The month's allowance by the account's plan; null is unlimited. */
  readonly allowance: number | null
  /** Start of the month the charge falls into. An older one than the stored, such as 0, counts as the stored one. */
  readonly periodStartMs: number
  /** UTC day that usage is booked on, `YYYY-MM-DD`. */
  readonly day: string
}

/** The part of a charge that one API has earned. */
export interface ChargeItem {
  readonly api: string
  /** Successful calls that the credits pay for. */
  readonly calls: number
  readonly credits: number
}

export type ChargeOutcome =
  | { readonly charged: true; readonly used: number; readonly bonus: number; readonly periodStartMs: number }
  /** The balance no longer covers it, or the account is gone. Nothing was taken. */
  | { readonly charged: false }

/** One call that has to be granted by every bucket, or takes from none. */
export interface RateTake {
  readonly buckets: readonly { readonly id: string; readonly perMinute: number }[]
  readonly nowMs: number
}

export interface RateOutcome {
  readonly granted: boolean
  /** The buckets of the take, in order, as they stand after it. */
  readonly buckets: readonly RateState[]
}

export interface RateState {
  readonly perMinute: number
  /** Calls that could follow at once. */
  readonly remaining: number
  /** Until the bucket is full again. */
  readonly fullInMs: number
  /** Until it grants a call; 0 when it does now. */
  readonly retryInMs: number
}

export interface UsageRow {
  readonly day: string
  readonly api: string
  readonly calls: number
  readonly credits: number
}

/** The database cannot do its work now (locked, full, read-only, corrupt). Nothing of the operation was kept. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable"
}

/** The data file cannot be used by this program at all; the message says why and what to do. */
export class StoreUnusable extends Error {
  override readonly name = "StoreUnusable"
}
