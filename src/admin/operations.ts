import { getAccount } from "./accounts/account.ts"
import { closeAccount } from "./accounts/close.ts"
import { createAccount } from "./accounts/create-account.ts"
import { listAccounts } from "./accounts/list-accounts.ts"
import { reopenAccount } from "./accounts/reopen.ts"
import { updateAccount } from "./accounts/update.ts"
import { createAdmin } from "./admins/create-admin.ts"
import { listAdmins } from "./admins/list-admins.ts"
import { revokeAdmin } from "./admins/revoke.ts"
import { exportAudit, listAudit } from "./audit/list-audit.ts"
import { verifyBackup } from "./backups/backup.ts"
import { createBackup } from "./backups/create-backup.ts"
import { listBackups } from "./backups/list-backups.ts"
import { putConfig } from "./config/put.ts"
import { diffConfig, getConfig } from "./config/read-config.ts"
import { reloadConfig } from "./config/reload.ts"
import { grantCredits } from "./credits/grant.ts"
import { renewCredits } from "./credits/renew.ts"
import { healthDetail } from "./health/detail.ts"
import { historyOfCalls } from "./history/calls.ts"
import { historyOfCredits } from "./history/credits.ts"
import { historyOfFaults } from "./history/faults.ts"
import { createApiKey } from "./keys/create-key.ts"
import { disableKey } from "./keys/disable.ts"
import { enableKey } from "./keys/enable.ts"
import { findKey } from "./keys/find.ts"
import { getKey } from "./keys/key.ts"
import { listKeys } from "./keys/list-keys.ts"
import { revokeKey } from "./keys/revoke.ts"
import { rotateKey } from "./keys/rotate.ts"
import { updateKey } from "./keys/update.ts"
import { consoleLink } from "./links/console.ts"
import { portalLink } from "./links/portal.ts"
import { listAttempts } from "./notices/attempts.ts"
import { listNotices } from "./notices/list-notices.ts"
import { resendNotice } from "./notices/resend.ts"
import { testWebhook } from "./notices/test-event.ts"
import type { Operation } from "./operation.ts"
import { listPlans } from "./plans/list-plans.ts"
import { tailRequests } from "./requests/tail.ts"
import { queryUsage } from "./usage/query.ts"
import { deleteWebhook } from "./webhooks/delete.ts"
import { setWebhook } from "./webhooks/set.ts"
import { getWebhook } from "./webhooks/webhook.ts"
import { whoami } from "./whoami.ts"

const list = [
  createAccount,
  listAccounts,
  getAccount,
  updateAccount,
  closeAccount,
  reopenAccount,
  grantCredits,
  renewCredits,
  createApiKey,
  listKeys,
  findKey,
  getKey,
  updateKey,
  rotateKey,
  disableKey,
  enableKey,
  revokeKey,
  queryUsage,
  historyOfCalls,
  historyOfFaults,
  historyOfCredits,
  tailRequests,
  setWebhook,
  getWebhook,
  deleteWebhook,
  testWebhook,
  listNotices,
  listAttempts,
  resendNotice,
  listPlans,
  getConfig,
  diffConfig,
  putConfig,
  reloadConfig,
  whoami,
  healthDetail,
  listAudit,
  exportAudit,
  createBackup,
  listBackups,
  verifyBackup,
  consoleLink,
  portalLink,
  createAdmin,
  listAdmins,
  revokeAdmin,
] as const

/** Every operation of the administration, in the order of documentation. */
export const operations: readonly Operation[] = list

/** The types of the operations by their ids. The console and the portal call operations with them. */
export type OperationsById = { readonly [Each in (typeof list)[number] as Each["id"]]: Each }
