import { type Static, Type } from "@sinclair/typebox"
import { requireName } from "../../accounts/requirements.ts"
import { nullableText } from "../../apis/contract.ts"
import type { PasskeyRecord } from "../../store/people.ts"
import { toIso } from "../../values/time-text.ts"
import { keepOwner, requireNoMore } from "../admins/grants.ts"
import { type AdminFault, forbidden, invalid, missing, noSuch } from "../fault.ts"
import { idText, instant, listOf, maybeInstant } from "../fields.ts"
import { type Actor, type AdminContext, defineChange, defineRead } from "../operation.ts"
import { wholeList } from "../pages.ts"
import { personId, personIdOf, requireAllOf, requirePerson } from "../people/person.ts"
import { allows, grants, inBoth, type Permission } from "../permission.ts"
import { showBy } from "../show.ts"

const passkeyId = idText("The passkey's id, which starts with `psk_`.")

/** A passkey as operations answer it. */
const passkeySchema = Type.Object({
  id: passkeyId,
  person: personId,
  name: Type.String({ description: "Its name, such as that of the device." }),
  site: Type.String({ description: "The host name that it was made for. It signs in at no other one." }),
  permissions: Type.Array(Type.String({ enum: grants }), {
    description: "What it can give at most: what its person could do when it was added.",
  }),
  created: instant("When it was added."),
  last_used: maybeInstant("When it last signed in; null for never."),
})
const show = showBy(passkeySchema)

/** A passkey as operations show it. */
export function toPasskeyOutput(passkey: PasskeyRecord): Static<typeof passkeySchema> {
  return show(passkey, { last_used: toIso(passkey.usedMs) })
}

/** The id of the person who is signed in; null for everyone else, such as an admin key. */
export function ownPersonId({ session }: Actor): string | null {
  return session ? personIdOf(session.owner) : null
}

/**
 * Requires all that a passkey of one's own gives, or for those of others `people.write` and all permissions of the person.
 * @returns it with what it gives, and mutations that end the change if the person has got more permissions meanwhile
 * @throws AdminFault 403, also for one that does not exist; 404 for those who may know
 */
async function requirePasskey(id: string, context: AdminContext) {
  const { admin, actor } = context
  const passkey = await admin.findPasskey(id)
  const isOwn = passkey !== null && passkey.personId === ownPersonId(actor)
  if (!isOwn && !allows(actor.permissions, "people.write")) throw lacking("people.write")
  if (passkey === null) throw noSuch("passkey", id)
  const person = await requirePerson(context, passkey.personId)
  const given = inBoth(passkey.permissions, person.permissions)
  // A session with fewer permissions must not take away the way to the others.
  if (isOwn) requireNoMore(given, "the passkey gives", context)
  return { passkey, given, unchanged: isOwn ? [] : [requireAllOf(person, context)] }
}

function lacking(permission: Permission): AdminFault {
  return forbidden(`This needs the permission '${permission}'.`)
}

export const listPasskeys = defineRead({
  id: "passkeys.list",
  title: "List passkeys",
  description:
    "Lists the passkeys of a person, oldest first. Everyone reads their own; those of others need the permission `people.read`.",
  permission: null,
  path: "/passkeys",
  command: {
    words: "people passkeys",
    args: ["person"],
    example: "psn_1234567890abcdef",
    empty: "No passkeys. The person adds one in the console.",
  },
  input: Type.Object({
    person: Type.Optional(
      idText("The person's id, which starts with `psn_`; by default the person who is signed in."),
    ),
  }),
  output: listOf(passkeySchema),
  async read({ person }, { admin, actor }) {
    const own = ownPersonId(actor)
    const id = person ?? own
    if (id !== own && !allows(actor.permissions, "people.read")) throw lacking("people.read")
    if (id === null) throw invalid("person", "Give 'person': you are signed in as none.")
    await requirePerson({ admin }, id)
    return wholeList((await admin.passkeysOf(id)).map(toPasskeyOutput))
  },
})

export const renamePasskey = defineChange({
  id: "passkeys.rename",
  title: "Rename a passkey",
  description:
    "Renames one's own passkey; another person's needs the permission `people.write` and all that the person has or ever had.",
  permission: null,
  method: "PATCH",
  path: "/passkeys/{id}",
  command: {
    words: "people rename-passkey",
    args: ["id", "name"],
    example: 'psk_1234567890abcdef "Blue key"',
  },
  input: Type.Object({
    id: passkeyId,
    name: Type.String({ minLength: 1, maxLength: 200, description: "Its new name." }),
  }),
  output: passkeySchema,
  example: { id: "psk_1234567890abcdef", name: "Blue key" },
  async prepare({ id, name }, context) {
    const { passkey, unchanged } = await requirePasskey(id, context)
    requireName(name, "The name of a passkey")
    return {
      mutations: [...unchanged, { kind: "passkey.rename", id, name }],
      target: { kind: "passkey", id, accountId: null },
      before: { name: passkey.name, person: passkey.personId },
      after: { name },
      answer: () => toPasskeyOutput({ ...passkey, name }),
    }
  },
  async recall(id, { admin }) {
    return toPasskeyOutput((await admin.findPasskey(id)) ?? missing("passkey", id))
  },
})

export const removePasskey = defineChange({
  id: "passkeys.remove",
  title: "Remove a passkey",
  description:
    "Removes a passkey for good and ends the sessions that it opened. Everyone removes their own; another person's needs the permission " +
    "`people.write` and all that the person has or ever had.",
  permission: null,
  method: "DELETE",
  path: "/passkeys/{id}",
  isFinal: true,
  command: { words: "people remove-passkey", args: ["id"], example: "psk_1234567890abcdef" },
  input: Type.Object({ id: passkeyId }),
  output: Type.Object({
    id: passkeyId,
    person: nullableText("The person's id; null when an answer is repeated after a crash."),
  }),
  async prepare({ id }, context) {
    const { passkey, given, unchanged } = await requirePasskey(id, context)
    const { personId: person, name } = passkey
    return {
      mutations: [...unchanged, { kind: "passkey.remove", id }, ...keepOwner(given, context)],
      target: { kind: "passkey", id, accountId: null },
      before: { name, person },
      answer: () => ({ id, person }),
    }
  },
  recall: async (id) => ({ id, person: null }),
})
