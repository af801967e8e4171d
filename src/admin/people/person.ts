import { type Static, Type } from "@sinclair/typebox"
import type { Mutation } from "../../store/admin-store.ts"
import type { PersonRecord } from "../../store/people.ts"
import { toIso } from "../../values/time-text.ts"
import { requireNoMore } from "../admins/grants.ts"
import { missing, noSuch } from "../fault.ts"
import { idText, instant, listOf, maybeInstant, pageParameters } from "../fields.ts"
import { type AdminContext, defineRead } from "../operation.ts"
import { readPage } from "../pages.ts"
import type { AdminParts } from "../parts.ts"
import { grants } from "../permission.ts"
import { showBy } from "../show.ts"

export const personId = idText("The person's id, which starts with `psn_`.")

/** A person as operations answer them. */
export const personSchema = Type.Object({
  id: personId,
  name: Type.String({ description: "Their name, as the audit log shows it." }),
  permissions: Type.Array(Type.String({ enum: grants }), { description: "What they may do." }),
  passkeys: Type.Integer({ description: "How many passkeys they have." }),
  last_sign_in: maybeInstant("When they last signed in by passkey; null if they never did."),
  created: instant("When they were invited."),
  removed: maybeInstant("When they were removed; null if they were not."),
})

type PersonOutput = Static<typeof personSchema>
const show = showBy(personSchema)

/** `person:`: the prefix of a person as actor and as owner of sessions. */
const ownerStart = "person:"

/** The owner of all sessions of a person. */
export function ownerOf(id: string): string {
  return ownerStart + id
}

/** The id of the person who owns a session or a link; null if it is no person. */
export function personIdOf(owner: string): string | null {
  return owner.startsWith(ownerStart) ? owner.slice(ownerStart.length) : null
}

/** @throws AdminFault when there is no such person, or they were removed */
export async function requirePerson({ admin }: Pick<AdminParts, "admin">, id: string): Promise<PersonRecord> {
  const person = await admin.findPerson(id)
  if (person && person.removedMs === null) return person
  throw noSuch("person", id)
}

/**
 * Requires that someone has all permissions that a person has or ever had: their passkeys and links may give those again.
 * @returns a mutation that ends the change if the person has got more meanwhile
 * @throws AdminFault 403
 */
export function requireAllOf({ id, name, held }: PersonRecord, context: AdminContext): Mutation {
  requireNoMore(held, `${name} has or ever had`, context)
  return { kind: "person.expect", id, held }
}

/** A person as operations show them. */
async function toPersonOutput(person: PersonRecord, admin: AdminParts["admin"]): Promise<PersonOutput> {
  const passkeys = await admin.passkeysOf(person.id)
  const usedMs = passkeys.flatMap(({ usedMs }) => usedMs ?? [])
  return show(person, {
    passkeys: passkeys.length,
    last_sign_in: usedMs.length === 0 ? null : toIso(Math.max(...usedMs)),
  })
}

/** Reads a person for an answer, a removed one too. */
export async function readPerson(id: string, { admin }: AdminParts): Promise<PersonOutput> {
  return toPersonOutput((await admin.findPerson(id)) ?? missing("person", id), admin)
}

export const listPeople = defineRead({
  id: "people.list",
  title: "List people",
  description: "Lists the people who sign in to the console under their own names, oldest first.",
  permission: "people.read",
  path: "/people",
  command: {
    words: "people list",
    example: "",
    empty: "No people. Invite one with 'people add'.",
    columns: ["id", "name", "permissions", "passkeys", "last_sign_in"],
  },
  input: Type.Object(pageParameters),
  output: listOf(personSchema),
  read: (page, { admin }) =>
    readPage(
      "people",
      page,
      async (place) => {
        const people = await admin.people(place)
        return Promise.all(
          people.map(async (person) => ({ person, output: await toPersonOutput(person, admin) })),
        )
      },
      ({ person: { createdMs, id } }) => [createdMs, id],
      ({ output }) => output,
    ),
})
