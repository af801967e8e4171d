/** A service's database. Several processes may share it. Every method may reject with {@link StoreUnavailable}. */
export interface Store {
  /**
   * Finds a key by the hexadecimal SHA-256 of its current secret or an earlier one. Returns the value instead of a promise
   * when it is in memory, since every call of the service asks this.
   */
  findKey(secretHash: string): KeyAccess | null | Promise<KeyAccess | null>
  /** The same, but read anew from the database. */
  findKeyAnew(secretHash: string, accountId: string): Promise<KeyAccess | null>
  /**
   * Decides the charges of each account in order. Returns one outcome per charge, in the same order, when all are decided.
   * @param onDecided gets the outcome of each charge as soon as it is committed: charges may be decided in several
   *   transactions. A charge that it was not told is not decided when the promise rejects
   */
  charge(charges: readonly Charge[], onDecided?: OnDecided): Promise<readonly ChargeOutcome[]>
  /**
   * Counts calls against their rate limits, in order. Returns one outcome per take, in the same order.
   * @param now reads the time in milliseconds since the Unix epoch. It is called while the database is locked, so that the
   *   takes of all processes are counted in the order of their times
   */
  takeRates(takes: readonly RateTake[], now: () => number): Promise<readonly RateOutcome[]>

  /** Finds what an account was charged under the hash of an Idempotency-Key after a time. */
  findFirstCharge(accountId: string, keyHash: string, sinceMs: number): Promise<FirstCharge | null>
  /** Counts a replay of what {@link findFirstCharge} found. Returns false, and counts nothing, if there were `most` of them. */
  countReplay(accountId: string, keyHash: string, most: number): Promise<boolean>
  /** Takes back what {@link countReplay} counted. */
  giveBackReplay(accountId: string, keyHash: string): Promise<void>

  findAccount(id: string): Promise<AccountRecord | null>
  /** Usage of one credit month by day and API, newest day first, whether the month or the bonus paid for it. */
  monthUsage(accountId: string, periodStartMs: number): Promise<readonly UsageRow[]>
  /** Resolves when the database can record charges. */
  ping(): Promise<void>
  /** Closes the database for the outbox and the gauges too. */
  close(): Promise<void>
}

/** Times are milliseconds since the Unix epoch, here and in all records. */
export interface AccountRecord {
  readonly id: string
  readonly name: string
  readonly plan: string
  readonly createdMs: number
  readonly closedMs: number | null
  /** Start of the credit month that `used` counts. */
  readonly periodStartMs: number
  /** Credits used of the month's allowance. */
  readonly used: number
  /** Bonus credits left. */
  readonly bonus: number
}

/** A stored API key, without its secret. */
export interface KeyRecord {
  readonly id: string
  readonly accountId: string
  readonly name: string
  /** The first characters of the current secret, for lists. */
  readonly prefix: string
  readonly createdMs: number
  readonly expiresMs: number | null
  readonly revokedMs: number | null
  /** Ids of the only APIs that the key may call; null for all. */
  readonly allowApis: readonly string[] | null
  readonly blockApis: readonly string[]
  /** CIDR networks that the key may be used from; null for any. */
  readonly allowIps: readonly string[] | null
  /** Calls a minute for this key alone; null for no limit of the key. */
  readonly rateLimit: number | null
}

/** A secret of a key, without its text. */
export interface SecretRecord {
  /** SHA-256 of the key, in hexadecimal. */
  readonly hash: string
  readonly prefix: string
  readonly createdMs: number
}

/** The fields of a key and its account that a call needs. Few, since a busy server keeps very many in memory. */
export interface KeyAccess {
  readonly key: Omit<KeyRecord, "accountId" | "name" | "prefix" | "createdMs"> & {
    /** Null while the key may be used. Unlike a revocation this can be taken back. */
    readonly disabledMs: number | null
  }
  readonly account: Omit<AccountRecord, "name">
  /** When this secret ends because the key was rotated; null for the current secret. */
  readonly secretUntilMs: number | null
  /** Rises with every administrative change of keys and accounts. Charges do not change it. */
  readonly revision: number
}

/**
 * The cost of one answer. Charged as a whole or not at all. One without items charges nothing, and lets the database raise
 * notices that are due, such as that all credits are used up.
 */
export interface Charge {
  readonly accountId: string
  /** The key that is used. Without it the usage is recorded for no key. */
  readonly keyId?: string
  readonly items: readonly ChargeItem[]
  /** The month's allowance by the account's plan; null for unlimited. */
  readonly allowance: number | null
  /** Start of the credit month to charge. If the stored month is newer, that one is charged. */
  readonly periodStartMs: number
  /** UTC day to record the usage under, `YYYY-MM-DD`. */
  readonly day: string
  /**
   * {@link KeyAccess.revision} of the caller, which PostgreSQL compares. A data file does not: a call that began before its
   * key was revoked may be charged, as without a revision.
   */
  readonly revision?: number
  /** The trace of the request (W3C Trace Context), for the notices that the charge raises. */
  readonly traceparent?: string | undefined
  /** The Idempotency-Key of the call: its account is charged under it once. Null or absent without one. */
  readonly idempotent?: IdempotencyKey | null
}

