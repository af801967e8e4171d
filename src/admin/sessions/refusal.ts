import { signInRefusals } from "../sign-in.ts"

/** Why a sign-in is refused, with the text for the user. */
export const sessionRefusals = {
  ...signInRefusals,
  linkMalformed: "The link is incomplete. Copy the whole link and open it again.",
  linkUsed: "The link was used already, or it has expired. Ask for a new one.",
  linkOfOther:
    "The link works only in the browser that asked for it. Open it there, or ask for another link from this browser.",
  linkOfPast: "The e-mail address of the account has changed since the link was sent. Ask for a new one.",
  signUpOver: "Nobody can sign up here any more. Ask the operator of this service.",
  invitationNeeded:
    "Only invited people can sign up here now. Ask the operator of this service for an invitation.",
  domainBlocked: "Addresses of this domain cannot sign up. Use another e-mail address.",
  hasAccount: "There is an account with this e-mail address already. Ask for a link to sign in.",
  linkOfConsole: "The link is for the console: open it under /console.",
  linkOfPortal: "The link is for the portal: open it under /portal.",
  linkRevoked: "The link no longer works, since the admin key behind it has expired or was revoked.",
  personRemoved: "You were removed from this console. Ask a colleague to invite you again.",
  passkeyUnknown:
    "This passkey is not known here, or it was removed. Use another one, or ask a colleague for a link.",
  passkeyOutgrown:
    "This passkey gives none of your present permissions, since it was added before you got them. Ask a colleague for a link, and add a new passkey.",
  passkeyOld: "It took too long, or the request was used already. Try again.",
  passkeyInvalid: "The passkey was not accepted. Try again at the address of this console.",
  passkeyCloned:
    "The passkey was not accepted: it may have been copied, since it was used elsewhere in between. Remove it, and add a new one.",
  accountClosed: "The account is closed. Ask the operator of this service to reopen it.",
  adminKey:
    "This is an admin key, which the console takes. The portal takes API keys, which begin with 'pk-'.",
  keyMalformed: "The API key is mistyped or cut short.",
  keyUnknown: "The API key is not known.",
  keyRevoked: "The API key has been revoked.",
  keyRotated: "The API key was replaced by a new one. Sign in with that.",
  keyDisabled: "The API key is disabled. Ask the operator of this service to enable it.",
  keyExpired: "The API key has expired.",
  keyAddress: "The API key may not be used from your address.",
} as const satisfies Record<string, string>

export type SessionRefusal = keyof typeof sessionRefusals

/** Mistakes that are no attempts to guess a secret. */
const mistakes: readonly SessionRefusal[] = [
  "apiKey",
  "adminKey",
  "linkOfConsole",
  "linkOfPortal",
  "passkeyOutgrown",
  "passkeyOld",
]

/** A refused sign-in. The message is for the user. */
export class SignInRefused extends Error {
  override readonly name = "SignInRefused"
  readonly reason: SessionRefusal
  /** The id of the key or link, if the proof was recognized. */
  readonly subject: string | null
  constructor(reason: SessionRefusal, subject: string | null = null, cause?: unknown) {
    super(sessionRefusals[reason], { cause })
    this.reason = reason
    this.subject = subject
  }

  /** Whether it may be an attempt to guess a secret. */
  get isGuess(): boolean {
    return !mistakes.includes(this.reason)
  }
}
