/** The answers of the operations, as the administration defines them. */
import type { Static } from "@sinclair/typebox"
import type { accountSchema } from "../../admin/accounts/account.ts"
import type { auditSchema } from "../../admin/audit/record.ts"
import type { backupSchema, verifiedSchema } from "../../admin/backups/backup.ts"
import type { changeList } from "../../admin/config/change-list.ts"
import type { putConfig } from "../../admin/config/put.ts"
import type { healthDetail } from "../../admin/health/detail.ts"
import type { historyOfCalls } from "../../admin/history/calls.ts"
import type { historyOfCredits } from "../../admin/history/credits.ts"
import type { historyOfFaults } from "../../admin/history/faults.ts"
import type { createApiKey } from "../../admin/keys/create.ts"
import type { findKey } from "../../admin/keys/find.ts"
import type { keySchema } from "../../admin/keys/key.ts"
import type { rotateKey } from "../../admin/keys/rotate.ts"
import type { listNotices } from "../../admin/notices/list.ts"
import type { attemptSchema, noticeSchema } from "../../admin/notices/notice.ts"
import type { listPlans } from "../../admin/plans/list.ts"
import type { tailRequests } from "../../admin/requests/tail.ts"
import type { queryUsage } from "../../admin/usage/query.ts"
import type { setWebhook } from "../../admin/webhooks/set.ts"
import type { webhookSchema } from "../../admin/webhooks/webhook.ts"

export type Account = Static<typeof accountSchema>
export type Key = Static<typeof keySchema>
export type FoundKey = Static<(typeof findKey)["output"]>
export type PlanList = Static<(typeof listPlans)["output"]>
export type CreatedKey = Static<(typeof createApiKey)["output"]>
export type RotatedKey = Static<(typeof rotateKey)["output"]>
export type UsageSums = Static<(typeof queryUsage)["output"]>
export type Webhook = Static<typeof webhookSchema>
export type NewWebhook = Static<(typeof setWebhook)["output"]>
export type CallHistory = Static<(typeof historyOfCalls)["output"]>
export type CreditHistory = Static<(typeof historyOfCredits)["output"]>
export type Health = Static<(typeof healthDetail)["output"]>
export type NoticeList = Static<(typeof listNotices)["output"]>
export type Notice = Static<typeof noticeSchema>
export type Attempt = Static<typeof attemptSchema>
export type LiveRequest = Static<(typeof tailRequests)["output"]>
export type FaultSum = Static<(typeof historyOfFaults)["output"]>["data"][number]
export type AuditRecord = Static<typeof auditSchema>
export type Backup = Static<typeof backupSchema>
export type VerifiedBackup = Static<typeof verifiedSchema>
export type ConfigChanges = Static<typeof changeList>
export type SavedConfig = Static<(typeof putConfig)["output"]>
export type Plan = PlanList["data"][number]

/** One page of a list. */
export interface Listed<T> {
  readonly data: readonly T[]
  readonly has_more: boolean
  /** The `after` of the next page. */
  readonly next: string | null
}
