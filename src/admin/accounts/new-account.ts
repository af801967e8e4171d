import { type Static, Type } from "@sinclair/typebox"
import { requireEmail } from "../../accounts/email.ts"
import { createId } from "../../accounts/key.ts"
import type { Plan } from "../../accounts/plan.ts"
import { refuseHidden, requireName, requirePlan } from "../../accounts/requirements.ts"
import type { AccountDetails } from "../../store/admin-store.ts"
import { pick } from "../audit/record.ts"
import { email, externalId, metadata, optionalText, requireMetadata } from "../fields.ts"
import type { ChangedThing } from "../operation.ts"
import type { AdminParts } from "../parts.ts"
import { accountFields, eventsParameter, mailedEvent, toAccountOutput } from "./account.ts"

/** The parameters of a new account. */
export const newAccount = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200, description: "The account's name." }),
  plan: optionalText("The account's plan.", { default: "free", maxLength: 100 }),
  email: Type.Optional(email),
  external_id: Type.Optional(externalId),
  metadata: Type.Optional(metadata),
  events: Type.Optional(eventsParameter),
})

export type NewAccountInput = Static<typeof newAccount>

const defaultPlan = "free"

/**
 * Checks of a new account besides the schemas of its parameters. Each throws an AccountError or an AdminFault that names its
 * parameter.
 */
export function checksOf(
  { name, plan = defaultPlan, email, external_id, metadata }: Partial<NewAccountInput>,
  { plans }: Pick<AdminParts, "plans">,
): readonly (() => unknown)[] {
  return [
    () => name !== undefined && requireName(name, "The name of an account"),
    () => requirePlan(plan, plans),
    () => email !== undefined && requireEmail(email),
    () => external_id !== undefined && refuseHidden(external_id, "The external id", "external_id"),
    () => requireMetadata(metadata ?? {}),
  ]
}

/** Makes an account of parameters that were checked. */
export async function toNewAccount(
  input: NewAccountInput,
  { plans, clock, random }: Pick<AdminParts, "plans" | "clock" | "random">,
): Promise<AccountDetails> {
  const plan = requirePlan(input.plan ?? defaultPlan, plans)
  const own = {
    id: createId("acc", random),
    name: input.name,
    externalId: input.external_id ?? null,
    ...(input.email !== undefined && { email: await requireEmail(input.email), notify: "both" as const }),
    metadata: requireMetadata(input.metadata ?? {}),
    events: input.events ?? (input.email === undefined ? [] : [mailedEvent]),
  }
  return newAccountOn(plan, own, clock.now())
}

/** The audit log's entry for a new account. */
export function toCreated(account: AccountDetails, parts: AdminParts): ChangedThing {
  const { id } = account
  const after = pick(toAccountOutput(account, parts), [...accountFields, "bonus"])
  return { target: { kind: "account", id, accountId: id }, before: null, after }
}

/**
 * A new account on a plan: open, nothing is used, its bonus is the plan's sign-up bonus, and notices go to its webhook.
 * @param own its id and name, and what else differs from that
 */
export function newAccountOn(
  plan: Pick<Plan, "name" | "signUpBonus">,
  own: Pick<AccountDetails, "id" | "name"> & Partial<AccountDetails>,
  nowMs: number,
): AccountDetails {
  return {
    plan: plan.name,
    createdMs: nowMs,
    closedMs: null,
    periodStartMs: nowMs,
    used: 0,
    bonus: plan.signUpBonus,
    version: 1,
    externalId: null,
    email: null,
    notify: "webhook",
    metadata: "{}",
    events: [],
    debt: 0,
    ...own,
  }
}
