/** A transactional outbox: a charge writes its notices in its own transaction. Several processes may send from it. */
export interface Outbox {
  /** Leases the notice that has been due longest for `leaseMs`, after which it is due again. Null when nothing is due. */
  claim(options: ClaimOptions): Promise<DueNotice | null>
  /** When the next notice becomes due after `nowMs`; null without one. */
  nextAttemptMs(nowMs: number): Promise<number | null>
  record(notice: DueNotice, attempt: Attempt, result: AttemptResult): Promise<void>

  /** Notices of one account, or of all, oldest first. */
  list(accountId?: string): Promise<readonly NoticeRecord[]>
  findWebhook(accountId: string): Promise<WebhookRecord | null>
}

/** When a charge raises a notice. */
export interface NoticeRules {
  /** Percents of the month's allowance, ascending. */
  readonly thresholds: readonly number[]
  readonly now: () => number
}

/** The type of the notices that charges raise: an account has used a percentage of a month's allowance. */
export const thresholdReached = "credits.threshold_reached"

/** All credits of an account, of the month and the bonus, are used up. */
export const creditsExhausted = "credits.exhausted"

/**
 * The value of `notified` in an account's row once its credits were used up in that month: {@link creditsExhausted} is raised
 * once a month.
 */
export const exhaustedPercent = 100

/** How far a row of an outbox is. */
export interface Delivery {
  readonly raisedMs: number
  readonly attempts: number
  /** Sum of the waits between attempts. Not the difference of two clock readings, since clocks can jump. */
  readonly waitedMs: number
  /** When it is tried next, or its lease ends; null unless pending. */
  readonly nextAttemptMs: number | null
  /** The status of the last attempt: of HTTP, or of a mail server such as 250 or 421; null without an answer. */
  readonly lastStatus: number | null
  readonly lastError: string | null
  readonly deliveredMs: number | null
}

/** A notice to the webhook of an account. */
export interface NoticeRecord extends Delivery {
  /** `msg_…`, the same at every attempt, so that receivers recognise a repetition. */
  readonly id: string
  readonly accountId: string
  /** {@link thresholdReached}, `key.created`, … */
  readonly type: string
  /** The `data` of the message, as JSON. Null for a threshold, whose data are the fields below. */
  readonly data: string | null
  /** Credit months are counted from here. */
  readonly accountCreatedMs: number
  /** The plan of the account when the notice was raised, as `used` and `periodStartMs` too. */
  readonly plan: string
  /** Percent of the allowance; null for other types than {@link thresholdReached}. */
  readonly threshold: number | null
  readonly used: number
  /** Null for other types than {@link thresholdReached} and {@link creditsExhausted}. */
  readonly allowance: number | null
  readonly periodStartMs: number
  /** `unsent`: the account had no webhook, or its webhook was removed before the delivery. */
  readonly state: "pending" | "delivered" | "failed" | "unsent"
}

/** A notice of an event that comes with time. */
export interface TimedNotice {
  readonly id: string
  readonly accountId: string
  readonly type: string
  /** The `data` of the message, as JSON. */
  readonly data: string
  /** When the event happened. It is due from then on. */
  readonly raisedMs: number
  /** Start of the credit month that has begun; null for the stored one. */
  readonly periodStartMs: number | null
}

/** A leased notice. */
export interface DueNotice extends NoticeRecord {
  readonly webhook: Webhook
  /** Host and port of the webhook, as in `URL.host`. */
  readonly host: string
  /** The trace of the request that raised it (W3C Trace Context); null when it had none. */
  readonly traceparent: string | null
}

/** Where the notices of an account go. */
export interface Webhook {
  readonly url: string
  /** Signing secret, `whsec_…`. */
  readonly secret: string
  /** Whether its host may have a private address. */
  readonly allowPrivate: boolean
}

/** A stored webhook. */
export interface WebhookRecord extends Webhook {
  /** When its receiver answered 410 Gone, which disables it; null while it is in use. */
  readonly goneMs: number | null
}

/** The notices that {@link Outbox.claim} may lease, and for how long. */
export interface ClaimOptions {
  readonly nowMs: number
  readonly leaseMs: number
  /** Longer than any wait. A notice due later than this was written before the clock was set back, and is due now. */
  readonly maxWaitMs: number
  /** Skips notices to these hosts. */
  readonly busyHosts: readonly string[]
  /** Skips notices that were tried before. */
  readonly untriedOnly: boolean
}

/** One try to deliver a notice or a mail, and how it ended. */
export interface Attempt {
  readonly atMs: number
  readonly durationMs: number
  /** HTTP status; null without an answer. */
  readonly status: number | null
  readonly error: string | null
}

/** An attempt in the delivery log. */
export interface AttemptRecord extends Attempt {
  readonly noticeId: string
  /** 1, 2, … */
  readonly attempt: number
}

/** `gone`: the receiver answered 410 Gone; its webhook is disabled until it is set again. */
export type AttemptResult =
  | { readonly kind: "delivered" | "failed" | "gone" }
  | { readonly kind: "retry"; readonly delayMs: number }
