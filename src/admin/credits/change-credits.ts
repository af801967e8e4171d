import { Type } from "@sinclair/typebox"
import { balanceOf, periodAt } from "../../accounts/credits.ts"
import { maxCredits } from "../../accounts/plan.ts"
import { toIso } from "../../values/time-text.ts"
import { accountSchema, readAccount, requireOpenAccount } from "../accounts/account.ts"
import { conflict } from "../fault.ts"
import { accountId, maybeInteger, optionalFlag } from "../fields.ts"
import { defineChange } from "../operation.ts"
import type { AdminParts } from "../parts.ts"
import { prepareEntry, reason } from "./adjustment.ts"

export const grantCredits = defineChange({
  id: "credits.grant",
  title: "Grant credits",
  description: "Adds bonus credits to an account. They do not expire. It can be undone as an adjustment.",
  permission: "credits.grant",
  path: "/accounts/{id}/credits",
  command: { words: "account grant", args: ["id", "credits"], example: "acc_1234567890abcdef 500" },
  input: Type.Object({
    id: accountId,
    credits: Type.Integer({ minimum: 1, maximum: maxCredits, description: "How many credits to add." }),
    reason: Type.Optional(reason),
  }),
  output: accountSchema,
  example: { id: "acc_1234567890abcdef", credits: 500 },
  async prepare({ id, credits, reason }, context) {
    const account = await requireOpenAccount(context, id)
    const given = { kind: "grant", credits, reason: reason ?? "Granted" } as const
    const { entry, mutations } = prepareEntry(account, given, context, "credits")
    return {
      mutations,
      target: { kind: "account", id, accountId: id },
      after: { granted: credits, adjustment: entry.id },
    }
  },
  recall: readAccount,
})

const output = Type.Object({
  ...accountSchema.properties,
  given: maybeInteger(
    "Used credits of the month that may be used again; null in an answer that is repeated after a crash.",
  ),
})

export const renewCredits = defineChange({
  id: "credits.renew",
  title: "Start a credit month again",
  description:
    "Starts the current credit month again with zero usage. For an account whose month lies in the future because a clock was " +
    "ahead. Bonus and recorded usage stay.",
  permission: "credits.grant",
  path: "/accounts/{id}/renew",
  command: { words: "account renew", args: ["id"], example: "acc_1234567890abcdef" },
  input: Type.Object({
    id: accountId,
    anyway: optionalFlag("Also renew a month that has not ended: its used credits are given again.", {
      default: false,
    }),
  }),
  output,
  isFinal: true,
  async prepare({ id, anyway }, context) {
    const account = await requireOpenAccount(context, id)
    const nowMs = context.clock.now()
    const plan = context.plans.get(account.plan) ?? { monthlyCredits: 0 }
    /** Used credits that count against the allowance now. */
    const given = balanceOf(account, plan, nowMs).used
    if (account.periodStartMs <= nowMs && !anyway)
      throw conflict(
        `The credit month of account '${id}' began at ${toIso(account.periodStartMs)} and is not in the future. To start it again ` +
          `would give ${given.toLocaleString("en-US")} used credits a second time. Set 'anyway' to do it nevertheless.`,
        "anyway",
      )
    // If even its creation lies in the future, it counts as created now.
    const createdMs = Math.min(account.createdMs, nowMs)
    const periodStartMs = periodAt(createdMs, nowMs).startMs
    return {
      mutations: [{ kind: "account.renew", id, createdMs, periodStartMs }],
      target: { kind: "account", id, accountId: id },
      before: { month: toIso(account.periodStartMs), used: account.used },
      after: { month: toIso(periodStartMs), used: 0, given },
      answer: () => readRenewed(id, context, given),
    }
  },
  recall: (id, context) => readRenewed(id, context, null),
})

async function readRenewed(id: string, context: AdminParts, given: number | null) {
  return { ...(await readAccount(id, context)), given }
}
