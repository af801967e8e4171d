/** Someone who signs in to the console under their own name. */
export interface PersonRecord {
  /** `psn_…` */
  readonly id: string
  readonly name: string
  readonly permissions: readonly string[]
  /** All permissions that they have or ever had. */
  readonly held: readonly string[]
  readonly createdMs: number
  /** A person who was removed has no passkeys, and never signs in again. */
  readonly removedMs: number | null
}

/** A passkey of a person: a key pair whose private part is in their device (WebAuthn). */
export interface PasskeyRecord {
  /** `psk_…` */
  readonly id: string
  /** Chosen by the authenticator, in base64url. */
  readonly credentialId: string
  readonly personId: string
  readonly name: string
  /** A COSE key, in base64url. */
  readonly publicKey: string
  /** How often the authenticator has signed; stays 0 where it does not count. */
  readonly counter: number
  /** How a browser reaches the authenticator: `internal`, `usb`, … */
  readonly transports: readonly string[]
  /** The host name that it was made for: the RP ID of WebAuthn. */
  readonly site: string
  /** The permissions of its person when it was added. It never gives more. */
  readonly permissions: readonly string[]
  readonly createdMs: number
  readonly usedMs: number | null
}

/** A random text that a passkey signs once. The store keeps a hash of it. */
export interface PasskeyChallenge {
  readonly hash: string
  /** The id of the session that adds a passkey, or the hash of the cookie of a browser that signs in. */
  readonly browser: string
  readonly expiresMs: number
}

/** The changes of people, passkeys and challenges, as of `Mutation`. */
export interface PeopleMutations {
  "person.insert": { person: PersonRecord }
  /** Ends the change with `conflict` when the person was removed, or has got more permissions than `held` meanwhile. */
  "person.expect": { id: string; held: readonly string[] }
  /** Ends the change with `missing` when the person was removed. */
  "person.update": { id: string; set: Partial<Pick<PersonRecord, "name" | "permissions" | "held">> }
  /** Removes a person with their passkeys. Ends the change with `missing` when that was done already. */
  "person.remove": { id: string; removedMs: number }
  /**
   * Ends the change with `missing` when the person was removed, with `taken` when the credential is known, and with `tooMany`
   * when the person has `most` passkeys.
   */
  "passkey.insert": { passkey: PasskeyRecord; most: number }
  "passkey.rename": { id: string; name: string }
  /** Ends the sessions that it opened too. */
  "passkey.remove": { id: string }
  /**
   * Notes a sign-in. Ends the change with `conflict` unless the counter has risen or both are 0: two authenticators have the
   * key, so one is a copy (WebAuthn §6.1.1).
   */
  "passkey.use": { id: string; counter: number; usedMs: number }
  /** Ends the change with `missing` when the challenge was used already, or is no longer valid at `nowMs`. */
  "challenge.use": { hash: string; nowMs: number }
  /**
   * Ends the change with `noOwner` unless someone has every permission after the mutations before it: by an admin key that is
   * valid at `nowMs`, or as a person by a passkey.
   */
  "owner.require": { nowMs: number }
}
