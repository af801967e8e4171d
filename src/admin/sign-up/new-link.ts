import { createId, createSecret, hashKey } from "../../accounts/key.ts"
import type { Random } from "../../apis/contract.ts"
import type { EmailLink, EmailLinkLimits, Mutation } from "../../store/admin-store.ts"
import { toIso } from "../../values/time-text.ts"

interface NewLink {
  readonly link: EmailLink
  /** The link's address, which is given out only here and in the mail. */
  readonly url: string
  readonly mutation: Mutation
}

type GivenLink = Omit<EmailLink, "id" | "createdMs" | "expiresMs" | "usedMs">

/**
 * Makes a link for an e-mail address. Its token is in the fragment of the URL, which browsers do not send: no server and no proxy
 * logs it, and a program that only follows links does not use it.
 * @param portal the address of the portal, without a path
 */
export function newEmailLink(
  given: GivenLink,
  more: {
    readonly portal: string
    readonly nowMs: number
    readonly durationMs: number
    readonly limits: EmailLinkLimits | null
    readonly random: Random
  },
): NewLink {
  const { portal, nowMs, durationMs, limits, random } = more
  const token = createSecret("linkToken", random)
  const id = createId("eml", random)
  const link = { id, ...given, createdMs: nowMs, expiresMs: nowMs + durationMs, usedMs: null }
  return {
    link,
    url: `${portal}/portal/confirm#${given.kind}=${token}`,
    mutation: { kind: "emailLink.insert", link, hash: hashKey(token), limits },
  }
}

const templates = { "sign-up": "confirmation", "sign-in": "sign-in", invitation: "invitation" } as const

/**
 * Puts the mail with a link into the outbox, in the transaction that makes the link.
 * @param plan of the account that the link makes; null for one that is there
 */
export function mailOf({ link, url }: NewLink, plan: string | null, random: Random): Mutation {
  const { kind, email, accountId, createdMs, expiresMs } = link
  const data = JSON.stringify({
    link: url,
    expires: toIso(expiresMs),
    name: link.name,
    ...(plan !== null && { plan }),
  })
  return {
    kind: "mail.insert",
    mail: {
      id: createId("mail", random),
      recipient: email,
      template: templates[kind],
      accountId,
      data,
      nowMs: createdMs,
      expiresMs,
    },
  }
}
