import { Type } from "@sinclair/typebox"
import { isNearLimit, nearLimitPercent } from "../../accounts/credits.ts"
import { requireEmail } from "../../accounts/email.ts"
import type { AccountDetails, AccountFilter, Page } from "../../store/admin-store.ts"
import { email, externalId, listOf, pageParameters } from "../fields.ts"
import { defineRead } from "../operation.ts"
import { readPage } from "../pages.ts"
import type { AdminParts } from "../parts.ts"
import { accountSchema, toAccountOutput } from "./account.ts"

export const listAccounts = defineRead({
  id: "accounts.list",
  title: "List accounts",
  description: "Lists accounts with their balances, oldest first.",
  permission: "accounts.read",
  path: "/accounts",
  command: {
    words: "account list",
    example: "--plan pro",
    empty: "No accounts found. 'account create' makes one.",
    columns: ["id", "name", "plan", "used", "remaining", "used_percent", "created", "closed", "problem"],
  },
  input: Type.Object({
    plan: Type.Optional(Type.String({ maxLength: 100, description: "Only accounts of this plan." })),
    email: Type.Optional({ ...email, description: "Only the account with this e-mail address." }),
    external_id: Type.Optional(externalId),
    closed: Type.Optional(Type.Boolean({ description: "Only closed accounts, or only open ones." })),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: "Only accounts with this in their name, or whose id begins with it.",
      }),
    ),
    near_limit: Type.Optional(
      Type.Boolean({
        description: `Only open accounts that have used ${nearLimitPercent} % or more of the credits of their month, or only others. Where the configuration gave a plan fewer credits, an account is found from its next call on.`,
      }),
    ),
    ...pageParameters,
  }),
  output: listOf(accountSchema),
  example: { plan: "pro" },
  async read({ plan, email, external_id, closed, search, near_limit, limit, after }, context) {
    const address = email === undefined ? undefined : await requireEmail(email)
    const filter = { plan, email: address, externalId: external_id, closed, search }
    const read =
      near_limit === undefined
        ? (page: Page) => context.admin.accounts(filter, page)
        : (page: Page) => readByLimit(filter, near_limit, page, context)
    return readPage("accounts", { limit, after }, read, placeOf, (account) =>
      toAccountOutput(account, context),
    )
  },
})

/** Accounts that are read at once to look for those near their limit. */
const fewestRead = 500
/** The longest credit month. */
const maxMonthMs = 31 * 86_400_000

function placeOf({ createdMs, id }: AccountDetails): readonly (string | number)[] {
  return [createdMs, id]
}

/** Reads on until the page is full: the store knows only which accounts may be near their limit. */
async function readByLimit(
  given: AccountFilter,
  isNear: boolean,
  page: Page,
  { admin, plans, clock }: AdminParts,
): Promise<readonly AccountDetails[]> {
  const nowMs = clock.now()
  const filter = isNear ? { ...given, mayBeNearLimitSinceMs: nowMs - maxMonthMs } : given
  const found: AccountDetails[] = []
  const limit = Math.max(page.limit, fewestRead)
  for (let { after } = page; ; ) {
    const rows = await admin.accounts(filter, { limit, after })
    found.push(...rows.filter((row) => isNearLimit(row, plans.get(row.plan), nowMs) === isNear))
    const last = rows.at(-1)
    if (last === undefined || rows.length < limit || found.length >= page.limit) {
      return found.slice(0, page.limit)
    }
    after = placeOf(last)
  }
}
