import { Type } from "@sinclair/typebox"
import { isMonthOver, isNearLimit, nearLimitPercent } from "../../accounts/credits.ts"
import { requireEmail } from "../../accounts/email.ts"
import { choice } from "../../apis/contract.ts"
import type { AccountDetails, Page } from "../../store/admin-store.ts"
import type { AccountFilter, AccountOrder } from "../../store/list-filters.ts"
import { toLowerAscii } from "../../values/text.ts"
import {
  countedListOf,
  email,
  externalId,
  keyPrefix,
  optionalFlag,
  optionalText,
  pageParameters,
  totalParameter,
} from "../fields.ts"
import { defineRead } from "../operation.ts"
import { readPage, withTotal } from "../pages.ts"
import type { AdminParts } from "../parts.ts"
import { accountSchema, toAccountOutput } from "./account.ts"

const sorts = ["newest", "oldest", "name", "used", "last_used"] as const

export const listAccounts = defineRead({
  id: "accounts.list",
  title: "List accounts",
  description: "Lists accounts with their balances, newest first.",
  permission: "accounts.read",
  path: "/accounts",
  command: {
    words: "account list",
    example: "--plan pro",
    empty: "No accounts found. 'account create' makes one.",
    columns: ["id", "name", "plan", "used", "remaining", "used_percent", "created", "closed", "problem"],
    moreColumns: ["email", "external_id", "last_used"],
  },
  input: Type.Object({
    plan: optionalText("Only accounts of this plan.", { maxLength: 100 }),
    email: Type.Optional({ ...email, description: "Only the account with this e-mail address." }),
    external_id: Type.Optional(externalId),
    closed: optionalFlag("Only closed accounts, or only open ones."),
    search: optionalText("Only accounts with this in their name, or whose id begins with it.", {
      minLength: 1,
      maxLength: 200,
    }),
    near_limit: optionalFlag(
      `Only open accounts that have used ${nearLimitPercent} % or more of the credits of their month, or only others. Where the configuration gave a plan fewer credits, an account is found from its next call on.`,
    ),
    key_prefix: Type.Optional({
      ...keyPrefix,
      description: "Only the accounts of keys that begin with this.",
    }),
    sort: Type.Optional(
      choice(sorts, {
        description:
          "The order: `newest` (the default), `oldest`, `name`, `used` (most used credits of this month first), `last_used` (last day with a call first).",
      }),
    ),
    ...totalParameter,
    ...pageParameters,
  }),
  output: countedListOf(accountSchema),
  example: { plan: "pro" },
  async read(input, context) {
    const {
      plan,
      email,
      external_id,
      closed,
      search,
      near_limit,
      key_prefix,
      sort = "newest",
      limit,
      after,
      total,
    } = input
    const { admin, clock } = context
    const address = email === undefined ? undefined : await requireEmail(email)
    const filter = { plan, email: address, externalId: external_id, closed, search, keyPrefix: key_prefix }
    const order = toOrder(sort, clock.now())
    const place = (account: AccountDetails) => placeOf(account, order)
    const read =
      near_limit === undefined
        ? (page: Page) => admin.accounts(filter, page, order)
        : (page: Page) => readByLimit({ filter, order, isNear: near_limit }, page, context)
    const page = await readPage(`accounts ${sort}`, { limit, after }, read, place, (account) =>
      toAccountOutput(account, context),
    )
    // Whether an account is near its limit is known only when it was read.
    const isCounted = total === true && near_limit === undefined
    return withTotal(page, isCounted, (most) => admin.countListed({ list: "accounts", filter }, most))
  },
})

/** Accounts that are read at once to look for those near their limit. */
const fewestRead = 500
/** The longest credit month. */
const maxMonthMs = 31 * 86_400_000

/** The shortest credit month. */
const minMonthMs = 28 * 86_400_000

function toOrder(by: (typeof sorts)[number], nowMs: number): AccountOrder {
  if (by !== "used") return { by }
  return {
    by,
    surelyOverMs: nowMs - maxMonthMs,
    perhapsOverMs: nowMs - minMonthMs,
    isMonthOver: (account) => isMonthOver(account, nowMs),
  }
}

function placeOf(account: AccountDetails, order: AccountOrder): readonly (string | number)[] {
  const { id, createdMs, name, used, lastDay = "" } = account
  if (order.by === "name") return [toLowerAscii(name), id]
  if (order.by === "used") return [order.isMonthOver(account) ? 0 : used, id]
  return [order.by === "last_used" ? lastDay : createdMs, id]
}

interface LimitQuery {
  readonly filter: AccountFilter
  readonly order: AccountOrder
  readonly isNear: boolean
}

/** Reads on until the page is full: the store knows only which accounts may be near their limit. */
async function readByLimit(
  { filter: given, order, isNear }: LimitQuery,
  page: Page,
  { admin, plans, clock }: AdminParts,
): Promise<readonly AccountDetails[]> {
  const nowMs = clock.now()
  const filter = isNear ? { ...given, mayBeNearLimitSinceMs: nowMs - maxMonthMs } : given
  const found: AccountDetails[] = []
  // By use, those near their limit come first, and a large part takes longer.
  const isByUse = order.by === "used" || order.by === "last_used"
  const limit = isByUse ? page.limit : Math.max(page.limit, fewestRead)
  for (let { after } = page; ; ) {
    const rows = await admin.accounts(filter, { limit, after }, order)
    found.push(...rows.filter((row) => isNearLimit(row, plans.get(row.plan), nowMs) === isNear))
    const last = rows.at(-1)
    if (last === undefined || rows.length < limit || found.length >= page.limit)
      return found.slice(0, page.limit)
    after = placeOf(last, order)
  }
}
