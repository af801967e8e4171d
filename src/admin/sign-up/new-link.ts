import { createId, hashKey } from "../../accounts/key.ts"
import type { Random } from "../../apis/contract.ts"
import type { EmailLink, EmailLinkLimits, Mutation } from "../../store/admin-store.ts"
import { toIso } from "../../values/time-text.ts"

interface NewLink {
  readonly link: EmailLink
  /** The link's address up to its token. */
  readonly start: string
  readonly mutation: Mutation
}

/**
 * Makes a link for an e-mail address. Its token is in the fragment of the URL, which browsers do not send: no server and no proxy
 * logs it, and a program that only follows links does not use it.
 * @param portal the address of the portal, without a path
 */
export function newEmailLink(
  given: Omit<EmailLink, "id" | "createdMs" | "expiresMs" | "usedMs">,
  more: {
    readonly portal: string
    readonly nowMs: number
    readonly durationMs: number
    readonly limits: EmailLinkLimits | null
    readonly random: Random
    /** The token that its maker is given; without it only mails have one. */
    readonly token?: string
  },
): NewLink {
  const { portal, nowMs, durationMs, limits, random, token } = more
  const id = createId("eml", random)
  const link = { id, ...given, createdMs: nowMs, expiresMs: nowMs + durationMs, usedMs: null }
  return {
    link,
    start: `${portal}/portal/confirm#${given.kind}=`,
    mutation: {
      kind: "emailLink.insert",
      link,
      hash: token === undefined ? null : hashKey(token),
      limits,
    },
  }
}

const templates = { "sign-up": "confirmation", "sign-in": "sign-in", invitation: "invitation" } as const

/**
 * Puts the mail with a link into the outbox, in the transaction that makes the link. Its token is made when it is sent.
 * @param plan of the account that the link makes; null for one that is there
 */
export function mailOf({ link, start }: NewLink, plan: string | null, random: Random): Mutation {
  const { kind, email, accountId, createdMs, expiresMs } = link
  const data = JSON.stringify({
    link: start,
    link_id: link.id,
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
