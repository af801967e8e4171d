/** Changes to several accounts at once. */
import type { Account } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { bulkAction } from "../../kit/bulk-dialog.tsx"
import { AdjustmentFields, adjustmentRequired, readAdjustment } from "./account-adjustments.tsx"
import { PlanField } from "./account-windows.tsx"

/** @param plans the names of all plans; empty until they are known */
export function accountActions(plans: readonly string[]) {
  return [
    bulkAction<Account, "credits.adjust">({
      operation: "credits.adjust",
      label: "Adjust credits",
      title: (accounts) => `Adjust credits of ${accounts}`,
      done: (accounts) => `Credits of ${accounts} adjusted.`,
      about: "Each account gets the same credits, or loses them. An adjustment can be undone in its account.",
      fields: <AdjustmentFields />,
      required: adjustmentRequired,
      skip: skipClosed,
      input: ({ id }, values) => ({ id, ...readAdjustment(values) }),
    }),
    plans.length > 0 || !may("plans.list")
      ? bulkAction<Account, "accounts.update">({
          operation: "accounts.update",
          label: "Change plan",
          title: (accounts) => `Change the plan of ${accounts}`,
          done: (accounts) => `Plan of ${accounts} changed.`,
          about: "It takes effect with the next call. What was used this month stays used.",
          fields: <PlanField plans={plans} />,
          required: { plan: "Type the name of a plan." },
          skip: skipClosed,
          input: ({ id }, values) => ({ id, plan: values.text("plan") }),
        })
      : null,
    bulkAction<Account, "accounts.close">({
      operation: "accounts.close",
      label: "Close",
      title: (accounts) => `Close ${accounts}`,
      done: (accounts) => `${accounts} closed.`,
      about:
        "Their keys are refused from now on. You can reopen them later; keys, credits and usage are kept.",
      danger: true,
      skip: ({ closed }) => (closed === null ? null : "closed already"),
      input: ({ id }) => ({ id }),
    }),
  ]
}

function skipClosed({ closed }: Account): string | null {
  return closed === null ? null : "closed"
}
