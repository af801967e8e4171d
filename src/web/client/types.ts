/** Short names for answers that many screens show. */
import type { AnswerOf, EntryOf } from "./operations.ts"

export type Account = AnswerOf<"accounts.get">
export type Key = AnswerOf<"keys.get">
export type Plan = EntryOf<"plans.list">
export type Notice = EntryOf<"notices.list">
export type Webhook = AnswerOf<"webhooks.get">
