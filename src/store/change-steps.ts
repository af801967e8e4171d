import { accountSteps } from "./account-steps.ts"
import type { AdminChange, Mutation } from "./admin-store.ts"
import { linkSteps } from "./link-steps.ts"
import { peopleSteps } from "./people-steps.ts"
import { insert, type Step, type StepsOf } from "./step.ts"

const mutationSteps: StepsOf<string> = { ...accountSteps, ...peopleSteps, ...linkSteps }

/**
 * A change as steps that a store runs in one transaction, in this order.
 * @param first the store's own steps, after a replay was looked for: of two changes with one key the second waits there
 * @param last its own steps after the mutations
 */
export function toSteps(
  { mutations, audit, auditParts = [], replay }: AdminChange,
  first: readonly Step[] = [],
  last: readonly Step[] = [],
): readonly Step[] {
  const { operation, targetId } = audit
  return [
    ...(replay ? [insert("replays", { ...replay, operation, targetId }, "replayed")] : []),
    ...first,
    ...mutations.flatMap(stepsOf),
    ...last,
    ...[...auditParts, audit].map(({ before, after, ...record }) =>
      insert("audit", { ...record, beforeJson: before, afterJson: after }),
    ),
  ]
}

function stepsOf(mutation: Mutation): readonly Step[] {
  const toSteps: (mutation: never) => readonly Step[] = mutationSteps[mutation.kind]
  return toSteps(mutation as never)
}

/** The account whose row of the ledger a mutation changes; null without one. */
export function balanceOf(mutation: Mutation): string | null {
  switch (mutation.kind) {
    case "account.insert":
      return mutation.account.id
    case "account.update":
    case "account.adjust":
    case "account.renew":
      return mutation.id
    default:
      return null
  }
}

type RaisingMutation = Extract<Mutation, { kind: `notice.${string}` | `mail.${string}` }>

/** Whether a mutation makes a notice or a mail due. */
export function isRaising(mutation: Mutation): mutation is RaisingMutation {
  return mutation.kind.startsWith("notice.") || mutation.kind.startsWith("mail.")
}
