import { type Static, Type } from "@sinclair/typebox"
import { choice, nullable, nullableText } from "../../apis/contract.ts"
import { externalId, instant, maybeInstant, maybeInteger } from "../fields.ts"
import { operatorOnly } from "../operation.ts"

const lines = ["renewal", "plan_change", "sign_up", "grant", "adjustment", "undo", "usage"] as const

/** A line of a statement. */
const line = Type.Object({
  line: choice(lines, {
    description:
      "`renewal`: a credit month began; `plan_change`; `usage` of an API with a key; else the kind of an adjustment.",
  }),
  id: nullableText("The adjustment's id."),
  at: maybeInstant("When; null for usage, which is that of the whole month."),
  plan: nullableText("The plan of a renewal, or the new one of a change."),
  price: nullableText("The displayed price of this plan."),
  monthly_credits: maybeInteger("Credits a month of this plan; null without a limit, and without a plan."),
  previous_plan: nullableText("The plan before a change."),
  previous_monthly_credits: maybeInteger(
    "Credits a month of the plan before a change; null without a limit.",
  ),
  key: nullableText("The key's id; empty for what was recorded before keys were."),
  key_name: nullableText("The key's present name."),
  api: nullableText("The API's id."),
  calls: maybeInteger("Successful calls."),
  credits: maybeInteger(
    "Credits: those of the month that a renewal gave, null without a limit; that an adjustment added, negative when it took them; that were used.",
  ),
  reason: nullableText("Why credits were adjusted."),
  reference: nullableText("The operator's own reference of an adjustment."),
  undoes: nullableText("The id of the adjustment that this one takes back."),
})

/** The sums of a statement. */
export const statementHead = {
  account: Type.String({ description: "The account's id." }),
  name: Type.String({ description: "Its name at the end of the month, or now." }),
  external_id: operatorOnly(nullable(externalId, { description: externalId.description ?? "" })),
  month: Type.String({ description: "The calendar month in UTC, `2027-01`." }),
  from: instant("When the month began."),
  to: instant("When it ended or will end."),
  final: Type.Boolean({
    description:
      "Whether the month is over and the statement never changes again, ten minutes after its end.",
  }),
  plan: Type.String({ description: "The plan at the end of the month, or now." }),
  price: nullableText("The displayed price of this plan; null without one."),
  granted: Type.Integer({ description: "Bonus credits that were granted, the sign-up bonus included." }),
  adjusted: Type.Integer({ description: "The sum of all other adjustments; negative when more was taken." }),
  used: Type.Integer({
    description: "Credits that were used, whether the month or the bonus paid for them.",
  }),
  calls: Type.Integer({ description: "Successful calls." }),
}

const head = Type.Object(statementHead)

const sum = (name: string) =>
  maybeInteger(`The part of \`${name}\` of the statement: all lines add up to it.`)

/** A line of a statement in an answer: a row of a table with all that an invoice needs. */
export const statementLine = Type.Object({
  account: statementHead.account,
  name: statementHead.name,
  month: statementHead.month,
  final: statementHead.final,
  month_plan: statementHead.plan,
  month_price: statementHead.price,
  ...line.properties,
  granted: sum("granted"),
  adjusted: sum("adjusted"),
  used: sum("used"),
})

/** A line of {@link Statement}. */
export type StatementLine = Static<typeof line>
const { line: _, ...otherFields } = line.properties
const noLine = Object.fromEntries(Object.keys(otherFields).map((name) => [name, null]))

/** A line with these fields, and null in all others. */
export function lineOf(given: Partial<StatementLine> & Pick<StatementLine, "line">) {
  return { ...noLine, ...given } as StatementLine
}

/** The statement of an account for a month. */
export type Statement = Static<typeof head> & { lines: StatementLine[] }

/** A line of a statement, as a row of a table. */
export function toRow({ account, name, month, final, plan, price }: Statement, given: StatementLine) {
  const { line, credits } = given
  const isGrant = line === "grant" || line === "sign_up"
  const isAdjusted = line === "adjustment" || line === "undo"
  return {
    ...{ account, name, month, final, month_plan: plan, month_price: price },
    ...given,
    granted: isGrant ? credits : null,
    adjusted: isAdjusted ? credits : null,
    used: line === "usage" ? credits : null,
  }
}
