import { getAccount } from "./accounts/account.ts"
import { closeAccount, reopenAccount, updateAccount } from "./accounts/change-account.ts"
import { createAccount } from "./accounts/create-account.ts"
import { importAccounts } from "./accounts/import-accounts.ts"
import { listAccounts } from "./accounts/list-accounts.ts"
import { listAdmins, revokeAdmin } from "./admins/admin-key.ts"
import { createAdmin } from "./admins/create-admin.ts"
import { exportAudit, listAudit } from "./audit/list-audit.ts"
import { createBackup, downloadBackup, listBackups, verifyBackup } from "./backups/backup.ts"
import { runBulk } from "./bulk.ts"
import { diffConfig, getConfig, listConfig, putConfig, reloadConfig } from "./config/change-config.ts"
import { adjustCredits, listAdjustments, undoAdjustment } from "./credits/adjust-credits.ts"
import { grantCredits, renewCredits } from "./credits/change-credits.ts"
import { healthDetail } from "./health/detail.ts"
import { historyOfCalls, historyOfFaults } from "./history/calls.ts"
import { historyOfCredits } from "./history/credits.ts"
import { revokeKey, updateKey } from "./keys/change-key.ts"
import { disableKey, enableKey } from "./keys/disable.ts"
import { findKey } from "./keys/find.ts"
import { createApiKey, rotateKey } from "./keys/issue-key.ts"
import { getKey } from "./keys/key.ts"
import { listKeys } from "./keys/list-keys.ts"
import { consoleLink, portalLink } from "./links/link.ts"
import { chooseNotices } from "./notices/choose-notices.ts"
import { listMails } from "./notices/list-mails.ts"
import { listAttempts, listNotices } from "./notices/list-notices.ts"
import { resendNotice, testWebhook } from "./notices/send-notice.ts"
import type { Operation } from "./operation.ts"
import { listPasskeys, removePasskey, renamePasskey } from "./passkeys/passkey.ts"
import { createPerson, personLink, removePerson, updatePerson } from "./people/change-people.ts"
import { listPeople } from "./people/person.ts"
import { listPlans } from "./plans/list-plans.ts"
import { exportRequests, listRequests } from "./requests/list-requests.ts"
import { tailRequests } from "./requests/tail.ts"
import { createInvitation, listInvitations, revokeInvitation } from "./sign-up/invitations.ts"
import { listAllMonths, listStatementMonths, listStatements, showStatement } from "./statements/statement.ts"
import { queryUsage } from "./usage/query.ts"
import { deleteWebhook, getWebhook, setWebhook } from "./webhooks/webhook.ts"
import { whoami } from "./whoami.ts"

const list = [
  createAccount,
  importAccounts,
  listAccounts,
  getAccount,
  updateAccount,
  closeAccount,
  reopenAccount,
  grantCredits,
  adjustCredits,
  listAdjustments,
  undoAdjustment,
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
  runBulk,
  queryUsage,
  showStatement,
  listStatementMonths,
  listAllMonths,
  listStatements,
  historyOfCalls,
  historyOfFaults,
  historyOfCredits,
  listRequests,
  exportRequests,
  tailRequests,
  setWebhook,
  getWebhook,
  deleteWebhook,
  testWebhook,
  chooseNotices,
  listNotices,
  listAttempts,
  resendNotice,
  listMails,
  listPlans,
  getConfig,
  listConfig,
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
  downloadBackup,
  consoleLink,
  portalLink,
  createInvitation,
  listInvitations,
  revokeInvitation,
  createAdmin,
  listAdmins,
  revokeAdmin,
  createPerson,
  listPeople,
  updatePerson,
  removePerson,
  personLink,
  listPasskeys,
  renamePasskey,
  removePasskey,
] as const

/** Every operation of the administration, in the order of documentation. */
export const operations: readonly Operation[] = list

/** The types of the operations by their ids. The console and the portal call operations with them. */
export type OperationsById = { readonly [Each in (typeof list)[number] as Each["id"]]: Each }
