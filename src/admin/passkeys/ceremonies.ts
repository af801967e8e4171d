import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server"
import { createId, hashKey } from "../../accounts/key.ts"
import { requireName } from "../../accounts/requirements.ts"
import type { Clock, Random } from "../../apis/contract.ts"
import type { AdminStore } from "../../store/admin-reads.ts"
import type { PasskeyRecord } from "../../store/people.ts"
import { isObject, parseJson } from "../../values/is-object.ts"
import { messageOf } from "../../values/message-of.ts"
import { createAuditRecords } from "../audit/record.ts"
import { type AdminFault, conflict, forbidden, invalid } from "../fault.ts"
import type { Actor } from "../operation.ts"
import { requirePerson } from "../people/person.ts"
import { covers } from "../permission.ts"
import { ownPersonId, toPasskeyOutput } from "./passkey.ts"

/** Where a browser uses passkeys: they are bound to it (WebAuthn §5.1.4). */
export interface PasskeySite {
  /** Such as https://api.example.com. */
  readonly origin: string
  /** The host name alone: the RP ID. */
  readonly rpId: string
}

interface CeremonyParts {
  readonly admin: AdminStore
  readonly clock: Clock
}

/** How long a person may take to find their device. */
export const challengeMs = 5 * 60_000
const challengeBytes = 32
const maxPasskeys = 20
/** EdDSA, ECDSA with P-256, and RSA, all with SHA-256 (RFC 9053): all that browsers offer. */
const algorithms = [-8, -7, -257]

/** Adds passkeys, and gives out the challenges that they sign. Every method may reject with StoreUnavailable. */
export type Passkeys = ReturnType<typeof createPasskeys>

/** Creates the part that adds passkeys, and gives out challenges for adding them and for signing in (WebAuthn §7.1). */
export function createPasskeys(parts: CeremonyParts & { readonly random: Random }) {
  const { admin, clock, random } = parts
  const newAuditRecord = createAuditRecords(random)

  async function newChallenge(browser: string): Promise<Uint8Array<ArrayBuffer>> {
    const challenge = Uint8Array.from(random.bytes(challengeBytes))
    const nowMs = clock.now()
    const hash = hashKey(Buffer.from(challenge).toString("base64url"))
    await admin.keepChallenge({ hash, browser, expiresMs: nowMs + challengeMs }, nowMs)
    return challenge
  }

  return {
    /**
     * Options for `navigator.credentials.get`, with a new challenge.
     * @param browser the text of the cookie that binds the challenge to the browser
     */
    async signInOptions({ rpId }: PasskeySite, browser: string) {
      const { generateAuthenticationOptions } = await loadLibrary()
      // No list of passkeys: that would tell who has one.
      return generateAuthenticationOptions({
        rpID: rpId,
        challenge: await newChallenge(hashKey(browser)),
        timeout: challengeMs,
        userVerification: "required",
      })
    },

    /**
     * Options for `navigator.credentials.create`, with a new challenge.
     * @throws AdminFault unless a person is signed in with all their permissions
     */
    async addOptions(actor: Actor, { rpId }: PasskeySite) {
      const { session, person } = await requireSignedInPerson(actor, admin)
      const { generateRegistrationOptions } = await loadLibrary()
      // A passkey that gives less than a new one would is replaced by it on the same device.
      const passkeys = (await admin.passkeysOf(person.id)).filter(({ permissions }) =>
        person.permissions.every((one) => covers(permissions, one)),
      )
      return generateRegistrationOptions({
        ...{ rpName: rpId, rpID: rpId, userName: person.name, userDisplayName: person.name },
        userID: Uint8Array.from(Buffer.from(person.id)),
        challenge: await newChallenge(session),
        timeout: challengeMs,
        attestationType: "none",
        excludeCredentials: passkeys.map(({ credentialId, transports }) => ({
          id: credentialId,
          transports: [...transports],
        })),
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
        supportedAlgorithmIDs: algorithms,
      })
    },

    /**
     * Adds the passkey that a browser has made.
     * @throws AdminFault
     */
    async add(actor: Actor, site: PasskeySite, name: string, made: RegistrationResponseJSON) {
      requireName(name, "The name of a passkey")
      const { session, person } = await requireSignedInPerson(actor, admin)
      const { credential, hash } = await verifyNew(made, site, session, parts)
      const nowMs = clock.now()
      const passkey: PasskeyRecord = {
        id: createId("psk", random),
        credentialId: credential.id,
        personId: person.id,
        name,
        publicKey: Buffer.from(credential.publicKey).toString("base64url"),
        counter: credential.counter,
        transports: (made.response.transports ?? []).slice(0, 10),
        ...{ site: site.rpId, permissions: person.permissions, createdMs: nowMs, usedMs: null },
      }
      const outcome = await admin.apply({
        mutations: [
          { kind: "challenge.use", hash, nowMs },
          { kind: "passkey.insert", passkey, most: maxPasskeys },
        ],
        audit: newAuditRecord(
          "passkeys.add",
          {
            target: { kind: "passkey", id: passkey.id, accountId: null },
            after: { name, person: person.id, site: site.rpId },
          },
          actor,
          nowMs,
        ),
      })
      if (outcome === "applied") return toPasskeyOutput(passkey)
      if (outcome === "taken") throw notAdded("This passkey is added already.")
      if (outcome === "tooMany") throw conflict(`You have ${maxPasskeys} passkeys. Remove one first.`)
      throw notAdded("The request was used already. Try again.")
    },
  }
}

