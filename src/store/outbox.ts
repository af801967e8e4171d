/**
 * What is to be told to accounts, and what became of it. A notice is written in the transaction of the charge that
 * raised it; from there it is delivered at least once. Several processes may work on one store at the same time.
 */
export interface Outbox {
  /**
   * Takes the notice that has been due longest and leases it: nobody else is given it for `leaseMs`. A worker that dies
   * leaves it to be claimed again when the lease has run out. Null when nothing is due.
   */
  claim(options: ClaimOptions): Promise<DueNotice | null>
  /** When the first of those becomes due that are not due at `nowMs`; null when there are none. */
  nextAttemptMs(nowMs: number): Promise<number | null>
  /** Writes down one attempt, and what follows from it. */
  record(notice: DueNotice, attempt: Attempt, verdict: Verdict): Promise<void>

  /** Notices of all accounts or of one, oldest first. */
  list(accountId?: string): Promise<readonly NoticeRecord[]>
  /** The delivery log: every attempt for the notices of all accounts or of one, oldest first. */
  attempts(accountId?: string): Promise<readonly AttemptRecord[]>

  /**
   * Sets the webhook of an account, or takes it away with null; what was still waiting is then not sent. False when
   * there is no such account.
   */
  setWebhook(accountId: string, webhook: Webhook | null): Promise<boolean>
  findWebhook(accountId: string): Promise<WebhookRecord | null>
}

/** An account's use of its month has reached a threshold. */
export interface NoticeRecord {
  /** `msg_…`; the same at every attempt, so that receivers can tell a repetition. */
  readonly id: string
  readonly accountId: string
  /** Months are counted from it. */
  readonly accountCreatedMs: number
  readonly plan: string
  /** Percent of the allowance. */
  readonly threshold: number
  readonly used: number
  readonly allowance: number
  readonly periodStartMs: number
  readonly raisedMs: number
  readonly state: NoticeState
  readonly attempts: number
  /** How long was waited between attempts, in all. Not read off a clock, which may jump. */
  readonly waitedMs: number
  /** When it is tried next, or its lease runs out; null when it is not going to be tried. */
  readonly nextAttemptMs: number | null
  /** HTTP status of the last attempt; null without an answer. */
  readonly lastStatus: number | null
  readonly lastError: string | null
  readonly deliveredMs: number | null
}

/** `unsent`: the account had no webhook, or lost it before the delivery. */
export type NoticeState = "pending" | "delivered" | "failed" | "unsent"

export interface DueNotice extends NoticeRecord {
  readonly webhook: Webhook
  /** Host and port of the webhook's URL, as in `URL.host`. */
  readonly host: string
}

export interface Webhook {
  readonly url: string
  /** Signing key, `whsec_…`. */
  readonly secret: string
  /** Whether it may stand in a private network. */
  readonly allowPrivate: boolean
}

export interface WebhookRecord extends Webhook {
  /** When its receiver said that it is gone for good (410); nothing is sent to it since. */
  readonly goneMs: number | null
}

export interface ClaimOptions {
  readonly nowMs: number
  readonly leaseMs: number
  /** Longer than any wait. What is due later than that was written under a clock that has been set back: it is due. */
  readonly horizonMs: number
  /** Hosts that are left out. */
  readonly busyHosts: readonly string[]
  /** Leaves out what was tried before. */
  readonly untriedOnly: boolean
}

export interface Attempt {
  readonly atMs: number
  readonly durationMs: number
  /** HTTP status; null without an answer. */
  readonly status: number | null
  readonly error: string | null
}

export interface AttemptRecord extends Attempt {
  readonly noticeId: string
  /** 1, 2, … */
  readonly attempt: number
}

export type Verdict =
  | { readonly kind: "delivered" }
  | { readonly kind: "retry"; readonly delayMs: number }
  | { readonly kind: "failed" }
  /** The receiver is gone for good: the webhook is not used again until it is set anew. */
  | { readonly kind: "gone" }
