import { Type } from "@sinclair/typebox"
import { maxCredits } from "../../accounts/plan.ts"
import type { AdjustmentRecord } from "../../store/adjustments.ts"
import { requireAccount, requireOpenAccount } from "../accounts/account.ts"
import { AdminFault, conflict, invalid } from "../fault.ts"
import { accountId, listOf, pageParameters } from "../fields.ts"
import { type AdminContext, defineChange, defineRead } from "../operation.ts"
import { readPage } from "../pages.ts"
import {
  adjustmentId,
  adjustmentSchema,
  prepareEntry,
  readAdjustment,
  reason,
  reference,
  requireAdjustment,
  toAdjustmentOutput,
} from "./adjustment.ts"

export const adjustCredits = defineChange({
  id: "credits.adjust",
  title: "Adjust credits",
  description:
    "Adds bonus credits to an account, or takes some of them. Never below zero, unless the service runs with `--allow-debt`.",
  permission: "credits.adjust",
  path: "/accounts/{id}/adjustments",
  status: 201,
  command: {
    words: "account adjust",
    args: ["id", "credits"],
    example: "acc_1234567890abcdef -500 --reason refunded",
  },
  input: Type.Object({
    id: accountId,
    credits: Type.Integer({
      minimum: -maxCredits,
      maximum: maxCredits,
      description: "How many credits to add; negative to take some.",
    }),
    reason,
    reference: Type.Optional(reference),
  }),
  output: adjustmentSchema,
  example: { id: "acc_1234567890abcdef", credits: -500, reason: "Granted twice" },
  async prepare({ id, credits, reason, reference }, context) {
    if (credits === 0) throw invalid("credits", "The 'credits' parameter must not be 0.")
    const earlier = reference === undefined ? null : await context.admin.findReferredAdjustment(id, reference)
    if (earlier) return answerEarlier(earlier, credits)
    const account = await requireOpenAccount(context, id)
    return prepareEntry(account, { kind: "adjustment", credits, reason, reference }, context, "credits")
  },
  recall: readAdjustment,
})

/**
 * Answers with the adjustment that has the same reference.
 * @throws AdminFault when it is of other credits
 */
function answerEarlier(earlier: AdjustmentRecord, credits: number) {
  const { id, accountId, reference, credits: found } = earlier
  if (found !== credits)
    throw conflict(
      `Choose another 'reference': adjustment '${id}' of ${found} credits has '${reference}' already.`,
      "reference",
    )
  const target = { kind: "adjustment", id, accountId }
  const answer = () => toAdjustmentOutput(earlier)
  return { mutations: [], target, before: null, after: null, isTrial: true, answer }
}

export const undoAdjustment = defineChange({
  id: "credits.undo",
  title: "Undo an adjustment",
  description:
    "Takes an adjustment of credits back, once: adds an entry with the opposite credits that names it. Both stay in the list.",
  permission: "credits.adjust",
  path: "/adjustments/{id}/undo",
  status: 201,
  command: { words: "account undo-adjustment", args: ["id"], example: "adj_1234567890abcdef" },
  input: Type.Object({ id: adjustmentId, reason: Type.Optional(reason) }),
  output: adjustmentSchema,
  async prepare({ id, reason }, context) {
    const undone = await requireAdjustment(context, id)
    requireUndoable(undone)
    const account = await requireOpenAccount({ ...context, ifVersion: null }, undone.accountId)
    const entry = { kind: "undo", credits: -undone.credits, undoes: id } as const
    return prepareEntry(account, { ...entry, reason: reason ?? `Undo: ${undone.reason}` }, context, "id")
  },
  recall: readAdjustment,
})

/** @throws AdminFault for an adjustment that was taken back, or takes another one back */
function requireUndoable({ id, kind, undoes, undoneBy }: AdjustmentRecord): void {
  if (undoneBy !== null)
    throw new AdminFault("conflict", `Adjustment '${id}' was undone by '${undoneBy}' already.`, { id })
  if (kind === "undo")
    throw new AdminFault("conflict", `'${id}' undoes '${undoes}': adjust the credits again instead.`, { id })
}

export const listAdjustments = defineRead({
  id: "credits.list",
  title: "List adjustments",
  description: "Lists what was added to the bonus of an account or taken from it, newest first.",
  permission: "accounts.read",
  path: "/accounts/{id}/adjustments",
  command: {
    words: "account adjustments",
    args: ["id"],
    example: "acc_1234567890abcdef",
    empty: "No adjustments.",
    columns: ["id", "at", "credits", "reason", "reference", "undone_by"],
  },
  portal: { account: "id" },
  input: Type.Object({ id: accountId, ...pageParameters }),
  output: listOf(adjustmentSchema),
  async read({ id, ...page }, context: AdminContext) {
    await requireAccount(context, id)
    return readPage(
      `adjustments of ${id}`,
      page,
      (asked) => context.admin.adjustments({ accountIds: [id] }, asked),
      ({ atMs, id: entryId }) => [atMs, entryId],
      toAdjustmentOutput,
    )
  },
})
