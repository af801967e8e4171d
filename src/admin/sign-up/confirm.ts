import { createId, hashKey, isWellFormed } from "../../accounts/key.ts"
import type { Plan, Plans } from "../../accounts/plan.ts"
import { requireName } from "../../accounts/requirements.ts"
import type { Random } from "../../apis/contract.ts"
import type { AdminStore } from "../../store/admin-reads.ts"
import type { AccountDetails, EmailLink, Mutation } from "../../store/admin-store.ts"
import { toIso } from "../../values/time-text.ts"
import { newAccountOn } from "../accounts/new-account.ts"
import { readAccountRecords, recordedText } from "../audit/record.ts"
import { conflict } from "../fault.ts"
import { createKeyDetails } from "../keys/key-details.ts"
import type { AdminParts } from "../parts.ts"
import { customerPermissions } from "../permission.ts"
import { bareGrant, type Grant } from "../sessions/grant.ts"
import { SignInRefused } from "../sessions/refusal.ts"
import { requireTerms } from "./ask.ts"
import { isBlockedAddress, type SignUpSettings } from "./settings.ts"

/** The form that visitors send when they open a link from a mail and press its button. */
export interface Confirmation {
  readonly token: string
  /** The name of the account to make. */
  readonly name?: string | undefined
  /** The address of the terms that were shown and are accepted. */
  readonly terms?: string | undefined
}

/**
 * Finds what a link from a mail opens: an account that is there, or a new one with its first key. Nothing is changed yet: the
 * mutations of the grant make the account, use the link and open the session together.
 * @param browser the cookie of the browser; null without one
 * @returns the rights that it gives, and the key of the account that it makes; null for an account that was there
 * @throws SignInRefused, AdminFault, AccountError
 */
export async function confirmLink(
  given: Confirmation,
  browser: string | null,
  parts: LinkParts & Pick<AdminParts, "random">,
) {
  const usable = await requireUsableLink(given.token, browser, parts)
  const nowMs = parts.clock.now()
  const use: Mutation = { kind: "emailLink.use", hash: hashKey(given.token), nowMs }
  const { link, account } = usable
  if (account !== null) return { grant: grantOf(account, link, [use]), key: null }
  return signUpWith(usable, given, use, nowMs, parts.random)
}

/** The account that a link will make. Both fields are null for a link that signs in to an account. */
export interface LinkOffer {
  /** The plan of the account. */
  readonly plan: string | null
  /** The address of the terms that are still to be accepted; null for none. */
  readonly terms: string | null
}

/**
 * Tells what a link from a mail will make, without using it.
 * @throws SignInRefused, AdminFault
 */
export async function readLink(token: string, browser: string | null, parts: LinkParts): Promise<LinkOffer> {
  const usable = await requireUsableLink(token, browser, parts)
  if (usable.account !== null) return { plan: null, terms: null }
  const { plan, toAccept } = usable.offer
  return { plan: plan.name, terms: toAccept }
}

function grantOf(account: AccountDetails, link: EmailLink, mutations: readonly Mutation[]): Grant {
  return {
    ...{ ...bareGrant, owner: account.id, name: account.name, accountId: account.id, account },
    permissions: customerPermissions,
    by: `e-mail link ${link.id}`,
    mutations,
  }
}

function signUpWith(
  { link, offer }: Extract<UsableLink, { account: null }>,
  given: Confirmation,
  use: Mutation,
  nowMs: number,
  random: Random,
) {
  const { plan, terms, toAccept } = offer
  requireTerms(given.terms, toAccept)
  // Terms that need no acceptance any more were accepted with the question for the link.
  const accepted = terms && { terms, terms_accepted: toIso(toAccept === null ? link.createdMs : nowMs) }
  const own = {
    id: createId("acc", random),
    name: accountName(link, given.name ?? ""),
    email: link.email,
    // It has no webhook yet, and an address that was confirmed.
    notify: "mail",
    metadata: JSON.stringify(accepted ?? {}),
    // A key that ends unseen stops its program.
    events: ["key.expiring"],
  } as const
  const account = newAccountOn(plan, own, nowMs)
  const { key, text, mutation } = createKeyDetails(account.id, { name: "first key" }, nowMs, random)
  const mutations: readonly Mutation[] = [use, { kind: "account.insert", account }, mutation]
  const record = {
    email: account.email,
    plan: account.plan,
    bonus: account.bonus,
    first_key: key.id,
    ...accepted,
  }
  return { grant: { ...grantOf(account, link, mutations), signUp: record }, key: text }
}

function accountName(link: EmailLink, given: string): string {
  if (given !== "") requireName(given, "The name of an account")
  return given || link.name || link.email
}

type LinkParts = Pick<AdminParts, "admin" | "clock" | "plans" | "signUp">

/** A link from a mail that can be used, and what it opens: an account that is there, or a new one. */
type UsableLink =
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
async function requireUsableLink(
  token: string,
  browser: string | null,
  { admin, clock, plans, signUp }: LinkParts,
): Promise<UsableLink> {
  const link = await requireLink(token, browser, clock.now(), admin)
  if (link.accountId !== null)
    return { link, account: await requireLinkedAccount(link, link.accountId, admin) }
  const offer = requireOffer(link, plans, signUp)
  // An operator who invites an address knows it.
  if (link.kind === "sign-up" && (await isBlockedAddress(link.email, signUp)))
    throw new SignInRefused("domainBlocked", link.id)
  if (await admin.findAccountByEmail(link.email)) throw new SignInRefused("hasAccount", link.id)
  return { link, account: null, offer }
}

async function requireLink(token: string, browser: string | null, nowMs: number, admin: AdminStore) {
  if (!isWellFormed("linkToken", token)) throw new SignInRefused("linkMalformed")
  const link = await admin.findEmailLink(hashKey(token))
  if (link === null || link.usedMs !== null || link.expiresMs <= nowMs)
    throw new SignInRefused("linkUsed", link?.id)
  if (link.browser !== null && (browser === null || link.browser !== hashKey(browser)))
    throw new SignInRefused("linkOfOther", link.id)
  return link
}

async function requireLinkedAccount(link: EmailLink, accountId: string, admin: AdminStore) {
  const account = await admin.findAccount(accountId)
  if (account === null || account.closedMs !== null) throw new SignInRefused("accountClosed", link.id)
  if (account.email !== link.email || (await hasLostAddress(link, accountId, admin)))
    throw new SignInRefused("linkOfPast", link.id)
  return account
}

/** Whether the account has lost the address of a link since it was made, also if it has it again. */
async function hasLostAddress({ email, createdMs }: EmailLink, accountId: string, admin: AdminStore) {
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
