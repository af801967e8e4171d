import { Type } from "@sinclair/typebox"
import { requireEmail } from "../../accounts/email.ts"
import { createSecret } from "../../accounts/key.ts"
import { requireName, requirePlan } from "../../accounts/requirements.ts"
import { nullableText } from "../../apis/contract.ts"
import type { EmailLink } from "../../store/admin-store.ts"
import { requireToo } from "../admins/grants.ts"
import { conflict, missing } from "../fault.ts"
import { email, idText, instant, listOf, optionalText, pageParameters } from "../fields.ts"
import { type AdminContext, defineChange, defineRead, secret } from "../operation.ts"
import { readPage } from "../pages.ts"
import { showBy } from "../show.ts"
import { mailOf, newEmailLink } from "./new-link.ts"

const invitationMs = 7 * 86_400_000

const invitationSchema = Type.Object({
  id: Type.String({ description: "The invitation's id." }),
  email: Type.String({ description: "The address that is invited." }),
  name: Type.String({ description: "The name of the account to make; empty if who is invited chooses it." }),
  plan: nullableText("The plan of the account; null for that of the settings."),
  created: instant("When it was made."),
  expires: instant("When its link stops working."),
})

const toOutput = showBy(invitationSchema)

const issuedSchema = Type.Object({
  ...invitationSchema.properties,
  url: secret(
    nullableText("The link, to be handed over where no mail is sent. Null when an answer is repeated."),
  ),
  by_mail: Type.Boolean({ description: "Whether the service sends the link by mail." }),
})

const invitationId = idText("The invitation's id, which starts with `eml_`.")

export const createInvitation = defineChange({
  id: "invitations.create",
  title: "Invite a customer",
  description:
    "Sends a link to an e-mail address with which an account can be made, once, within 7 days. Whoever opens it needs to press a button. " +
    "Another plan than that of the settings needs the permission `accounts.write` too.",
  permission: "invitations.write",
  path: "/invitations",
  command: { words: "invite", args: ["email"], example: "ann@example.com --plan pro", usesPages: true },
  input: Type.Object({
    email: { ...email, description: "The address to invite." },
    plan: optionalText("The plan of the account; that of the settings by default.", { maxLength: 100 }),
    name: optionalText("The name of the account.", { minLength: 1, maxLength: 200 }),
  }),
  output: issuedSchema,
  status: 201,
  example: { email: "ann@example.com", name: "Ann" },
  async prepare(input, context) {
    const { signUp, plans, admin, clock, pages, auditRandom: random } = context
    if (signUp.mode === "off")
      throw conflict("Nobody can sign up: set 'sign_up.mode' to invite or open first.")
    const address = await requireEmail(input.email)
    if (input.name !== undefined) requireName(input.name, "The name of an account")
    if (input.plan !== undefined) requirePlan(input.plan, plans)
    if ((input.plan ?? signUp.plan) !== signUp.plan)
      requireToo("accounts.write", "plan", `without it you can invite to the plan '${signUp.plan}'`, context)
    const found = await admin.findAccountByEmail(address)
    if (found) throw conflict(`Account '${found.id}' has this 'email' already.`, "email")
    const token = createSecret("linkToken", random)
    const made = newEmailLink(
      {
        ...{ kind: "invitation", email: address, name: input.name ?? "", plan: input.plan ?? null },
        ...{ terms: null, accountId: null, browser: null, network: "" },
      },
      { portal: pages.portal(), nowMs: clock.now(), durationMs: invitationMs, limits: null, random, token },
    )
    const shown = toOutput(made.link)
    const { id, ...after } = shown
    return {
      mutations: [
        made.mutation,
        ...(signUp.hasMail ? [mailOf(made, made.link.plan ?? signUp.plan, random)] : []),
      ],
      target: { kind: "invitation", id, accountId: null },
      after,
      answer: () => ({ ...shown, url: `${made.start}${token}`, by_mail: signUp.hasMail }),
    }
  },
  async recall(id, context) {
    return { ...toOutput(await requireInvitation(id, context)), url: null, by_mail: context.signUp.hasMail }
  },
})

export const listInvitations = defineRead({
  id: "invitations.list",
  title: "List invitations",
  description: "Lists the invitations that were not used, newest first.",
  permission: "invitations.read",
  path: "/invitations",
  command: { words: "invitation list", example: "", empty: "No invitations found. 'invite' makes one." },
  input: Type.Object(pageParameters),
  output: listOf(invitationSchema),
  read: ({ limit, after }, { admin }) =>
    readPage(
      "invitations",
      { limit, after },
      (page) => admin.invitations(page),
      ({ createdMs, id }) => [createdMs, id],
      (link) => toOutput(link),
    ),
})

export const revokeInvitation = defineChange({
  id: "invitations.revoke",
  title: "Take an invitation back",
  description: "Takes an invitation back. Its link no longer works.",
  permission: "invitations.write",
  path: "/invitations/{id}/revoke",
  command: { words: "invitation revoke", args: ["id"], example: "eml_1234567890abcdef" },
  input: Type.Object({ id: invitationId }),
  output: Type.Object({ id: Type.String({ description: "The invitation's id." }) }),
  async prepare({ id }, context) {
    const { email: address } = await requireInvitation(id, context)
    return {
      mutations: [{ kind: "emailLink.revoke", id }],
      target: { kind: "invitation", id, accountId: null },
      before: { email: address },
      answer: () => ({ id }),
    }
  },
  recall: async (id) => ({ id }),
})

async function requireInvitation(id: string, { admin }: AdminContext): Promise<EmailLink> {
  return (await admin.findInvitation(id)) ?? missing("invitation", id)
}
