/** An authenticator in software: what a browser sends when it makes a passkey and when it signs in with one (WebAuthn §6). */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server"
import { isoCBOR } from "@simplewebauthn/server/helpers"

/** Changes by which a test makes an attacker's answer. */
export interface Deviation {
  /** Where the browser is; by default where the passkey was made. */
  readonly origin?: string
  /** The host name that the authenticator signs for. */
  readonly rpId?: string
  /** Whether the device asked for a PIN or a fingerprint. */
  readonly isVerified?: boolean
  /** How often the authenticator says that it has signed. */
  readonly counter?: number
  readonly userHandle?: string
  /** Changes the signature. */
  readonly isForged?: boolean
  readonly type?: string
}

export interface TestAuthenticator {
  readonly id: string
  /** Makes the passkey. */
  make(challenge: string, deviation?: Deviation): Promise<RegistrationResponseJSON>
  /** Signs in with it. The counter rises by 1. */
  sign(challenge: string, deviation?: Deviation): Promise<AuthenticationResponseJSON>
}

const encoder = new TextEncoder()
const userPresent = 1
const userVerified = 4
const hasCredential = 64

/** A passkey with a key of its own (ES256) for the page at `home`. */
export async function createAuthenticator(home: string, personId: string): Promise<TestAuthenticator> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" }
  const { publicKey, privateKey } = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])
  const credentialId = crypto.getRandomValues(new Uint8Array(32))
  const id = text(credentialId)
  let signatures = 0

  async function authenticatorData(deviation: Deviation, more: Uint8Array = new Uint8Array()) {
    const rpId = deviation.rpId ?? new URL(home).hostname
    const counter = deviation.counter ?? signatures
    const flags =
      userPresent |
      (deviation.isVerified === false ? 0 : userVerified) |
      (more.length > 0 ? hasCredential : 0)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([await sha256(encoder.encode(rpId)), Buffer.of(flags), count, more])
  }
  const clientData = (type: string, challenge: string, { origin = home, type: given = type }: Deviation) =>
    Buffer.from(JSON.stringify({ type: given, challenge, origin, crossOrigin: false }))
  const common = { id, rawId: id, type: "public-key", clientExtensionResults: {} } as const

  return {
    id,
    async make(challenge, deviation = {}) {
      const { x = "", y = "" } = await crypto.subtle.exportKey("jwk", publicKey)
      // A COSE key of ES256 (RFC 9053 §2.1, §7.1.1).
      const key = isoCBOR.encode(
        new Map<number, number | Uint8Array>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, Uint8Array.from(Buffer.from(x, "base64url"))],
          [-3, Uint8Array.from(Buffer.from(y, "base64url"))],
        ]),
      )
      const length = Buffer.of(0, credentialId.length)
      const credential = Buffer.concat([Buffer.alloc(16), length, credentialId, key])
      const authData = await authenticatorData(deviation, credential)
      const attestationObject = isoCBOR.encode(
        new Map<string, string | Uint8Array | Map<string, string>>([
          ["fmt", "none"],
          ["attStmt", new Map()],
          ["authData", Uint8Array.from(authData)],
        ]),
      )
      return {
        ...common,
        response: {
          clientDataJSON: text(clientData("webauthn.create", challenge, deviation)),
          attestationObject: text(attestationObject),
          transports: ["internal"],
        },
      }
    },
    async sign(challenge, deviation = {}) {
      signatures++
      const authData = await authenticatorData(deviation)
      const data = clientData("webauthn.get", challenge, deviation)
      const signed = Buffer.concat([authData, await sha256(data)])
      const signature = new Uint8Array(
        await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, privateKey, signed),
      )
      if (deviation.isForged) signature[5] = (signature[5] ?? 0) ^ 1
      return {
        ...common,
        response: {
          clientDataJSON: text(data),
          authenticatorData: text(authData),
          signature: text(toDer(signature)),
          userHandle: text(encoder.encode(deviation.userHandle ?? personId)),
        },
      }
    },
  }
}

const sha256 = async (bytes: Uint8Array): Promise<Uint8Array> =>
  new Bun.CryptoHasher("sha256").update(bytes).digest()

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url")

/** Both numbers of a signature as ASN.1 (RFC 3279 §2.2.3), which authenticators send. */
function toDer(signature: Uint8Array): Uint8Array {
  const numbers = [signature.subarray(0, 32), signature.subarray(32)].map((number) => {
    const short = number.subarray(number.findIndex((byte) => byte !== 0))
    const padded = (short[0] ?? 0) > 127 ? Buffer.concat([Buffer.of(0), short]) : Buffer.from(short)
    return Buffer.concat([Buffer.of(2, padded.length), padded])
  })
  const all = Buffer.concat(numbers)
  return Buffer.concat([Buffer.of(48, all.length), all])
}