/**
 * Requires a person who is signed in with all their permissions: a passkey signs in with all of them, so a session with fewer
 * must not add one.
 */
async function requireSignedInPerson(actor: Actor, admin: AdminStore) {
  const id = ownPersonId(actor)
  if (id === null || !actor.session)
    throw conflict(
      "Passkeys belong to people, and you are not signed in as one. Ask a colleague to invite you, or run 'penknife people add NAME'.",
    )
  const person = await requirePerson({ admin }, id)
  if (person.permissions.every((one) => covers(actor.permissions, one)))
    return { person, session: actor.session.id }
  throw forbidden(
    "This session may do less than you may. Ask a colleague for a new link, open it, and add the passkey then.",
  )
}

/** Checks what the browser has made (WebAuthn §7.1). */
async function verifyNew(
  made: RegistrationResponseJSON,
  { origin, rpId }: PasskeySite,
  session: string,
  { admin, clock }: CeremonyParts,
) {
  const { verifyRegistrationResponse } = await loadLibrary()
  const challenge = challengeIn(made.response.clientDataJSON)
  const hash = hashKey(challenge)
  if (!isOpen(await admin.findChallenge(hash), session, clock))
    throw notAdded("It took too long, or the request was used already. Try again.")
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: made,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    })
    if (verified) return { credential: registrationInfo.credential, hash }
  } catch (cause) {
    // The library throws plain errors for everything that a browser can send.
    throw notAdded(`The passkey was not accepted: ${messageOf(cause)}. Try again.`, cause)
  }
  throw notAdded("The passkey was not accepted. Try again.")
}

/** The challenge that a browser says was signed; empty if it says none. Its signature is checked later. */
function challengeIn(clientDataJson: string): string {
  const data = parseJson(Buffer.from(clientDataJson, "base64url").toString())
  return isObject(data) && typeof data.challenge === "string" ? data.challenge : ""
}

/** Whether a challenge was given to a browser, was not used, and is not too old. */
function isOpen(challenge: Awaited<ReturnType<AdminStore["findChallenge"]>>, browser: string, clock: Clock) {
  return challenge !== null && challenge.browser === browser && challenge.expiresMs > clock.now()
}

function notAdded(message: string, cause?: unknown): AdminFault {
  return invalid("passkey", message, cause)
}

/** Loaded with the first passkey. A part of it, for certificates, needs reflect-metadata before it. */
async function loadLibrary() {
  await import("reflect-metadata")
  return import("@simplewebauthn/server")
}

/** The result of a ceremony: a passkey and its proof. */
interface PasskeyProof {
  readonly passkey: PasskeyRecord
  /** How often the authenticator has signed. */
  readonly counter: number
  /** The hash of the challenge that was signed. */
  readonly challenge: string
}

/** Why a sign-in by passkey is refused. */
type PasskeyRefusal = "passkeyUnknown" | "passkeyOld" | "passkeyInvalid"

/**
 * Checks a sign-in (WebAuthn §7.2): signature, site, user verification, and a challenge that this browser was given. The counter
 * is compared when the sign-in is written, so that the second of two sign-ins with the same counter is refused.
 * @param browser the text of the cookie that the challenge is bound to; null without one
 */
export async function verifySignIn(
  response: AuthenticationResponseJSON,
  site: PasskeySite,
  browser: string | null,
  { admin, clock }: CeremonyParts,
): Promise<
  PasskeyProof | { readonly refusal: PasskeyRefusal; readonly subject?: string; readonly why?: string }
> {
  const passkey = await admin.findPasskeyByCredential(response.id)
  if (passkey === null) return { refusal: "passkeyUnknown" }
  const text = challengeIn(response.response.clientDataJSON)
  const challenge = hashKey(text)
  const found = await admin.findChallenge(challenge)
  if (browser === null || !isOpen(found, hashKey(browser), clock))
    return { refusal: "passkeyOld", subject: passkey.id }
  const { verifyAuthenticationResponse } = await loadLibrary()
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: text,
      expectedOrigin: site.origin,
      expectedRPID: [site.rpId],
      requireUserVerification: true,
      credential: {
        id: passkey.credentialId,
        publicKey: Uint8Array.from(Buffer.from(passkey.publicKey, "base64url")),
        counter: 0,
      },
    })
    const { userHandle } = response.response
    const isOwner =
      userHandle === undefined || Buffer.from(userHandle, "base64url").toString() === passkey.personId
    if (verified && isOwner) return { passkey, counter: authenticationInfo.newCounter, challenge }
    return { refusal: "passkeyInvalid", subject: passkey.id, why: "the signature does not fit" }
  } catch (cause) {
    // The library throws plain errors for everything that a browser can send.
    return { refusal: "passkeyInvalid", subject: passkey.id, why: messageOf(cause) }
  }
}
