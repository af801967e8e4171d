import { Type } from "@sinclair/typebox"
import { grantsParameter, requireGrants } from "../admins/grants.ts"
import { defineChange } from "../operation.ts"
import { linkSchema, prepareLink, recallLink } from "./link.ts"

const durationMs = 30 * 60_000

export const consoleLink = defineChange({
  id: "console.link",
  title: "Make a link to the console",
  description:
    "Makes a link that signs an operator in to the console, once, within 30 minutes. It can give no permission that its maker lacks.",
  permission: "admins.write",
  method: "POST",
  path: "/console-link",
  command: { words: "console-link", example: "", printsOnly: "url", usesPages: true },
  input: Type.Object({
    may: Type.Optional(
      grantsParameter("What the session may do: all that you may by default. Otherwise as for admin keys."),
    ),
  }),
  output: linkSchema,
  status: 201,
  example: {},
  async prepare({ may }, context) {
    const { actor, pages } = context
    if (may !== undefined) requireGrants(may, actor.permissions)
    const page = `${pages.console()}/console`
    const permissions = may ?? actor.permissions
    const owner = actor.session?.owner ?? actor.id
    return prepareLink(
      { kind: "console", owner, permissions, accountId: null, name: actor.name },
      page,
      durationMs,
      context,
    )
  },
  recall: recallLink,
})
