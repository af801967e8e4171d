/**
 * What is to be told to accounts, and what became of it. A notice is written in the transaction of the charge that
 * raised it; from there it is delivered at least once. Several processes may work on one store at the same time.
 */
export interface Outbox {
  /**
   * Takes notices that are due and leases them: nobody else is given them for `leaseMs`. A worker that dies leaves
   * them to be claimed again when the lease has run out.
   */
  claim(options: ClaimOptions): Promise<readonly DueNotice[]>
  /** When the next one is due; null when nothing is waiting. */
  nextAttemptMs(): Promise<number | null>
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
  /** The longest wait there is. What is due later than that was written under a clock that has been set back: it is due. */
  readonly horizonMs: number
  readonly limit: number
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
