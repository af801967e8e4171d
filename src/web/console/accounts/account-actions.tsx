/** Changes to several accounts at once. */
import type { Account } from "../../client/operations.ts"
import { bulkAction } from "../../kit/bulk-dialog.tsx"
import type { Choices } from "../../kit/field.tsx"
import { adjustmentFields } from "./account-windows.tsx"

/** @param plans all plans: empty until they are known, undefined for a user who may not list them */
export function accountActions(plans: Choices | undefined) {
  return [
    bulkAction<Account, "credits.adjust">({
      operation: "credits.adjust",
      label: "Adjust credits",
      title: (accounts) => `Adjust credits of ${accounts}`,
      done: (accounts) => `Credits of ${accounts} adjusted.`,
      about: "Each account gets the same credits, or loses them. An adjustment can be undone in its account.",
      fields: adjustmentFields,
      skip: skipClosed,
    }),
    plans?.length !== 0
      ? bulkAction<Account, "accounts.update">({
          operation: "accounts.update",
          label: "Change plan",
          title: (accounts) => `Change the plan of ${accounts}`,
          done: (accounts) => `Plan of ${accounts} changed.`,
          about: "It takes effect with the next call. What was used this month stays used.",
          fields: { plan: { choices: plans, hint: plans ? "" : "Its name, such as free." } },
          skip: skipClosed,
        })
      : null,
    bulkAction<Account, "accounts.close">({
      operation: "accounts.close",
      label: "Close",
      done: (accounts) => `${accounts} closed.`,
      about:
        "Their keys are refused from now on. You can reopen them later; keys, credits and usage are kept.",
      danger: true,
      skip: ({ closed }) => (closed === null ? null : "closed already"),
    }),
  ]
}

function skipClosed({ closed }: Account): string | null {
  return closed === null ? null : "closed"
}
