import { type Static, Type } from "@sinclair/typebox"
import type { AccountDetails } from "../../store/admin-store.ts"
import {
  accountSchema,
  changeAccount,
  mailedEvent,
  requireAccount,
  requireOpenAccount,
} from "../accounts/account.ts"
import { notifyParameter } from "../accounts/change-account.ts"
import { conflict } from "../fault.ts"
import { accountId } from "../fields.ts"
import { type AdminContext, defineChange } from "../operation.ts"

const { id, notify, email, events } = accountSchema.properties
const output = Type.Object({ id, notify, email, events })

export const chooseNotices = defineChange({
  id: "notices.choose",
  title: "Choose how an account gets notices",
  description:
    "Chooses how an account gets notices: by its webhook, by mail, both, or none. Choosing mail adds the event `key.expiring`.",
  permission: "notices.write",
  path: "/accounts/{id}/notify",
  command: { words: "notices choose", args: ["id", "notify"], example: "acc_1234567890abcdef none" },
  portal: { account: "id" },
  input: Type.Object({
    id: accountId,
    notify: notifyParameter,
  }),
  output,
  async prepare({ id, notify }, context) {
    const account = await requireOpenAccount(context, id)
    if (byMail({ notify })) requireMail(account, context)
    const events =
      byMail({ notify }) && !byMail(account) && !account.events.includes(mailedEvent)
        ? [...account.events, mailedEvent]
        : account.events
    return changeAccount(account, { notify, events }, context)
  },
  recall: read,
})

/**
 * @throws AdminFault without an address, and for a customer of a service that sends no mail. A command does not know whether it
 * does.
 */
function requireMail({ id, email }: AccountDetails, { actor, signUp }: AdminContext): void {
  const parameter = "notify"
  if (actor.account !== null && !signUp.hasMail)
    throw conflict("This service sends no mail. Choose the webhook.", parameter)
  if (email !== null) return
  const what =
    actor.account === null
      ? `Set one first: 'account update ${id} --email ADDRESS'`
      : "Ask the operator of this service to set one"
  throw conflict(`The account has no e-mail address. ${what}.`, parameter)
}

function byMail({ notify }: Pick<AccountDetails, "notify">): boolean {
  return notify === "mail" || notify === "both"
}

async function read(id: string, context: AdminContext): Promise<Static<typeof output>> {
  const { notify, email, events } = await requireAccount(context, id)
  return { id, notify, email, events: [...events] }
}
