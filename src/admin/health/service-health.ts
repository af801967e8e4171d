import type { DataList } from "../../values/data-list.ts"

/** How a service is doing. */
export interface ServiceHealth {
  readonly version: string
  /** The kind of store. */
  readonly store: "sqlite" | "postgresql"
  /** Milliseconds since the Unix epoch; null for a command, which would tell of itself. */
  readonly startedMs: number | null
  /** Sizes in bytes: of the data file and its write-ahead log, or of a store in memory or of a database. */
  readonly storeBytes: Readonly<Record<string, number>>
  /** Notices that wait for their delivery, at most 100,000. */
  readonly pendingNotices: number
  readonly mail: MailState
  /** Charges that the store decided since the start, and how many of them it refused. */
  readonly charges: number
  readonly refusals: number
  /** Requests of `--keep-requests` that were dropped since the start. */
  readonly droppedRequests: number
  /** The lists that APIs use. */
  readonly lists: readonly DataList[]
  /** Null where the store is not a database that several instances share. */
  readonly instances: Instances | null
}

/** How sending mail is going. */
export interface MailState {
  /** Whether there is a mail server. */
  readonly isOn: boolean
  /** Why this process could not hand over the last mail; null when it could, or has tried none. */
  readonly problem: string | null
  /** Mails that wait, at most 100,000. */
  readonly pending: number
  /** Questions of the last hour for a link to sign up. */
  readonly signUps: number
}

/** The processes that work on one database. */
export interface Instances {
  /** The processes that reported lately, this one included. */
  readonly count: number
  readonly differing: readonly DifferingInstance[]
}

/** A process with other plans or prices. */
export interface DifferingInstance {
  readonly instance: string
  readonly host: string
}
