/** Input of browsers for passkeys: the JSON forms of WebAuthn §5.1, without the parts that the service does not use. */
import { Type } from "@sinclair/typebox"

/** Binary data in base64url, far longer than any authenticator sends without attestation. */
const bytes = Type.String({ minLength: 1, maxLength: 6_000, pattern: "^[A-Za-z0-9_-]+$" })
const credential = {
  id: bytes,
  rawId: bytes,
  type: Type.Literal("public-key"),
  clientExtensionResults: Type.Object({}),
}

/** A passkey's signed answer, for a sign-in. */
export const signedSchema = Type.Object({
  ...credential,
  response: Type.Object({
    clientDataJSON: bytes,
    authenticatorData: bytes,
    signature: bytes,
    userHandle: Type.Optional(bytes),
  }),
})

/** A passkey's name may be as long as a key's. */
const maxNameLength = 200

/** A new passkey with its name. */
export const madeSchema = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: maxNameLength }),
    passkey: Type.Object({
      ...credential,
      response: Type.Object({
        clientDataJSON: bytes,
        attestationObject: bytes,
        transports: Type.Optional(Type.Array(Type.String({ maxLength: 20 }), { maxItems: 10 })),
      }),
    }),
  },
  { additionalProperties: false },
)

/** The purpose of a challenge. */
export const challengeSchema = Type.Object(
  { for: Type.Union([Type.Literal("sign_in"), Type.Literal("add")]) },
  { additionalProperties: false },
)
