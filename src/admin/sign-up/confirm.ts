import { createId, hashKey, isWellFormed } from "../../accounts/key.ts"
import type { Plans } from "../../accounts/plan.ts"
import { requireName } from "../../accounts/requirements.ts"
import type { Clock, Random } from "../../apis/contract.ts"
import type { AccountDetails, AdminStore, EmailLink, Mutation } from "../../store/admin-store.ts"
import { toIso } from "../../values/time-text.ts"
import { toAccountDetails } from "../accounts/account-details.ts"
import { AdminFault } from "../fault.ts"
import { createKeyDetails } from "../keys/key-details.ts"
import { customerPermissions } from "../permission.ts"
import type { Grant } from "../sessions/grant.ts"
import { SignInRefused } from "../sessions/refusal.ts"
import { requireTerms } from "./ask.ts"
import type { SignUpSettings } from "./settings.ts"

/** What someone sends who opens a link from a mail and presses its button. */
export interface Confirmation {
  readonly token: string
  /** The name of the account to make. */
  readonly name?: string | undefined
  /** The address of the terms that were shown and are accepted. */
  readonly terms?: string | undefined
}

interface ConfirmParts {
  readonly admin: AdminStore
  readonly clock: Clock
  /** For the account and its key. */
  readonly random: Random
  readonly plans: Plans
  readonly signUp: SignUpSettings
}

/** The rights that a link gives, and the key of the account that it makes; null for an account that was there. */
interface Confirmed {
  readonly grant: Grant
  readonly key: string | null
}

/**
 * Finds what a link from a mail opens: an account that is there, or a new one with its first key. Nothing is changed yet: the
 * mutations of the grant make the account, use the link and open the session together.
 * @param browser the cookie of the browser; null without one
 * @throws SignInRefused, AdminFault, AccountError
 */
export async function confirmLink(
  given: Confirmation,
  browser: string | null,
  parts: ConfirmParts,
): Promise<Confirmed> {
  const { admin, clock } = parts
  const nowMs = clock.now()
  const link = await requireLink(given.token, browser, nowMs, admin)
  const use: Mutation = { kind: "emailLink.use", hash: hashKey(given.token), nowMs }
  if (link.accountId !== null)
    return { grant: await grantOfAccount(link, link.accountId, use, admin), key: null }
  return signUpWith(link, given, use, nowMs, parts)
}

/** What a link will make. Both are null for a link that signs in to an account. */
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
export async function readLink(
  token: string,
  browser: string | null,
  parts: Pick<ConfirmParts, "admin" | "clock" | "plans" | "signUp">,
): Promise<LinkOffer> {
  const link = await requireLink(token, browser, parts.clock.now(), parts.admin)
  if (link.accountId !== null) return { plan: null, terms: null }
  const { plan, terms } = requireOffer(link, parts)
  return { plan: plan.name, terms }
}

/** @throws SignInRefused for a link that cannot be used, or not in this browser */
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

/**
 * The plan of the account that a link makes, and the terms that are still to be accepted. The settings may have changed since the
 * link was sent.
 * @throws SignInRefused, AdminFault
 */
function requireOffer(link: EmailLink, { plans, signUp }: Pick<ConfirmParts, "plans" | "signUp">) {
  const { mode, terms } = signUp
  if (mode === "off") throw new SignInRefused("signUpOver", link.id)
  if (mode === "invite" && link.kind === "sign-up") throw new SignInRefused("invitationNeeded", link.id)
  const plan = plans.get(link.plan ?? signUp.plan)
  if (plan) return { plan, terms: link.terms === terms ? null : terms }
  throw new AdminFault(
    "conflict",
    "The plan of new accounts is not configured. Ask the operator of this service.",
  )
}

async function grantOfAccount(
  link: EmailLink,
  accountId: string,
  use: Mutation,
  admin: AdminStore,
): Promise<Grant> {
  const account = await admin.findAccount(accountId)
  if (account === null || account.closedMs !== null) throw new SignInRefused("accountClosed", link.id)
  if (account.email !== link.email) throw new SignInRefused("linkOfPast", link.id)
  return grantOf(account, link, [use])
}

function grantOf(account: AccountDetails, link: EmailLink, mutations: readonly Mutation[]): Grant {
  return {
    owner: account.id,
    name: account.name,
    permissions: customerPermissions,
    adminKeyId: null,
    passkeyId: null,
    accountId: account.id,
    account,
    keyHash: null,
    expiresMs: Number.POSITIVE_INFINITY,
    by: `e-mail link ${link.id}`,
    mutations,
  }
}

function signUpWith(
  link: EmailLink,
  given: Confirmation,
  use: Mutation,
  nowMs: number,
  parts: ConfirmParts,
): Confirmed {
  const { random, signUp } = parts
  const { terms } = signUp
  const offer = requireOffer(link, parts)
  requireTerms(given.terms, offer.terms)
  const own = {
    id: createId("acc", random),
    name: accountName(link, given.name ?? ""),
    email: link.email,
    // It has no webhook yet, and an address that was confirmed.
    notify: "mail",
    metadata: JSON.stringify(terms === null ? {} : { terms, terms_accepted: toIso(nowMs) }),
    // A key that ends unseen stops its program.
    events: ["key.expiring"],
  } as const
  const account = toAccountDetails(offer.plan, own, nowMs)
  const { key, text, mutation } = createKeyDetails(account.id, { name: "first key" }, nowMs, random)
  const mutations: readonly Mutation[] = [use, { kind: "account.insert", account }, mutation]
  const record = {
    email: account.email,
    plan: account.plan,
    bonus: account.bonus,
    first_key: key.id,
    ...(terms !== null && { terms, terms_accepted: toIso(nowMs) }),
  }
  return { grant: { ...grantOf(account, link, mutations), signUp: record }, key: text }
}

function accountName(link: EmailLink, given: string): string {
  if (given !== "") requireName(given, "The name of an account")
  return given || link.name || link.email
}
