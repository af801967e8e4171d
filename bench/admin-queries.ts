import { getAccount } from "../src/admin/accounts/account.ts"
import { listAccounts } from "../src/admin/accounts/list-accounts.ts"
import { listAdmins } from "../src/admin/admins/admin-key.ts"
import { listAudit } from "../src/admin/audit/list-audit.ts"
import { listAdjustments } from "../src/admin/credits/adjust-credits.ts"
import { historyOfCalls, historyOfFaults } from "../src/admin/history/calls.ts"
import { historyOfCredits } from "../src/admin/history/credits.ts"
import { findKey } from "../src/admin/keys/find.ts"
import { getKey } from "../src/admin/keys/key.ts"
import { listKeys } from "../src/admin/keys/list-keys.ts"
import { listMails } from "../src/admin/notices/list-mails.ts"
import { listAttempts, listNotices } from "../src/admin/notices/list-notices.ts"
import { noticeStates } from "../src/admin/notices/notice.ts"
import type { Operation } from "../src/admin/operation.ts"
import { listPeople } from "../src/admin/people/person.ts"
import { listInvitations } from "../src/admin/sign-up/invitations.ts"
import { listStatementMonths, listStatements, showStatement } from "../src/admin/statements/statement.ts"
import { queryUsage } from "../src/admin/usage/query.ts"
import { mailStates } from "../src/store/mails.ts"
import { fillKey } from "./admin-fill.ts"

const account = "account=acc_0000000000050000"
const key = "key_0000000000500000"
const id = account.replace("account", "id")
const from = "from=2027-01-31T11:00:00Z"

const sortedAccounts =
  " plan=free plan=starter plan=mega closed=true closed=false search=account search=99 search=nobody near_limit=true key_prefix=pk-abcdef"
const sorts = ["oldest", "name", "used", "last_used"].map((sort) =>
  sortedAccounts.replace(/(?<=^| )/g, `sort=${sort}&`),
)
const ofStates = (states: readonly string[]) =>
  ["", ...states.map((state) => `state=${state}&`)].map((filter) => `${filter} ${filter}total=true`).join(" ")

/**
 * Filters of each list, alone, together, and such that nothing or almost nothing is found. A blank begins another query; a list
 * that begins with one is asked for without a filter, too.
 */
const lists: readonly (readonly [operation: Operation, ...queries: readonly string[]])[] = [
  [
    listAccounts,
    " plan=free plan=mega plan=none external_id=customer+77777 email=nobody@example.com closed=true closed=false",
    "closed=true&plan=mega near_limit=true near_limit=true&plan=mega near_limit=true&search=nobody near_limit=false",
    "search=account search=Account+99999 search=nobody search=nobody&closed=true search=acc_nobody",
    "search=acc_00000000000999 search=99&plan=mega key_prefix=pk-abcdef key_prefix=pk-zzz",
    ...sorts,
    "total=true plan=free&total=true closed=false&total=true search=99&total=true search=nobody&total=true",
  ],
  [getAccount, id],
  [getKey, `id=${key}`],
  [findKey, `key=${fillKey}`],
  [
    listKeys,
    ` ${account} external_id=machine+500000 ${account}&external_id=machine+500000 sort=oldest sort=name`,
    `sort=last_used&${account} prefix=pk-abcdef prefix=pk-zzz prefix=pk-zzz&sort=name state=works`,
    "state=revoked state=expired state=disabled&sort=name total=true",
  ],
  [listNotices, ofStates(noticeStates), `${account} ${account}&state=failed`],
  [listMails, ofStates(mailStates), `${account} ${account}&state=failed address=ann@example.com`],
  [listAttempts, ` ${account} notice=msg_100000`],
  [
    listAudit,
    ` actor=cli:ann actor=cli:eve operation=keys.create operation=keys.revoke target=${key} ${account} ${from}`,
    "to=2027-01-29T06:00:00Z actor=cli:ann&operation=keys.create actor=cli:ann&operation=accounts.update",
    `actor=cli:ann&operation=accounts.update&from=2027-01-01 actor=cli:bob&${account}`,
  ],
  ...[listAdmins, listPeople, listInvitations].map((operation): [Operation, string] => [operation, ""]),
  [listAdjustments, id],
  [listStatements, "month=2027-01 month=2026-12"],
  [listStatementMonths, id],
  [showStatement, `${id}&month=2027-01`],
  [
    queryUsage,
    " by= by=day by=api api=hmac deprecated=true days=1&by= days=1 by=account by=account,day,api by=key",
    "by=account,key,day,api api=rare&by=account api=rare&by=key days=1&by=account",
    `from=2026-01-01&to=2026-01-31&by=account ${account} ${account}&by=account,key,day,api key=${key} key=${key}&by=day`,
  ],
  [historyOfCalls, " step=minute step=day step=hour&from=2027-01-01 api=hmac"],
  [historyOfFaults, " from=2027-01-01 api=hmac"],
  [
    historyOfCredits,
    ` step=day ${account} by=account step=day&by=account step=hour&from=2027-01-01&by=account`,
  ],
]

/** One list or query as an operation, and its parameters. */
interface AdminQuery {
  readonly title: string
  readonly operation: Operation
  readonly values: Readonly<Record<string, unknown>>
}

export const adminQueries: readonly AdminQuery[] = lists.flatMap(([operation, ...queries]) =>
  queries
    .flatMap((line) => line.split(" "))
    .map((query) => {
      const values = [...new URLSearchParams(query)].map(([name, text]) => [
        name,
        parameterOf(operation, name, text),
      ])
      return { title: `${operation.id} ${query}`, operation, values: Object.fromEntries(values) }
    }),
)

function parameterOf(operation: Operation, name: string, text: string): unknown {
  if (name === "by" && operation === queryUsage) return text.split(",").filter((part) => part !== "")
  if (name === "days") return Number(text)
  return text === "true" || (text === "false" ? false : text)
}