/** An Idempotency-Key, and the input that it stands for. */
export interface IdempotencyKey {
  /** SHA-256 of the key, hexadecimal. */
  readonly keyHash: string
  /** SHA-256 of the path and the input, hexadecimal. */
  readonly inputHash: string
  readonly nowMs: number
}

/** The charge of the first call with an Idempotency-Key. */
export interface FirstCharge {
  readonly inputHash: string
  readonly credits: number
  readonly createdMs: number
}

/** An Idempotency-Key is kept for this time. */
export const keepReplaysMs = 86_400_000

/**
 * The part of a charge that belongs to one API, or the use of something deprecated: then `api` has a colon, and it costs nothing.
 */
export interface ChargeItem {
  readonly api: string
  /** Successful calls. */
  readonly calls: number
  readonly credits: number
}

/** The credits of some usage. */
export function sumCredits(usage: readonly Pick<ChargeItem, "credits">[]): number {
  return usage.reduce((sum, { credits }) => sum + credits, 0)
}

/**
 * Names the usage of one API by one key within the usage of a day: `hmac key_1`, or `hmac` without a key. Both kinds of stores
 * keep a day's usage under these names, and their SQL splits them at the first space.
 */
export function usageEntry(api: string, keyId: string | undefined): string {
  return keyId === undefined ? api : `${api} ${keyId}`
}

/** The API and the key of a name; undefined without a key. */
export function splitUsageEntry(name: string): { readonly api: string; readonly keyId: string | undefined } {
  const end = name.indexOf(" ")
  return end < 0 ? { api: name, keyId: undefined } : { api: name.slice(0, end), keyId: name.slice(end + 1) }
}

/**
 * The account's balance after this charge and those that were decided together with it. Or a refusal, which takes nothing:
 * without a cause there are too few credits, or the account is closed; `changed` means that the account or a key of it was
 * changed since the caller was found; {@link AlreadyCharged} has the charge that was made under the same Idempotency-Key; any
 * other error says why this charge could not be decided.
 */
export type ChargeOutcome =
  | { readonly charged: true; readonly used: number; readonly bonus: number; readonly periodStartMs: number }
  | { readonly charged: false; readonly cause?: unknown }

/** Takes the outcome of the charge at a place of the list. Must not throw. */
type OnDecided = (outcome: ChargeOutcome, index: number) => void

/** One call, counted against several rate limits: all of them must grant it, else none counts it. */
export interface RateTake {
  readonly buckets: readonly { readonly id: string; readonly perMinute: number }[]
}

/** Whether a take from the rate buckets was granted. */
export interface RateOutcome {
  readonly granted: boolean
  /** The state of each bucket after the take, in the same order. */
  readonly buckets: readonly RateState[]
}

/** The state of a rate bucket. */
export interface RateState {
  readonly perMinute: number
  /** Calls that would be granted right now. */
  readonly remaining: number
  /** Time until the bucket is full again. */
  readonly fullInMs: number
  /** Time until the bucket grants a call; 0 if it would now. */
  readonly retryInMs: number
}

/** The usage of one API by one account on one day. */
export interface UsageRow {
  /** UTC day, `YYYY-MM-DD`. */
  readonly day: string
  readonly api: string
  readonly calls: number
  readonly credits: number
}

/** The account was charged before under the Idempotency-Key of a charge. */
export class AlreadyCharged extends Error {
  override readonly name = "AlreadyCharged"
  readonly firstCharge: FirstCharge

  constructor(firstCharge: FirstCharge) {
    super("The account was charged before under this Idempotency-Key.")
    this.firstCharge = firstCharge
  }
}

/** The database cannot do its work now, for example because it is locked or full. Nothing of the operation was kept. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable"
}

/** How long one statement of a list, a search or a sum may take. Milliseconds. */
export const readLimitMs = 2_000
const tooLong = `To read this takes longer than ${readLimitMs / 1_000} s, so it was ended. Ask for less: name an account, or a shorter time.`

/** A list, a search or a sum was refused, or ended since it took too long. The message says to whoever asked what to do. */
export class ReadRefused extends StoreUnavailable {
  constructor(message = tooLong) {
    super(message)
  }
}

/** The clocks of this machine and of the database are too far apart for a charge or a change. The message is for the operator. */
export class ClocksDiffer extends StoreUnavailable {}

/** The database was lost while it recorded a charge: the charge was made or not, and nobody can tell. */
export class ChargeUnknown extends StoreUnavailable {}

/** This program cannot open or use the database at all. The message is for the operator and says what to do. */
export class StoreUnusable extends Error {
  override readonly name = "StoreUnusable"
}
