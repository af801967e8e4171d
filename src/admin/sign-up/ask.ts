import { mailboxOf, requireEmail } from "../../accounts/email.ts"
import { hashKey } from "../../accounts/key.ts"
import { requireName } from "../../accounts/requirements.ts"
import type { Ports } from "../../apis/contract.ts"
import type { AdminStore } from "../../store/admin-reads.ts"
import type { AccountDetails } from "../../store/admin-store.ts"
import { toIso } from "../../values/time-text.ts"
import type { createAuditRecords } from "../audit/record.ts"
import { type AdminFault, conflict, invalid } from "../fault.ts"
import type { PageAddresses } from "../parts.ts"
import { mailOf, newEmailLink } from "./new-link.ts"
import { isBlockedAddress, type SignUpSettings } from "./settings.ts"

/** A visitor's request for a link. */
export interface LinkQuestion {
  readonly for: "sign-up" | "sign-in"
  readonly email: string
  /** The name of the account to make. */
  readonly name?: string | undefined
  /** The address of the terms that were shown and are accepted. */
  readonly terms?: string | undefined
}

/** The request in which a visitor asks. */
export interface QuestionOrigin {
  /** The cookie of the browser, which alone may use the link. */
  readonly browser: string
  /** The networks of the client, the narrowest first. */
  readonly networks: readonly [string, ...string[]]
  readonly source: string
  readonly requestId: string
}

interface AskParts extends Pick<Ports, "clock" | "random"> {
  readonly newAuditRecord: ReturnType<typeof createAuditRecords>
  readonly admin: AdminStore
  readonly pages: Pick<PageAddresses, "portal">
  readonly signUp: SignUpSettings
}

/** How long a link of a visitor works, and for how long it counts for the limits. */
export const visitorLinkMs = 3_600_000

/**
 * The most questions of an hour. They are counted in the store, so they hold for all workers and instances together. A question
 * to sign in to an account has no limit over all: strangers must not lock customers out.
 */
export const linkLimits = {
  /** By the networks of the client, the narrowest first. */
  perNetwork: [20, 30, 60],
  perMailboxAndNetwork: 5,
  perMailbox: 30,
  mostPerMailbox: 100,
  signUpsInAll: 1_000,
  /** Limit of questions to sign in to accounts that do not exist. It bounds the number of them in the store. */
  vainSignInsInAll: 5_000,
} as const

/**
 * Sends a link to an e-mail address, if there is something to send: to an account it is a link to sign in, to others one to sign
 * up. Whoever asks is not told which.
 * @returns what happened, for the log
 * @throws AdminFault and AccountError for what is wrong with the question itself, whoever has an account
 */
export async function askForLink(question: LinkQuestion, from: QuestionOrigin, parts: AskParts) {
  const { admin, signUp } = parts
  const email = await requireQuestion(question, signUp)
  return countQuestion(question, email, await admin.findAccountByEmail(email), from, parts)
}

async function requireQuestion(
  { for: purpose, email: text, name, terms }: LinkQuestion,
  signUp: SignUpSettings,
): Promise<string> {
  if (!signUp.hasMail)
    throw conflict("This service sends no mail, so you cannot get a link. Sign in with an API key.")
  if (purpose === "sign-up" && signUp.mode !== "open") throw noSignUp(signUp)
  const email = await requireEmail(text)
  if (purpose === "sign-in") return email
  if (name !== undefined && name !== "") requireName(name, "The name of an account")
  requireTerms(terms, signUp.terms)
  if (await isBlockedAddress(email, signUp))
    throw invalid("email", "Addresses of this domain cannot sign up. Use another e-mail address.")
  return email
}

/** The refusal of a sign-up that the settings do not allow. */
function noSignUp({ mode }: Pick<SignUpSettings, "mode">): AdminFault {
  const why = mode === "off" ? "Nobody can sign up here." : "You need an invitation to sign up."
  return conflict(`${why} Ask the operator of this service.`)
}

/**
 * Only terms that were shown are accepted: an operator may have changed them since.
 * @param present the address of the terms to accept; null for none
 * @throws AdminFault
 */
export function requireTerms(accepted: string | undefined, present: string | null): void {
  if (present === null || accepted === present) return
  if (accepted === undefined)
    throw invalid("terms", `Accept the terms first: send their address, ${present}, as 'terms'.`)
  throw conflict(`The terms have changed. Read those at ${present} and accept them.`, "terms")
}

async function countQuestion(
  { for: asked, name = "" }: LinkQuestion,
  email: string,
  account: AccountDetails | null,
  from: QuestionOrigin,
  { admin, clock, random, pages, signUp, newAuditRecord }: AskParts,
): Promise<"sent" | "limited" | "nothing"> {
  const nowMs = clock.now()
  // An account that was closed must not begin anew with another sign-up bonus.
  const isSent = account === null ? asked === "sign-up" : account.closedMs === null
  const made = newEmailLink(
    {
      kind: account ? "sign-in" : "sign-up",
      email,
      name: account ? account.name : name,
      plan: null,
      terms: account ? null : signUp.terms,
      accountId: account?.id ?? null,
      browser: hashKey(from.browser),
      network: from.networks[0],
    },
    {
      portal: pages.portal(),
      nowMs,
      durationMs: visitorLinkMs,
      limits: signUp.isUnlimited ? null : limitsOf(asked, email, account !== null, from.networks),
      random,
    },
  )
  const { id, kind, expiresMs } = made.link
  const outcome = await admin.apply({
    // Without its mail a question counts all the same, and makes as many records.
    mutations: isSent ? [made.mutation, mailOf(made, account ? null : signUp.plan, random)] : [made.mutation],
    audit: newAuditRecord(
      "portal.mail_link",
      {
        target: { kind: "e-mail link", id, accountId: account?.id ?? null },
        // Not the address: someone may type a stranger's, and this record stays.
        after: { for: isSent ? kind : asked, sent: isSent, expires: toIso(expiresMs) },
      },
      { id: "service", name: "portal", source: from.source, requestId: from.requestId },
      nowMs,
    ),
  })
  if (outcome === "applied") return isSent ? "sent" : "nothing"
  if (outcome === "tooMany") return "limited"
  throw new Error(`a link could not be sent: ${outcome}`)
}

function limitsOf(asked: LinkQuestion["for"], email: string, isFound: boolean, networks: readonly string[]) {
  const { perNetwork, signUpsInAll, vainSignInsInAll, ...perMailbox } = linkLimits
  const ofSignIn = isFound ? null : vainSignInsInAll
  return {
    ...{ asked, mailbox: mailboxOf(email), ...perMailbox },
    networks: networks.map((name, place) => ({ name, most: perNetwork[place] ?? perNetwork[0] })),
    inAll: asked === "sign-up" ? signUpsInAll : ofSignIn,
  }
}
