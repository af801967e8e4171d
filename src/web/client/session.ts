import { computed, effect, signal } from "@preact/signals"
import type { SessionAnswer, SignedIn } from "../../admin/sessions/sessions.ts"
import type { VisitorWays } from "../../admin/sign-up/settings.ts"
import { area } from "./address.ts"
import { joinOtherTabs } from "./browser.ts"
import type { OperationId } from "./operations.ts"
import {
  csrfToken,
  fetchJson,
  hasEnded,
  Problem,
  postJson,
  signedOutAnswers,
  Unreachable,
} from "./request.ts"

/** Null when nobody is signed in; undefined until that is known. */
export const session = signal<SignedIn | null | undefined>(undefined)

/** How a visitor of the portal gets in without a key; null until that is known, and in the console. */
export const ways = signal<VisitorWays | null>(null)

const path = `${area.base}/session`
const allowed = computed(() => new Set(session.value?.may ?? []))

/** Whether the session may run an operation. */
export function may(operation: OperationId): boolean {
  return allowed.value.has(operation)
}

effect(() => {
  csrfToken.value = session.value?.csrf ?? ""
})

let answersSeen = signedOutAnswers.peek()
effect(() => {
  if (signedOutAnswers.value === answersSeen) return
  answersSeen = signedOutAnswers.value
  if (session.peek()) hasEnded.value = true
})

/** Tabs share the cookie, so signing in or out in one does so in all. */
const otherTabs = joinOtherTabs(`penknife-${area.kind}`, async () => {
  try {
    await loadSession()
  } catch (thrown) {
    // The banner says that the service is gone. The next request finds out who is signed in.
    if (!(thrown instanceof Problem || thrown instanceof Unreachable)) throw thrown
  }
})

/**
 * Finds out who is signed in.
 * @throws Problem, Unreachable
 */
export async function loadSession(): Promise<void> {
  const answer = await fetchJson<SessionAnswer>(path, {})
  if (answer.signed_in) hasEnded.value = false
  else if (session.peek()) hasEnded.value = true
  if (!answer.signed_in) ways.value = answer.ways ?? null
  session.value = answer.signed_in ? answer : null
}

/**
 * Signs in with the token of a one-time link, a key, or what a passkey has signed.
 * @throws Problem, Unreachable
 */
export async function signIn(
  proof: { readonly token: string } | { readonly key: string } | { readonly passkey: unknown },
): Promise<void> {
  openedSession(await postJson<SignedIn>(path, proof))
}

/** Goes on with a session that was opened. */
export function openedSession(opened: SignedIn): void {
  session.value = opened
  hasEnded.value = false
  otherTabs.tell()
}

/**
 * Signs out, on this device or on all.
 * @throws Problem, Unreachable
 */
export async function signOut(everywhere: boolean): Promise<void> {
  await fetchJson<unknown>(path + (everywhere ? "?everywhere=true" : ""), { method: "DELETE" })
  session.value = null
  hasEnded.value = false
  otherTabs.tell()
}

/** Takes the token of a one-time link out of the address at once, so that neither history nor a screenshot keeps it. */
export function takeLinkToken(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get("token")
  if (location.hash !== "") history.replaceState(null, "", location.pathname + location.search)
  return token
}

/** The id of the account that is signed in. Only the portal has one. */
export function ownAccount(): string {
  return session.value?.account?.id ?? ""
}
