import { type Static, Type } from "@sinclair/typebox"
import { balanceOf, monthAhead } from "../../accounts/credits.ts"
import { missingPlan, unknownPlan } from "../../accounts/plan.ts"
import { choice, nullable, nullableText } from "../../apis/contract.ts"
import { type AccountDetails, type AccountUpdate, notifyChoices } from "../../store/admin-store.ts"
import { thresholdReached } from "../../store/outbox.ts"
import { toIso } from "../../values/time-text.ts"
import { changedFields } from "../audit/record.ts"
import { AdminFault, missing } from "../fault.ts"
import {
  accountId,
  externalId,
  idNumber,
  instant,
  maybeDay,
  maybeInstant,
  maybeInteger,
  metadata,
} from "../fields.ts"
import { type AdminContext, defineRead, operatorOnly, type PreparedChange } from "../operation.ts"
import type { AdminParts } from "../parts.ts"
import { showBy } from "../show.ts"

/** Events that an account's webhook can get besides the thresholds of credits, which it always gets. */
const optionalEvents = {
  "credits.exhausted": "All credits are used up.",
  "key.expiring": "A key expires in 7 days, and again in 1 day.",
  "key.created": "A key was created.",
  "key.revoked": "A key was revoked.",
  "month.renewed": "A new credit month has begun.",
} as const satisfies Record<string, string>

/** The name of an event that an account can choose. */
export type OptionalEvent = keyof typeof optionalEvents

/** All types of webhook messages. `test` tries a webhook. */
export const webhookTypes: readonly string[] = [thresholdReached, ...Object.keys(optionalEvents), "test"]

export const eventsParameter = Type.Array(
  Type.Union(Object.keys(optionalEvents).map((event) => Type.Literal(event))),
  {
    uniqueItems: true,
    maxItems: Object.keys(optionalEvents).length,
    description: `Events that its webhook gets besides the thresholds of credits: ${Object.keys(optionalEvents).join(", ")}.`,
    "x-flag": "event",
    "x-requirement": `must be a list of ${Object.keys(optionalEvents).join(", ")}, each at most once`,
  },
)

/** The event of accounts that get mail and have chosen none: a key that expires unnoticed stops a customer's program. */
export const mailedEvent: OptionalEvent = "key.expiring"

const credits = { anyOf: [{ type: "integer", minimum: 0 }, { const: "unlimited" }, { type: "null" }] }

/** An account as operations answer it. */
export const accountSchema = Type.Object({
  id: Type.String({ description: "The account's id." }),
  name: Type.String({ description: "Its name." }),
  plan: Type.String({ description: "Its plan." }),
  email: nullableText(
    "Its e-mail address; null without one. Whoever reads mail to it can sign in to the portal of the account.",
  ),
  notify: choice(notifyChoices, {
    description: "How it gets notices: by its webhook, by mail to its address, both, or none.",
  }),
  external_id: operatorOnly(nullable(externalId, { description: externalId.description ?? "" })),
  metadata: operatorOnly(metadata),
  events: Type.Array(Type.String(), {
    description: "Events that its webhook gets besides the thresholds of credits.",
  }),
  created: instant("When it was created."),
  closed: maybeInstant("When it was closed; null while it is open."),
  allowance: Type.Unsafe<number | "unlimited" | null>({
    ...credits,
    description: "Credits of a month. Null when the plan is not configured.",
  }),
  used: Type.Integer({ description: "Credits of this month that were used." }),
  used_percent: maybeInteger("Used credits of the month in percent, rounded down; null without a limit."),
  bonus: Type.Integer({
    description: "Bonus credits left; negative when adjustments took more (`--allow-debt`).",
  }),
  remaining: Type.Unsafe<number | "unlimited" | null>({
    ...credits,
    description: "Credits left, of the month and the bonus together.",
  }),
  last_used: maybeDay("The last day with a call (UTC); null without one."),
  renews: instant("When the next credit month begins."),
  keys: Type.Optional(Type.Integer({ description: "How many keys it has, revoked ones too. Not in lists." })),
  problem: operatorOnly(nullableText("What is wrong with the account and what to do; null if nothing.")),
  version: idNumber({
    description: "Rises with each change; send it in If-Match to change this version only.",
  }),
})

/** The fields that an operator sets. */
export const accountFields: readonly string[] = [
  "name",
  "plan",
  "email",
  "notify",
  "external_id",
  "metadata",
  "events",
]

type AccountOutput = Static<typeof accountSchema>
const show = showBy(accountSchema)

/** An account as operations show it. */
export function toAccountOutput(
  account: AccountDetails,
  { plans, clock, mayLackPlans = false }: Pick<AdminParts, "plans" | "clock" | "mayLackPlans">,
): AccountOutput {
  const plan = plans.get(account.plan)
  const nowMs = clock.now()
  const balance = balanceOf(account, plan ?? { monthlyCredits: 0 }, nowMs)
  const { allowance, used, bonus, remaining, period } = balance
  return show(account, {
    metadata: JSON.parse(account.metadata),
    allowance: plan ? (allowance ?? "unlimited") : null,
    used,
    used_percent: plan && allowance ? Math.floor((used * 100) / allowance) : null,
    bonus: bonus - account.debt,
    remaining: plan ? (remaining ?? "unlimited") : null,
    last_used: account.lastDay || null,
    renews: toIso(period.endMs),
    problem:
      account.closedMs !== null
        ? null
        : plan
          ? monthAhead(account, nowMs)
          : (mayLackPlans ? unknownPlan : missingPlan)(account),
  })
}

/** @throws AdminFault when there is no such account */
export async function requireAccount({ admin }: AdminParts, id: string): Promise<AccountDetails> {
  return (await admin.findAccount(id)) ?? missing("account", id)
}

/** @throws AdminFault when there is no such account, or it is closed, or the client has seen another version of it */
export async function requireOpenAccount(context: AdminContext, id: string): Promise<AccountDetails> {
  const account = await requireAccount(context, id)
  requireVersion(account, context)
  if (account.closedMs === null) return account
  throw new AdminFault("conflict", `Account '${id}' is closed. Reopen it first.`, { id })
}

/** @throws AdminFault when the client wants to change another version */
export function requireVersion({ version }: { readonly version: number }, { ifVersion }: AdminContext): void {
  if (ifVersion === null || ifVersion === version) return
  throw new AdminFault("version-mismatch", `Read it again: the version is ${version} now, not ${ifVersion}.`)
}

/** Prepares a change of an account's fields. */
export function changeAccount(
  account: AccountDetails,
  set: AccountUpdate,
  context: AdminContext,
): PreparedChange<never> {
  const { id, version } = account
  const before = toAccountOutput(account, context)
  const after = toAccountOutput({ ...account, ...set }, context)
  return {
    mutations: [{ kind: "account.update", id, version, set }],
    target: { kind: "account", id, accountId: id },
    ...changedFields(before, after, [...accountFields, "closed"]),
  }
}

/** Reads an account for an answer. */
export async function readAccount(id: string, context: AdminParts): Promise<AccountOutput> {
  const account = toAccountOutput(await requireAccount(context, id), context)
  return { ...account, keys: await context.admin.countKeys(id) }
}

export const getAccount = defineRead({
  id: "accounts.get",
  title: "Show an account",
  description: "Shows an account and its credits.",
  permission: "accounts.read",
  path: "/accounts/{id}",
  command: { words: "account show", args: ["id"], example: "acc_1234567890abcdef" },
  portal: { account: "id" },
  input: Type.Object({ id: accountId }),
  output: accountSchema,
  read: ({ id }, context) => readAccount(id, context),
})
