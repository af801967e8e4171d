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
  /** The plan of the account to make; null for the plan of the settings. */
  readonly plan: string | null
  /** The address of the terms that were accepted with the question for the link. */
  readonly terms: string | null
  /** The account to sign in to; null for the other kinds. */
  readonly accountId: string | null
  /** The hash of the cookie of the browser that asked, which alone may use it; null for any browser. */
  readonly browser: string | null
  /** The narrowest network of the client that asked; empty for an invitation. */
  readonly network: string
  readonly createdMs: number
  readonly expiresMs: number
  readonly usedMs: number | null
}

/**
 * A visitor's question for a link, and the most questions of those that have not expired. All count, whether an account was found
 * or not and whether the link was used, so that nobody's own limits tell who has an account.
 */
export interface EmailLinkLimits {
  readonly asked: "sign-up" | "sign-in"
  /** The mailbox that gets the link, however its address is written. */
  readonly mailbox: string
  /** The client's networks, narrowest first, with the most questions of each. A name begins with the wider network's name. */
  readonly networks: readonly { readonly name: string; readonly most: number }[]
  /**
   * Questions for a mailbox from the widest network. A browser that has not asked for it gets up to as many more: each takes the
   * place of the oldest unused link.
   */
  readonly perMailboxAndNetwork: number
  /** Questions for a mailbox. Beyond that, a network that has not asked for it still gets one, up to `mostPerMailbox`. */
  readonly perMailbox: number
  readonly mostPerMailbox: number
  /** Questions of this kind from everyone; null if they are not limited. */
  readonly inAll: number | null
}
