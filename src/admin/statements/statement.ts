import { Type } from "@sinclair/typebox"
import { requireAccount } from "../accounts/account.ts"
import { accountId, instant, listOf, pageParameters } from "../fields.ts"
import { defineRead } from "../operation.ts"
import { readPage, readPlacedPage, wholeList } from "../pages.ts"
import { readStatement } from "./make-statement.ts"
import { isOver, monthOf, monthsOf, requireMonth, requireMonthOf } from "./month.ts"
import { type Statement, statementHead, statementLine } from "./statement-schema.ts"

/** Statements that are read beside each other: a database answers each of their questions after a while. */
const readAtOnce = 16

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
    const { lines, ...head } = await readStatement(account, asked, context)
    const page = await readPlacedPage(
      `statement ${id} ${name}`,
      { limit, after },
      async (place) => {
        const start = Number(place.after?.[0] ?? 0)
        const end = start + place.limit
        return { rows: lines.slice(start, end), next: end < lines.length ? [end] : null }
      },
      (line) => line,
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
  description: "Lists the months that an account has statements of, the present one first.",
  permission: "accounts.read",
  path: "/accounts/{id}/statements",
  command: { words: "account statements", args: ["id"], example: "acc_1234567890abcdef" },
  portal: { account: "id" },
  input: Type.Object({ id: accountId }),
  output: listOf(monthSchema),
  example: { id: "acc_1234567890abcdef" },
  async read({ id }, context) {
    const nowMs = context.clock.now()
    const [first, last] = monthsOf(await requireAccount(context, id), nowMs)
    const found: { month: string; from: string; to: string; final: boolean }[] = []
    for (let one = last; one.startMs >= first.startMs; one = monthOf(one.startMs - 1)) {
      const from = new Date(one.startMs).toISOString()
      const to = new Date(one.endMs).toISOString()
      found.push({ month: one.name, from, to, final: isOver(one, nowMs) })
    }
    return wholeList(found)
  },
})

export const listStatements = defineRead({
  id: "statements.list",
  title: "List the statements of a month",
  description:
    "Lists the sums of all accounts for a calendar month, the newest account first: what invoices are made from.",
  permission: "accounts.read",
  path: "/statements",
  command: {
    words: "statements",
    requires: ["month"],
    example: "--month 2027-01",
    empty: "No account had a statement in this month.",
    columns: ["account", "name", "plan", "price", "granted", "adjusted", "used", "final"],
  },
  input: Type.Object({ month, ...pageParameters }),
  output: listOf(Type.Object(statementHead)),
  example: { month: "2027-01" },
  async read({ month: name, ...page }, context) {
    const asked = requireMonth(name)
    const accounts = await readPage(
      `statements of ${name}`,
      page,
      // The list begins with the newest account of the month, and has none when the month has not begun.
      ({ limit, after }) =>
        asked.startMs > context.clock.now()
          ? Promise.resolve([])
          : context.admin.accounts({}, { limit, after: after ?? [asked.endMs, ""] }, { by: "newest" }),
      ({ createdMs, id }) => [createdMs, id],
      (account) => account,
    )
    const data: Statement[] = []
    while (data.length < accounts.data.length) {
      const some = accounts.data.slice(data.length, data.length + readAtOnce)
      data.push(...(await Promise.all(some.map((account) => readStatement(account, asked, context)))))
    }
    return { ...accounts, data: data.map(({ lines: _, ...head }) => head) }
  },
})
