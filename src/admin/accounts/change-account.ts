import { Type } from "@sinclair/typebox"
import { requireEmail } from "../../accounts/email.ts"
import { createId } from "../../accounts/key.ts"
import { refuseHidden, requireName, requirePlan } from "../../accounts/requirements.ts"
import { choice, nullable } from "../../apis/contract.ts"
import { type AccountDetails, type Mutation, notifyChoices } from "../../store/admin-store.ts"
import { requireToo } from "../admins/grants.ts"
import { AdminFault, conflict, invalid } from "../fault.ts"
import { accountId, email, externalId, metadata, optionalText, requireMetadata } from "../fields.ts"
import { type AdminContext, defineChange } from "../operation.ts"
import {
  accountFields,
  accountSchema,
  changeAccount,
  eventsParameter,
  mailedEvent,
  readAccount,
  requireAccount,
  requireOpenAccount,
  requireVersion,
} from "./account.ts"

export const notifyParameter = choice(notifyChoices, {
  description: "How it gets notices. Mail needs an e-mail address.",
})

export const updateAccount = defineChange({
  id: "accounts.update",
  title: "Change an account",
  description:
    "Changes the given fields of an account: name, plan, e-mail address, how it gets notices, external id, metadata, events. Another e-mail " +
    "address needs the permission `keys.write` too, since links to sign in go there. The old address is told.",
  permission: "accounts.write",
  method: "PATCH",
  path: "/accounts/{id}",
  command: { words: "account update", args: ["id"], example: "acc_1234567890abcdef --name Bob --plan pro" },
  otherCommands: [
    {
      words: "account rename",
      args: ["id", "name"],
      options: [],
      requires: ["name"],
      description: "Give an account another name.",
      example: "acc_1234567890abcdef Bob",
    },
    {
      words: "account set-plan",
      args: ["id", "plan"],
      options: [],
      requires: ["plan"],
      description: "Change the plan of an account.",
      example: "acc_1234567890abcdef pro",
    },
  ],
  input: Type.Object({
    id: accountId,
    name: optionalText("The new name.", { minLength: 1, maxLength: 200 }),
    plan: optionalText("The new plan.", { maxLength: 100 }),
    email: Type.Optional(
      nullable(email, {
        description:
          "The new e-mail address; null for none. A first one gets notices too, unless `notify` says otherwise.",
      }),
    ),
    notify: Type.Optional(notifyParameter),
    external_id: Type.Optional(nullable(externalId, { description: "The new external id; null for none." })),
    metadata: Type.Optional(metadata),
    events: Type.Optional(eventsParameter),
  }),
  output: accountSchema,
  example: { id: "acc_1234567890abcdef", name: "Bob" },
  async prepare({ id, name, plan, email, notify, external_id, metadata, events }, context) {
    const account = await requireOpenAccount(context, id)
    const set = {
      ...(name !== undefined && { name }),
      ...(plan !== undefined && { plan }),
      ...(email !== undefined && { email: email === null ? null : await requireEmail(email) }),
      ...(email && account.email === null && account.notify === "webhook" && toldByMail(account)),
      ...(email === null && account.notify === "both" && { notify: "webhook" as const }),
      ...(notify !== undefined && { notify }),
      ...(external_id !== undefined && { externalId: external_id }),
      ...(metadata !== undefined && { metadata: requireMetadata(metadata) }),
      ...(events !== undefined && { events }),
    }
    if (Object.keys(set).length === 0)
      throw new AdminFault("invalid", `Give at least one field to change: ${accountFields.join(", ")}.`)
    // Only given fields are checked: an account whose plan is not configured can be renamed.
    if (name !== undefined) requireName(name, "The name of an account")
    if (plan !== undefined) requirePlan(plan, context.plans)
    requireAddressFor({ ...account, ...set })
    if (external_id) refuseHidden(external_id, "The external id", "external_id")
    const change = changeAccount(account, set, context)
    if (set.email === undefined || set.email === account.email) return change
    requireToo("keys.write", "email", "links to sign in go to this address, and make keys", context)
    return { ...change, mutations: [...change.mutations, ...mailToOldAddress(account, context)] }
  },
  recall: readAccount,
})

/** The owner of the old address may not know that an operator has changed it. */
function mailToOldAddress(
  { id, email }: AccountDetails,
  { clock, auditRandom }: AdminContext,
): readonly Mutation[] {
  if (email === null) return []
  const about = { accountId: id, recipient: email, template: "address-changed", data: "{}" } as const
  const times = { nowMs: clock.now(), expiresMs: null }
  return [{ kind: "mail.insert", mail: { id: createId("mail", auditRandom), ...about, ...times } }]
}

/** A first address gets the notices too. */
function toldByMail({ events }: AccountDetails): Pick<AccountDetails, "notify" | "events"> {
  return { notify: "both", events: events.includes(mailedEvent) ? events : [...events, mailedEvent] }
}

/** @throws AdminFault for notices by mail without an address */
export function requireAddressFor({ email, notify }: Pick<AccountDetails, "email" | "notify">): void {
  if (email !== null || notify === "webhook" || notify === "none") return
  throw invalid("notify", "Notices by mail need the e-mail address of the account: give 'email' too.")
}

export const closeAccount = defineChange({
  id: "accounts.close",
  title: "Close an account",
  description: "Closes an account. Its keys stop working at once. It can be reopened.",
  permission: "accounts.write",
  path: "/accounts/{id}/close",
  command: { words: "account close", args: ["id"], example: "acc_1234567890abcdef" },
  input: Type.Object({ id: accountId }),
  output: accountSchema,
  async prepare({ id }, context) {
    return changeAccount(await requireOpenAccount(context, id), { closedMs: context.clock.now() }, context)
  },
  recall: readAccount,
})

export const reopenAccount = defineChange({
  id: "accounts.reopen",
  title: "Reopen an account",
  description: "Opens a closed account again. Its keys that were not revoked work again.",
  permission: "accounts.write",
  path: "/accounts/{id}/reopen",
  command: { words: "account reopen", args: ["id"], example: "acc_1234567890abcdef" },
  input: Type.Object({
    id: accountId,
    plan: optionalText("A new plan. It needs one if its own is not configured.", { maxLength: 100 }),
  }),
  output: accountSchema,
  async prepare({ id, plan }, context) {
    const account = await requireAccount(context, id)
    requireVersion(account, context)
    if (account.closedMs === null) throw conflict(`Account '${id}' is open.`)
    // The calls of an open account whose plan is missing fail.
    requirePlan(plan ?? account.plan, context.plans)
    return changeAccount(account, { closedMs: null, ...(plan !== undefined && { plan }) }, context)
  },
  recall: readAccount,
})
