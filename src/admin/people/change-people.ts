import { Type } from "@sinclair/typebox"
import { createId } from "../../accounts/key.ts"
import { requireName } from "../../accounts/requirements.ts"
import type { PersonRecord } from "../../store/people.ts"
import { toIso } from "../../values/time-text.ts"
import { grantsParameter, keepOwner, requireGrants } from "../admins/grants.ts"
import { pick } from "../audit/record.ts"
import { invalid } from "../fault.ts"
import { maybeInstant } from "../fields.ts"
import { linkNote, linkSchema, prepareLink, recallLink } from "../links/link.ts"
import { type AdminContext, defineChange } from "../operation.ts"
import { permissions } from "../permission.ts"
import { ownerOf, personId, personSchema, readPerson, requireAllOf, requirePerson } from "./person.ts"

/** A colleague may open the message of an invitation the next day. */
const personLinkMs = 24 * 3_600_000

const name = Type.String({ minLength: 1, maxLength: 200, description: "Their name, for the audit log." })
const may = grantsParameter(
  `What they may do: \`*\` for everything, \`keys.*\` for all about keys, or one of ${Object.keys(permissions).join(", ")}.`,
)

/** A link that leads a person to the page where they add a passkey. */
function prepareLinkOf({ id, name, permissions }: PersonRecord, context: AdminContext) {
  // Passkeys need a host name.
  const console = context.pages.console().replace(/\/\/(?:127\.0\.0\.1|\[::1\])(?=:|$)/, "//localhost")
  const page = `${console}/console/passkeys`
  const owner = { kind: "console", owner: ownerOf(id), name, permissions, accountId: null } as const
  // The person's permissions are looked up when the link is opened. It stays valid when the admin key that made it ends.
  return prepareLink(owner, page, personLinkMs, { ...context, actor: { ...context.actor, adminKeyId: null } })
}

const { passkeys: _, last_sign_in: __, removed: ___, ...invited } = personSchema.properties

export const createPerson = defineChange({
  id: "people.create",
  title: "Invite a colleague",
  description:
    "Adds a person who signs in to the console under their own name, and makes a link for them. They open it once, within 24 hours, and " +
    "add a passkey. Nobody can give a permission that they lack.",
  permission: "people.write",
  path: "/people",
  command: {
    words: "people add",
    args: ["name"],
    example: `"Ann Lee" --may accounts.read --may 'keys.*'`,
    makesStore: true,
    usesPages: true,
  },
  input: Type.Object({ name, may: Type.Optional({ ...may, default: ["*"] }) }),
  output: Type.Object({
    ...invited,
    url: linkSchema.properties.url,
    note: linkSchema.properties.note,
    expires: maybeInstant("When the link stops working; null when an answer is repeated after a crash."),
  }),
  status: 201,
  example: { name: "Ann Lee", may: ["accounts.read", "keys.*"] },
  async prepare({ name, may = ["*"] }, context) {
    requireGrants(may, context.actor.permissions)
    requireName(name, "The name of a person")
    const { random, clock } = context
    const id = createId("psn", random)
    const person = { id, name, permissions: may, held: may, createdMs: clock.now(), removedMs: null }
    const link = prepareLinkOf(person, context)
    return {
      mutations: [{ kind: "person.insert", person }, ...link.mutations],
      target: { kind: "person", id, accountId: null },
      after: { name, permissions: may, link: link.target.id },
      answer() {
        const { url, note, expires } = link.answer()
        return { id, name, permissions: may, created: toIso(person.createdMs), url, note, expires }
      },
    }
  },
  async recall(id, context) {
    const { name, permissions, created } = await readPerson(id, context)
    return { id, name, permissions, created, url: null, note: linkNote, expires: null }
  },
})

export const updatePerson = defineChange({
  id: "people.update",
  title: "Change a person",
  description:
    "Changes a person's name, or what they may do. What they may no longer do ends at once. More they may do after they have opened a new " +
    "link and added a passkey: older passkeys and sessions never gain. Only someone with all permissions that the person has or ever had " +
    "may change them.",
  permission: "people.write",
  method: "PATCH",
  path: "/people/{id}",
  command: { words: "people update", args: ["id"], example: "psn_1234567890abcdef --may keys.read" },
  input: Type.Object({ id: personId, name: Type.Optional(name), may: Type.Optional(may) }),
  output: personSchema,
  example: { id: "psn_1234567890abcdef", may: ["keys.read"] },
  async prepare({ id, name, may }, context) {
    if (name === undefined && may === undefined)
      throw invalid("may", "Give 'name' or 'may': there is nothing to change.")
    const person = await requirePerson(context, id)
    const unchanged = requireAllOf(person, context)
    if (may !== undefined) requireGrants(may, context.actor.permissions)
    if (name !== undefined) requireName(name, "The name of a person")
    const set = { ...(name !== undefined && { name }), ...(may !== undefined && { permissions: may }) }
    const held = [...new Set([...person.held, ...(may ?? [])])]
    const isDemoted = may !== undefined && !may.includes("*")
    return {
      mutations: [
        unchanged,
        { kind: "person.update", id, set: { ...set, held } },
        ...(isDemoted ? keepOwner(person.permissions, context) : []),
      ],
      target: { kind: "person", id, accountId: null },
      before: pick(person, Object.keys(set)),
      after: set,
    }
  },
  recall: readPerson,
})

export const removePerson = defineChange({
  id: "people.remove",
  title: "Remove a person",
  description:
    "Removes a person for good with their passkeys, sessions and links. They are signed out at once; their acts stay in the audit log. " +
    "Only someone with all permissions that the person has or ever had may do it.",
  permission: "people.write",
  method: "DELETE",
  path: "/people/{id}",
  isFinal: true,
  command: { words: "people remove", args: ["id"], example: "psn_1234567890abcdef" },
  input: Type.Object({ id: personId }),
  output: personSchema,
  async prepare({ id }, context) {
    const person = await requirePerson(context, id)
    const { name, permissions } = person
    const removedMs = context.clock.now()
    return {
      mutations: [
        requireAllOf(person, context),
        { kind: "person.remove", id, removedMs },
        { kind: "session.endAll", sessionKind: "console", owner: ownerOf(id) },
        ...keepOwner(permissions, context),
      ],
      target: { kind: "person", id, accountId: null },
      before: { name, permissions, removed: null },
      after: { removed: toIso(removedMs) },
    }
  },
  recall: readPerson,
})

export const personLink = defineChange({
  id: "people.link",
  title: "Make a link for a person",
  description:
    "Makes a link that signs a person in to the console, once, within 24 hours: the way back for someone who has lost their passkeys. Only " +
    "someone with all permissions that the person has or ever had may make it.",
  permission: "people.write",
  path: "/people/{id}/link",
  command: {
    words: "people link",
    args: ["id"],
    example: "psn_1234567890abcdef",
    printsOnly: "url",
    usesPages: true,
  },
  input: Type.Object({ id: personId }),
  output: linkSchema,
  status: 201,
  async prepare({ id }, context) {
    const person = await requirePerson(context, id)
    const unchanged = requireAllOf(person, context)
    const link = prepareLinkOf(person, context)
    const mutations = [unchanged, ...link.mutations]
    return { ...link, mutations, after: { ...link.after, person: id } }
  },
  recall: recallLink,
})
