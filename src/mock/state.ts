import type { AdminAccess } from "../admin/admin-access.ts"
import type { Random } from "../apis/contract.ts"
import type { Guests } from "../call/guests.ts"
import type { Pipeline } from "../call/pipeline.ts"
import type { PreparedApi } from "../call/prepared-api.ts"
import type { Observer } from "../observe/observer.ts"
import type { Exposition } from "../observe/report.ts"
import type { MockClock, MockDns, MockWeb } from "../ports/mock-ports.ts"
import type { Faults } from "./faults.ts"
import type { Journal } from "./journal.ts"
import type { Stubs } from "./stubs.ts"
import type { MockWebhook } from "./webhook-secret.ts"

/** A webhook message. `arrival` is its place in the order in which receivers took the messages, from 1; null if none did. */
export type ShownNotice = Readonly<Record<"id" | "type" | "timestamp" | "state", string>> &
  Readonly<{ reason: string | null; arrival: number | null }>

/** A mocked service and everything that a test can read and change. A reset replaces it. */
export interface MockState {
  readonly pipeline: Pipeline
  readonly apis: readonly PreparedApi[]
  readonly random: Random
  readonly admin: AdminAccess
  /** The rules for calls without a key; null when they are refused. */
  readonly guests: Guests | null
  readonly observer: Observer
  readonly clock: Pick<MockClock, "now">
  /** Whether the clock runs on its own. */
  readonly clockRunsOn: boolean
  /** Moves the clock, raises the events that come with time, and delivers what becomes due on the way, in order. */
  setClock(nowMs: number): Promise<void>
  readonly dns: MockDns
  readonly web: MockWeb
  readonly faults: Faults
  readonly stubs: Stubs
  readonly journal: Journal
  /** The webhook that `--webhook` gives all accounts; null without one. */
  readonly webhook: MockWebhook | null
  /** Whether an account has a webhook to which messages are sent. */
  sendsWebhooks(): Promise<boolean>
  /** Notices with the attempts to deliver them, oldest first. Waits a moment for those in progress. */
  notices(): Promise<readonly ShownNotice[]>
  /** Mails that a service would have sent, oldest first, as their readers would see them. */
  mails(): Promise<readonly object[]>
  /** Sends one of them again, and returns it. Throws Fault `notFound` without it, and InputRejected if it cannot be sent. */
  resend(list: "notices" | "mails", id: string): Promise<object>
  /** The present state as a seed file. */
  seed(): Promise<string>
  readMetrics(): Promise<Exposition>
  ping(): Promise<void>
  /** Ends the answers that go on until someone ends them. */
  endWatches(): void
  close(): Promise<void>
}
