import { hashKey, isWellFormed } from "../../accounts/key.ts"
import type { Plan, Plans } from "../../accounts/plan.ts"
import type { Clock } from "../../apis/contract.ts"
import type { AdminStore } from "../../store/admin-reads.ts"
import type { AccountDetails, EmailLink } from "../../store/admin-store.ts"
import { readAccountRecords, recordedText } from "../audit/record.ts"
import { conflict } from "../fault.ts"
import { SignInRefused } from "../sessions/refusal.ts"
import { isBlockedAddress, type SignUpSettings } from "./settings.ts"

export interface LinkParts {
  readonly admin: AdminStore
  readonly clock: Clock
  readonly plans: Plans
  readonly signUp: SignUpSettings
}

/** A link from a mail that can be used, and what it opens: an account that is there, or a new one. */
export type UsableLink =
  | { readonly link: EmailLink; readonly account: AccountDetails }
  | { readonly link: EmailLink; readonly account: null; readonly offer: Offer }

/** The account that a link makes under the present settings. */
interface Offer {
  readonly plan: Plan
  /** The address of the present terms; null for none. */
  readonly terms: string | null
  /** The terms that are still to be accepted; null for none. */
  readonly toAccept: string | null
}

/**
 * Makes every check of a link before it is used, without using it.
 * @param browser the cookie of the browser; null without one
 * @throws SignInRefused for a link that cannot be used, or not in this browser; AdminFault
 */
export async function requireUsableLink(
  token: string,
  browser: string | null,
  { admin, clock, plans, signUp }: LinkParts,
): Promise<UsableLink> {
  const link = await requireLink(token, browser, clock.now(), admin)
  if (link.accountId !== null)
    return { link, account: await requireLinkedAccount(link, link.accountId, admin) }
  const offer = requireOffer(link, plans, signUp)
  // An operator who invites an address knows it.
  if (link.kind === "sign-up" && (await isBlockedAddress(link.email, signUp))) {
    throw new SignInRefused("domainBlocked", link.id)
  }
  if (await admin.findAccountByEmail(link.email)) throw new SignInRefused("hasAccount", link.id)
  return { link, account: null, offer }
}

async function requireLink(
  token: string,
  browser: string | null,
  nowMs: number,
  admin: AdminStore,
): Promise<EmailLink> {
  if (!isWellFormed("linkToken", token)) throw new SignInRefused("linkMalformed")
  const link = await admin.findEmailLink(hashKey(token))
  if (link === null || link.usedMs !== null || link.expiresMs <= nowMs) {
    throw new SignInRefused("linkUsed", link?.id)
  }
  if (link.browser !== null && (browser === null || link.browser !== hashKey(browser))) {
    throw new SignInRefused("linkOfOther", link.id)
  }
  return link
}

async function requireLinkedAccount(
  link: EmailLink,
  accountId: string,
  admin: AdminStore,
): Promise<AccountDetails> {
  const account = await admin.findAccount(accountId)
  if (account === null || account.closedMs !== null) throw new SignInRefused("accountClosed", link.id)
  if (account.email !== link.email || (await hasLostAddress(link, accountId, admin))) {
    throw new SignInRefused("linkOfPast", link.id)
  }
  return account
}

/** Whether the account has lost the address of a link since it was made, also if it has it again. */
async function hasLostAddress(
  { email, createdMs }: EmailLink,
  accountId: string,
  admin: AdminStore,
): Promise<boolean> {
  const records = await readAccountRecords([accountId], createdMs, admin)
  return records.some(
    ({ before, after }) => recordedText(before, "email") === email && recordedText(after, "email") !== email,
  )
}

/** The settings may have changed since the link was sent. */
function requireOffer(link: EmailLink, plans: Plans, { mode, terms, plan: usual }: SignUpSettings): Offer {
  if (mode === "off") throw new SignInRefused("signUpOver", link.id)
  if (mode === "invite" && link.kind === "sign-up") throw new SignInRefused("invitationNeeded", link.id)
  const plan = plans.get(link.plan ?? usual)
  if (plan) return { plan, terms, toAccept: link.terms === terms ? null : terms }
  throw conflict("The plan of new accounts is not configured. Ask the operator of this service.")
}
