/** How customers get an account and sign in by e-mail, from the settings of the service. */
export interface SignUpSettings {
  /** The people who can get an account without an operator: nobody, those who were invited, everyone. */
  readonly mode: "off" | "invite" | "open"
  /** The plan of new accounts. */
  readonly plan: string
  /** The address of the terms to accept; null for none. */
  readonly terms: string | null
  /** A page of the operator's own where strangers become customers; null for none. */
  readonly url: string | null
  /** Where the operator is reached, a `mailto:` or web address; null if nothing is said of it. */
  readonly contact: string | null
  /** Whether the service sends mail: without it there is no sign-up, and no sign-in by e-mail. */
  readonly hasMail: boolean
  /** True if sign-ups are not limited, as in the test double, whose clock stands still. */
  readonly isUnlimited: boolean
  /** Whether addresses of a domain are refused. */
  isBlocked(domain: string): Promise<boolean>
}

/** Whether an address, in its one form, is of a domain that is refused. */
export function isBlockedAddress(email: string, signUp: SignUpSettings): Promise<boolean> {
  return signUp.isBlocked(email.slice(email.lastIndexOf("@") + 1))
}

/** Without mail nobody can prove an address, but an operator can hand out an invitation. */
export function waysOf({ mode, hasMail, terms, plan, url, contact }: SignUpSettings) {
  const signUp = mode === "open" && !hasMail ? "invite" : mode
  return {
    sign_up: signUp,
    /** Whether a link to sign in can be sent by e-mail. */
    by_mail: hasMail,
    terms,
    plan,
    url,
    contact,
  } as const
}

/** A page's information for visitors about sign-up. */
export type VisitorWays = Readonly<ReturnType<typeof waysOf>>

/** For a program that serves nobody. */
export const noSignUps: SignUpSettings = {
  mode: "off",
  plan: "free",
  terms: null,
  url: null,
  contact: null,
  hasMail: false,
  isUnlimited: false,
  isBlocked: async () => false,
}
