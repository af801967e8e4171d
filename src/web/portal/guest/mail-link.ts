import { computed, signal } from "@preact/signals"
import type { SignedIn } from "../../../admin/sessions/sessions.ts"
import type { LinkQuestion } from "../../../admin/sign-up/ask.ts"
import type { LinkOffer } from "../../../admin/sign-up/confirm.ts"
import { go } from "../../client/address.ts"
import { postJson } from "../../client/request.ts"
import { openedSession } from "../../client/session.ts"

const kinds = ["sign-up", "sign-in", "invitation"] as const

/** A link from a mail that was opened in this page, until its button is pressed. */
interface OpenedLink {
  readonly kind: (typeof kinds)[number]
  readonly token: string
}

export const openedLink = signal<OpenedLink | null>(null)

/** The key of an account that was just made, until its owner goes on. */
export const firstKey = signal<string | null>(null)

/** Whether a page for visitors covers the portal, although someone may be signed in. */
export const coversPortal = computed(() => openedLink.value !== null || firstKey.value !== null)

/** Takes the token of a link from a mail out of the address, so that neither history nor a screenshot keeps it. */
export function takeMailLink(): void {
  const given = new URLSearchParams(location.hash.slice(1))
  for (const kind of kinds) {
    const token = given.get(kind)
    if (token === null) continue
    openedLink.value = { kind, token }
    history.replaceState(null, "", location.pathname)
  }
}

/**
 * Asks for a link by mail. The answer does not tell whether there is an account.
 * @throws Problem, Unreachable
 */
export async function askForLink(question: LinkQuestion): Promise<void> {
  await postJson("/portal/mail-links", question)
}

/**
 * Asks what a link from a mail will make. That does not use it.
 * @throws Problem, Unreachable
 */
export function readLink({ token }: OpenedLink): Promise<LinkOffer> {
  return postJson("/portal/mail-links/read", { token })
}

/**
 * Uses a link from a mail, and signs in.
 * @throws Problem, Unreachable
 */
export async function confirmLink(
  { token }: OpenedLink,
  given: { readonly name?: string; readonly terms?: string },
): Promise<void> {
  type Confirmed = { readonly session: SignedIn; readonly first_key: string | null }
  const { session, first_key } = await postJson<Confirmed>("/portal/mail-links/confirm", { token, ...given })
  // There is no screen at the address of the link.
  go("/")
  firstKey.value = first_key
  openedLink.value = null
  openedSession(session)
}
