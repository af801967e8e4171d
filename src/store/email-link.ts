/** Links that are sent by e-mail, in any kind of store. */

/** A link that was sent by e-mail. The store keeps hashes of its tokens, of which each works. */
export interface EmailLink {
  /** `eml_…` */
  readonly id: string
  /** `sign-up` and `invitation` make an account, `sign-in` opens one. */
  readonly kind: "sign-up" | "sign-in" | "invitation"
  /** Normalised. */
  readonly email: string
  /** The name of the account to make; empty for the address. */
  readonly name: string
  /** The plan of the account to make; null for that of the settings. */
  readonly plan: string | null
  /** The address of the terms that were accepted with the question for the link. */
  readonly terms: string | null
  /** The account to sign in to; null for the other kinds. */
  readonly accountId: string | null
  /** The hash of the cookie of the browser that asked, which alone may use it; null for any browser. */
  readonly browser: string | null
  /** The network of the client that asked: its links of an hour are limited. */
  readonly network: string
  readonly createdMs: number
  readonly expiresMs: number
  readonly usedMs: number | null
}

/** The most links of those that have not expired, used ones included. */
export interface EmailLinkLimits {
  readonly perEmail: number
  readonly perNetwork: number
  readonly inAll: number
}
