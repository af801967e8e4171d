import { type Static, Type } from "@sinclair/typebox"
import { createId, createSecret, hashKey } from "../../accounts/key.ts"
import { nullable } from "../../apis/contract.ts"
import type { SignInLink } from "../../store/admin-store.ts"
import { toIso } from "../../values/time-text.ts"
import { type AdminContext, type PreparedChange, secret } from "../operation.ts"

/** A link that signs in, as operations answer it. */
export const linkSchema = Type.Object({
  id: Type.String({ description: "The link's id, for the audit log." }),
  url: secret(
    nullable(Type.String(), { description: "The link. It works once. Null when an answer is repeated." }),
  ),
  note: Type.String({ description: "That the link is shown once." }),
  expires: nullable(Type.String({ format: "date-time" }), {
    description: "When it stops working; null when an answer is repeated after a crash.",
  }),
})

const note = "The link is shown once, in the first answer to this request, and signs in once."

type LinkOutput = Static<typeof linkSchema>

/**
 * Prepares a new link. Its token is in the fragment of the URL, which browsers do not send: no server and no proxy logs it.
 * @param page such as https://api.example.com/console
 */
export function prepareLink(
  given: Pick<SignInLink, "kind" | "owner" | "permissions" | "accountId" | "name">,
  page: string,
  durationMs: number,
  { random, clock, actor }: AdminContext,
): PreparedChange<LinkOutput> {
  const token = createSecret("linkToken", random)
  const id = createId("lnk", random)
  const createdMs = clock.now()
  const expiresMs = createdMs + durationMs
  const link = { id, ...given, adminKeyId: actor.adminKeyId ?? null, createdMs, expiresMs }
  const expires = toIso(expiresMs)
  const { kind, permissions, accountId } = given
  return {
    mutations: [{ kind: "link.insert", link, hash: hashKey(token) }],
    target: { kind: "sign-in link", id, accountId },
    before: null,
    after: { ...(kind === "console" && { permissions }), expires },
    answer: () => ({ id, url: `${page}#token=${token}`, note, expires }),
  }
}

/** The answer to a repeated request whose first answer was lost. */
export async function recallLink(id: string): Promise<LinkOutput> {
  return { id, url: null, note, expires: null }
}
