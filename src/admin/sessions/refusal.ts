import refusals from "../sign-in-refusals.json"

/** Why a sign-in is refused, with the text for the user. */
export const sessionRefusals = { ...refusals.adminKey, ...refusals.session }

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
