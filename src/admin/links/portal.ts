import { Type } from "@sinclair/typebox"
import { requireOpenAccount } from "../accounts/account.ts"
import { accountId } from "../fields.ts"
import { defineChange } from "../operation.ts"
import { customerPermissions } from "../permission.ts"
import { linkSchema, prepareLink, recallLink } from "./link.ts"

const durationMs = 15 * 60_000

export const portalLink = defineChange({
  id: "portal.link",
  title: "Make a link to the portal",
  description: "Makes a link that signs a customer in to the portal of an account, once, within 15 minutes.",
  permission: "portal.link",
  method: "POST",
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
  example: { id: "acc_1234567890abcdef" },
  async prepare({ id }, context) {
    const { name } = await requireOpenAccount({ ...context, ifVersion: null }, id)
    const page = `${context.pages.portal()}/portal`
    return prepareLink(
      { kind: "portal", owner: id, permissions: customerPermissions, accountId: id, name },
      page,
      durationMs,
      context,
    )
  },
  recall: recallLink,
})
