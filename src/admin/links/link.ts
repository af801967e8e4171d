import { type Static, Type } from "@sinclair/typebox"
import { createId, createSecret, hashKey } from "../../accounts/key.ts"
import { nullable, nullableText } from "../../apis/contract.ts"
import type { SignInLink } from "../../store/admin-store.ts"
import { toIso } from "../../values/time-text.ts"
import { requireOpenAccount } from "../accounts/account.ts"
import { grantsParameter, requireGrants } from "../admins/grants.ts"
import { accountId } from "../fields.ts"
import { type AdminContext, defineChange, secret } from "../operation.ts"
import { allows, customerPermissions } from "../permission.ts"

/** A link that signs in, as operations answer it. */
export const linkSchema = Type.Object({
  id: Type.String({ description: "The link's id, for the audit log." }),
  url: secret(nullableText("The link. It works once. Null when an answer is repeated.")),
  note: Type.String({ description: "That the link is shown once." }),
  permissions: nullable(Type.Array(Type.String()), {
    description: "What its session may do; null when an answer is repeated after a crash.",
  }),
  expires: nullable(Type.String({ format: "date-time" }), {
    description: "When it stops working; null when an answer is repeated after a crash.",
  }),
})

/** The note that a link is shown once. */
export const linkNote = "The link is shown once, in the first answer to this request, and signs in once."

/**
 * Prepares a new link. Its token is in the fragment of the URL, which browsers do not send: no server and no proxy logs it.
 * @param page such as https://api.example.com/console
 */
export function prepareLink(
  given: Pick<SignInLink, "kind" | "owner" | "permissions" | "accountId" | "name">,
  page: string,
  durationMs: number,
  { random, clock, actor }: AdminContext,
) {
  const token = createSecret("linkToken", random)
  const id = createId("lnk", random)
  const createdMs = clock.now()
  const expiresMs = createdMs + durationMs
  const link = { id, ...given, adminKeyId: actor.adminKeyId ?? null, createdMs, expiresMs }
  const expires = toIso(expiresMs)
  const { permissions, accountId } = given
  return {
    mutations: [{ kind: "link.insert", link, hash: hashKey(token) } as const],
    target: { kind: "sign-in link", id, accountId },
    after: { permissions, expires },
    answer: () => ({
      id,
      url: `${page}#token=${token}`,
      note: linkNote,
      permissions: [...permissions],
      expires,
    }),
  }
}

/** The answer to a repeated request whose first answer was lost. */
export async function recallLink(id: string): Promise<Static<typeof linkSchema>> {
  return { id, url: null, note: linkNote, permissions: null, expires: null }
}

const consoleLinkMs = 30 * 60_000

export const consoleLink = defineChange({
  id: "console.link",
  title: "Make a link to the console",
  description:
    "Makes a link that signs an operator in to the console, once, within 30 minutes. It can give no permission that its maker lacks.",
  permission: "admins.write",
  path: "/console-link",
  command: { words: "console-link", example: "", printsOnly: "url", usesPages: true },
  input: Type.Object({
    may: Type.Optional(
      grantsParameter("What the session may do: all that you may by default. Otherwise as for admin keys."),
    ),
  }),
  output: linkSchema,
  status: 201,
  async prepare({ may }, context) {
    const { actor, pages } = context
    if (may !== undefined) requireGrants(may, actor.permissions)
    const page = `${pages.console()}/console`
    const permissions = may ?? actor.permissions
    const owner = actor.session?.owner ?? actor.id
    return prepareLink(
      { kind: "console", owner, permissions, accountId: null, name: actor.name },
      page,
      consoleLinkMs,
      context,
    )
  },
  recall: recallLink,
})

const portalLinkMs = 15 * 60_000

export const portalLink = defineChange({
  id: "portal.link",
  title: "Make a link to the portal",
  description:
    "Makes a link that signs a customer in to the portal of an account, once, within 15 minutes. The session has the permissions " +
    "of customers, of these only those that its maker has.",
  permission: "portal.link",
  path: "/accounts/{id}/portal-link",
  command: {
    words: "portal-link",
    args: ["id"],
    example: "acc_1234567890abcdef",
    printsOnly: "url",
    usesPages: true,
  },
  input: Type.Object({ id: accountId }),
  output: linkSchema,
  status: 201,
  async prepare({ id }, context) {
    const { name } = await requireOpenAccount({ ...context, ifVersion: null }, id)
    const page = `${context.pages.portal()}/portal`
    const permissions = customerPermissions.filter((one) => allows(context.actor.permissions, one))
    return prepareLink(
      { kind: "portal", owner: id, permissions, accountId: id, name },
      page,
      portalLinkMs,
      context,
    )
  },
  recall: recallLink,
})
