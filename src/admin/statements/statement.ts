import { type Static, Type } from "@sinclair/typebox"
import { toIso } from "../../values/time-text.ts"
import { requireAccount } from "../accounts/account.ts"
import { accountId, countedListOf, instant, listOf, pageParameters, totalParameter } from "../fields.ts"
import { defineRead } from "../operation.ts"
import { readPage, readPlacedPage, wholeList, withTotal } from "../pages.ts"
import { accountsAtOnce, readStatements } from "./make-statement.ts"
import { isOver, type Month, monthOf, monthsOf, requireMonth, requireMonthOf } from "./month.ts"
import { type Statement, statementHead, statementLine, toRow } from "./statement-schema.ts"

const month = Type.String({
  maxLength: 20,
  description: "The calendar month in UTC, such as 2027-01.",
  "x-requirement": "must be a month such as 2027-01",
})

export const showStatement = defineRead({
  id: "statements.show",
  title: "Show a statement",
  description:
    "Shows what an invoice for a calendar month is made from: plan and displayed price, credits that were granted, adjusted and renewed, and used by key and API. It never changes once the month is over.",
  permission: "accounts.read",
  path: "/accounts/{id}/statements/{month}",
  command: {
    words: "statement",
    args: ["id"],
    requires: ["month"],
    example: "acc_1234567890abcdef --month 2027-01",
    empty: "Nothing happened in this month.",
    columns: ["line", "at", "plan", "key_name", "api", "calls", "credits", "reason"],
  },
  portal: { account: "id" },
  input: Type.Object({ id: accountId, month, ...pageParameters }),
  output: Type.Object({ ...statementHead, ...listOf(statementLine).properties }),
  example: { id: "acc_1234567890abcdef", month: "2027-01" },
  async read({ id, month: name, limit = 1_000, after }, context) {
    const account = await requireAccount(context, id)
    const asked = requireMonthOf(account, name, context.clock.now())
    const [statement] = await readStatements([account], asked, context)
    if (statement === undefined) throw new Error("an account has no statement of one of its months")
    const { lines, ...head } = statement
    const page = await readPlacedPage(
      `statement ${id} ${name}`,
      { limit, after },
      async (place) => {
        const start = Number(place.after?.[0] ?? 0)
        const end = start + place.limit
        return { rows: lines.slice(start, end), next: end < lines.length ? [end] : null }
      },
      (line) => toRow(statement, line),
    )
    return { ...head, ...page }
  },
})

const monthSchema = Type.Object({
  month: Type.String({ description: "The calendar month in UTC." }),
  from: instant("When it began."),
  to: instant("When it ended or will end."),
  final: statementHead.final,
})

export const listStatementMonths = defineRead({
  id: "statements.months",
  title: "List the months of an account",
  description: "Lists the months for which an account has statements, the present one first.",
  permission: "accounts.read",
  path: "/accounts/{id}/statements",
  command: { words: "account statements", args: ["id"], example: "acc_1234567890abcdef" },
  portal: { account: "id" },
  input: Type.Object({ id: accountId }),
  output: listOf(monthSchema),
  async read({ id }, context) {
    const nowMs = context.clock.now()
    return wholeList(monthsBetween(monthsOf(await requireAccount(context, id), nowMs), nowMs))
  },
})

export const listAllMonths = defineRead({
  id: "statements.all_months",
  title: "List the months of the service",
  description:
    "Lists the months for which there are statements, the present one first: those since the first account was created. None without accounts.",
  permission: "accounts.read",
  path: "/statements/months",
  command: { words: "account statements", switch: "all", example: "--all" },
  input: Type.Object({}),
  output: listOf(monthSchema),
  async read(_, context) {
    const nowMs = context.clock.now()
    const [oldest] = await context.admin.accounts({}, { limit: 1, after: null }, { by: "oldest" })
    return wholeList(oldest ? monthsBetween(monthsOf(oldest, nowMs), nowMs) : [])
  },
})

/** Months, the last one first. */
function monthsBetween([first, last]: readonly [Month, Month], nowMs: number): Static<typeof monthSchema>[] {
  const found: Static<typeof monthSchema>[] = []
  for (let one = last; one.startMs >= first.startMs; one = monthOf(one.startMs - 1)) {
    const [from, to] = [toIso(one.startMs), toIso(one.endMs)]
    found.push({ month: one.name, from, to, final: isOver(one, nowMs) })
  }
  return found
}

export const listStatements = defineRead({
  id: "statements.list",
  title: "List the statements of a month",
  description:
    "Lists the sums of all accounts for a calendar month, the newest account first: what invoices are made from. Accounts that were created later are left out.",
  permission: "accounts.read",
  path: "/statements",
  command: {
    words: "statements",
    requires: ["month"],
    example: "--month 2027-01",
    empty: "No account had a statement in this month.",
    columns: ["account", "name", "plan", "price", "granted", "adjusted", "used", "final"],
  },
  input: Type.Object({ month, ...totalParameter, ...pageParameters }),
  output: countedListOf(Type.Object(statementHead)),
  example: { month: "2027-01" },
  async read({ month: name, total, ...page }, context) {
    const asked = requireMonth(name)
    const isToCome = asked.startMs > context.clock.now()
    const accounts = await readPage(
      `statements of ${name}`,
      page,
      ({ limit, after }) =>
        // The first one that was created in the month or before it.
        isToCome
          ? noAccounts
          : context.admin.accounts({}, { limit, after: after ?? [asked.endMs, ""] }, newest),
      ({ createdMs, id }) => [createdMs, id],
      (account) => account,
    )
    const data: Omit<Statement, "lines">[] = []
    while (data.length < accounts.data.length) {
      const some = accounts.data.slice(data.length, data.length + accountsAtOnce)
      const statements = await readStatements(some, asked, context)
      data.push(...statements.map(({ lines: _, ...head }) => head))
    }
    const listed = { ...accounts, data }
    const createdBeforeMs = isToCome ? 0 : asked.endMs
    return withTotal(listed, total, (most) =>
      context.admin.countListed({ list: "accounts", filter: {}, createdBeforeMs }, most),
    )
  },
})

const newest = { by: "newest" } as const
const noAccounts = Promise.resolve([])
