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
import { termsMissing } from "./ask.ts"
import type { SignUpSettings } from "./settings.ts"

/** What someone sends who opens a link from a mail and presses its button. */
export interface Confirmation {
  readonly token: string
  /** The name of the account to make. */
  readonly name?: string | undefined
  /** Whether the terms are accepted. */
  readonly terms?: boolean | undefined
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
  if (!isWellFormed("linkToken", given.token)) throw new SignInRefused("linkMalformed")
  const hash = hashKey(given.token)
  const link = await admin.findEmailLink(hash)
  const nowMs = clock.now()
  if (link === null || link.usedMs !== null || link.expiresMs <= nowMs) {
    throw new SignInRefused("linkUsed", link?.id)
  }
  if (link.browser !== null && (browser === null || link.browser !== hashKey(browser))) {
    throw new SignInRefused("linkOfOther", link.id)
  }
  const use: Mutation = { kind: "emailLink.use", hash, nowMs }
  if (link.accountId !== null)
    return { grant: await grantOfAccount(link, link.accountId, use, admin), key: null }
  return signUpWith(link, given, use, nowMs, parts)
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
  { random, plans, signUp }: ConfirmParts,
): Confirmed {
  const { mode, terms } = signUp
  // The settings may have changed since the link was sent.
  if (mode === "off" || (mode === "invite" && link.kind === "sign-up")) {
    throw new SignInRefused("signUpOver", link.id)
  }
  if (terms !== null && link.terms !== terms && given.terms !== true) throw termsMissing
  const account = newAccount(link, given.name ?? "", nowMs, { random, plans, signUp })
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

function newAccount(
  link: EmailLink,
  name: string,
  nowMs: number,
  { random, plans, signUp }: Pick<ConfirmParts, "random" | "plans" | "signUp">,
): AccountDetails {
  const plan = plans.get(link.plan ?? signUp.plan)
  if (!plan) {
    throw new AdminFault(
      "conflict",
      "The plan of new accounts is not configured. Ask the operator of this service.",
    )
  }
  const chosen = name || link.name || link.email
  if (name !== "") requireName(name, "The name of an account")
  const { terms } = signUp
  const own = {
    id: createId("acc", random),
    name: chosen,
    email: link.email,
    // It has no webhook yet, and an address that was confirmed.
    notify: "mail",
    metadata: JSON.stringify(terms === null ? {} : { terms, terms_accepted: toIso(nowMs) }),
    // A key that ends unseen stops its program.
    events: ["key.expiring"],
  } as const
  return toAccountDetails(plan, own, nowMs)
}
