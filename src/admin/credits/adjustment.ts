import { type Static, Type } from "@sinclair/typebox"
import { createId } from "../../accounts/key.ts"
import { maxCredits } from "../../accounts/plan.ts"
import { refuseHidden } from "../../accounts/requirements.ts"
import { choice, nullableText } from "../../apis/contract.ts"
import type { AdjustmentRecord } from "../../store/adjustments.ts"
import type { AccountDetails } from "../../store/admin-store.ts"
import { AdminFault, conflict } from "../fault.ts"
import { idText, instant } from "../fields.ts"
import { type AdminContext, operatorOnly, type PreparedChange } from "../operation.ts"
import type { AdminParts } from "../parts.ts"
import { showBy } from "../show.ts"

export const adjustmentId = idText("The adjustment's id, which starts with `adj_`.")
export const reason = Type.String({
  minLength: 1,
  maxLength: 500,
  description: "Why, in a sentence that the customer may read.",
})
export const reference = Type.String({
  minLength: 1,
  maxLength: 200,
  description:
    "Your own reference, such as the number of a payment. Each account has one adjustment with it: the same again changes nothing.",
})

const kinds = ["sign_up", "grant", "adjustment", "undo"] as const

/** An adjustment as operations answer it. */
export const adjustmentSchema = Type.Object({
  id: Type.String({ description: "The adjustment's id." }),
  account: Type.String({ description: "The account's id." }),
  at: instant("When it was made."),
  kind: choice(kinds, {
    description: "`sign_up` is the bonus of the plan at the start; `undo` takes another adjustment back.",
  }),
  credits: Type.Integer({ description: "Bonus credits that were added; negative when they were taken." }),
  reason: Type.String({ description: "Why." }),
  reference: nullableText("Your own reference."),
  undoes: nullableText("The id of the adjustment that this one takes back."),
  undone_by: nullableText("The id of the adjustment that took this one back."),
  made_by: operatorOnly(nullableText("Who made it; null for the service, and at the start.")),
})

type AdjustmentOutput = Static<typeof adjustmentSchema>

const show = showBy(adjustmentSchema)

export function toAdjustmentOutput(entry: AdjustmentRecord): AdjustmentOutput {
  return show(entry, { made_by: entry.madeBy || null })
}

/** @throws AdminFault when there is no such adjustment */
export async function requireAdjustment({ admin }: AdminParts, id: string): Promise<AdjustmentRecord> {
  const found = await admin.findAdjustment(id)
  if (found) return found
  throw new AdminFault(
    "not-found",
    `There is no adjustment '${id}'. List the adjustments of its account to find its id, which starts with adj_.`,
    { id },
  )
}

export async function readAdjustment(id: string, context: AdminParts): Promise<AdjustmentOutput> {
  return toAdjustmentOutput(await requireAdjustment(context, id))
}

interface NewEntry extends Pick<AdjustmentRecord, "kind" | "credits" | "reason"> {
  readonly reference?: string | undefined
  readonly undoes?: string
}

/**
 * Prepares an entry for an open account.
 * @param parameter the parameter to blame when the credits do not fit
 * @throws AdminFault when the bonus would be too large, or below zero though no account may owe credits
 */
export function prepareEntry(
  account: AccountDetails,
  { kind, credits, reason, ...more }: NewEntry,
  context: AdminContext,
  parameter: string,
): PreparedChange<never> & { readonly entry: AdjustmentRecord } {
  const { id: accountId } = account
  const { reference = null, undoes = null } = more
  const { mayOwe, auditRandom, clock, actor } = context
  refuseHidden(reason, "The reason", "reason")
  if (reference !== null) refuseHidden(reference, "The reference", "reference")
  requireRoom(account, credits, mayOwe, parameter)
  const id = createId("adj", auditRandom)
  const madeBy = actor.id === "service" ? "" : actor.name
  const entry = { id, accountId, atMs: clock.now(), kind, credits, reason, reference, undoes, madeBy }
  return {
    entry: { ...entry, undoneBy: null },
    mutations: [{ kind: "account.adjust", id: accountId, entry, maxBonus: maxCredits, mayOwe }],
    target: { kind: "adjustment", id, accountId },
    after: { account: accountId, credits, reason, reference, ...(undoes !== null && { undoes }) },
  }
}

function requireRoom(
  { id, bonus, debt }: AccountDetails,
  credits: number,
  mayOwe: boolean,
  parameter: string,
): void {
  const now = bonus - debt
  if (now + credits > maxCredits)
    throw conflict(
      `The bonus of an account can be ${maxCredits} credits at most; '${id}' has ${now}: add ` +
        `${Math.max(0, maxCredits - now)} or less.`,
      parameter,
    )
  if (credits > 0 || now + credits >= (mayOwe ? -maxCredits : 0)) return
  const most = mayOwe
    ? `An account can owe ${maxCredits} credits at most`
    : `Account '${id}' has ${now} bonus credits`
  const advice = mayOwe
    ? `'${id}' has ${now}: take fewer.`
    : `${now > 0 ? `take ${now} at most` : "there are none to take"}. A service with --allow-debt lets an account owe credits.`
  throw conflict(`${most}; ${advice}`, parameter)
}
