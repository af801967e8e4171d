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

/** Reads of people and passkeys, and the challenges that these sign. Every method may reject with StoreUnavailable. */
export interface PeopleReads {
  findPerson(id: string): Promise<PersonRecord | null>
  findPasskey(id: string): Promise<PasskeyRecord | null>
  findPasskeyByCredential(credentialId: string): Promise<PasskeyRecord | null>
  /** The passkeys of a person, oldest first. */
  passkeysOf(personId: string): Promise<readonly PasskeyRecord[]>
  /** Keeps a challenge for passkeys, and deletes expired ones. */
  keepChallenge(challenge: PasskeyChallenge, nowMs: number): Promise<void>
  /** The challenge with a hash, until it is used or deleted. */
  findChallenge(hash: string): Promise<PasskeyChallenge | null>
}

/** A change of people, passkeys or challenges, as of `Mutation`. */
export type PeopleMutation =
  | { readonly kind: "person.insert"; readonly person: PersonRecord }
  /** Ends the change with `conflict` when the person was removed, or has got more permissions than `held` meanwhile. */
  | { readonly kind: "person.expect"; readonly id: string; readonly held: readonly string[] }
  /** Ends the change with `missing` when the person was removed. */
  | {
      readonly kind: "person.update"
      readonly id: string
      readonly set: Partial<Pick<PersonRecord, "name" | "permissions" | "held">>
    }
  /** Removes a person with their passkeys. Ends the change with `missing` when that was done already. */
  | { readonly kind: "person.remove"; readonly id: string; readonly removedMs: number }
  /**
   * Ends the change with `missing` when the person was removed, with `taken` when the credential is known, and with `tooMany`
   * when the person has `most` passkeys.
   */
  | { readonly kind: "passkey.insert"; readonly passkey: PasskeyRecord; readonly most: number }
  | { readonly kind: "passkey.rename"; readonly id: string; readonly name: string }
  /** Ends the sessions that it opened too. */
  | { readonly kind: "passkey.remove"; readonly id: string }
  /**
   * Notes a sign-in. Ends the change with `conflict` unless the counter has risen or both are 0: two authenticators have the
   * key, so one is a copy (WebAuthn §6.1.1).
   */
  | { readonly kind: "passkey.use"; readonly id: string; readonly counter: number; readonly usedMs: number }
  /** Ends the change with `missing` when the challenge was used already, or is no longer valid at `nowMs`. */
  | { readonly kind: "challenge.use"; readonly hash: string; readonly nowMs: number }
  /**
   * Ends the change with `noOwner` unless someone has every permission after the mutations before it: by an admin key that is
   * valid at `nowMs`, or as a person by a passkey.
   */
  | { readonly kind: "owner.require"; readonly nowMs: number }
