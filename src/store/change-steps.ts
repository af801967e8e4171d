import { accountSteps } from "./account-steps.ts"
import type { AdminChange, Mutation } from "./admin-store.ts"
import { peopleSteps } from "./people-steps.ts"
import { insert, type Step } from "./step.ts"

/** Mails and their links are changed by each kind of store itself. */
export type MailMutation = Extract<Mutation, { kind: `emailLink.${string}` | `mail.${string}` }>

const mutationSteps = { ...accountSteps, ...peopleSteps }

/** The steps of one kind of store. */
interface OwnSteps {
  /** Steps after a replay was looked for: of two changes with one key the second waits there. */
  readonly first?: readonly Step[]
  /** Steps after the mutations. */
  readonly last?: readonly Step[]
  readonly ofMail: (mutation: MailMutation) => readonly Step[]
}

/** A change as steps that a store runs in one transaction, in this order. */
export function toSteps(
  { mutations, audit, auditParts = [], replay }: AdminChange,
  { first = [], last = [], ofMail }: OwnSteps,
): readonly Step[] {
  const { operation, targetId } = audit
  return [
    ...(replay ? [insert("replays", { ...replay, operation, targetId }, "replayed")] : []),
    ...first,
    ...mutations.flatMap((mutation) => (isOfMail(mutation) ? ofMail(mutation) : stepsOf(mutation))),
    ...last,
    ...[...auditParts, audit].map(({ before, after, ...record }) =>
      insert("audit", { ...record, beforeJson: before, afterJson: after }),
    ),
  ]
}

export function isOfMail(mutation: Mutation): mutation is MailMutation {
  return mutation.kind.startsWith("emailLink.") || mutation.kind.startsWith("mail.")
}

function stepsOf(mutation: Exclude<Mutation, MailMutation>): readonly Step[] {
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
