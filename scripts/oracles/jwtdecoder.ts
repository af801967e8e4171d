import { constants, createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import fc from "fast-check"
import { jwtdecoder } from "../../src/apis/jwtdecoder/index.ts"
import { ask, askPython, debianVersion, defineOracle } from "./oracle.ts"

interface Case {
  readonly token: string
  readonly key: string
}
interface Answer {
  readonly verified: boolean
  readonly payload: string | null
}

const pairs = {
  RSA: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  ES256: generateKeyPairSync("ec", { namedCurve: "P-256" }),
  ES384: generateKeyPairSync("ec", { namedCurve: "P-384" }),
  ES512: generateKeyPairSync("ec", { namedCurve: "P-521" }),
  EdDSA: generateKeyPairSync("ed25519"),
}
const secret = "a secret of 64 bytes, as HS512 needs it: 0123456789 0123456789 0"
const algorithms = [
  ...["HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA"],
]

function pairOf(alg: string) {
  if (alg === "ES256" || alg === "ES384" || alg === "ES512" || alg === "EdDSA") return pairs[alg]
  return pairs.RSA
}

function signatureOf(alg: string, text: string): string {
  const hash = `sha${alg.slice(2)}`
  if (alg.startsWith("HS")) return createHmac(hash, secret).update(text).digest("base64url")
  const key = pairOf(alg).privateKey
  const options = alg.startsWith("PS")
    ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: Number(alg.slice(2)) / 8 }
    : { key, dsaEncoding: "ieee-p1363" as const }
  return sign(alg === "EdDSA" ? null : hash, Buffer.from(text), options).toString("base64url")
}

/** The key as JSON, PEM or the text of the secret. */
function keyText(alg: string, form: "jwk" | "pem"): string {
  if (alg.startsWith("HS"))
    return form === "pem"
      ? secret
      : JSON.stringify({ kty: "oct", k: Buffer.from(secret).toString("base64url") })
  const key: KeyObject = pairOf(alg).publicKey
  return form === "pem"
    ? key.export({ type: "spki", format: "pem" }).toString()
    : JSON.stringify(key.export({ format: "jwk" }))
}

const encode = (text: string) => Buffer.from(text).toString("base64url")
const claims = fc.record(
  { iss: fc.string(), exp: fc.integer(), admin: fc.boolean(), name: fc.string({ unit: "grapheme" }) },
  { requiredKeys: [] },
)
const signed = fc
  .record({
    alg: fc.constantFrom(...algorithms),
    form: fc.constantFrom("jwk" as const, "pem" as const),
    claims,
    headers: fc.record({ typ: fc.constant("JWT"), kid: fc.string() }, { requiredKeys: [] }),
  })
  .map(({ alg, form, claims, headers }) => {
    const text = `${encode(JSON.stringify({ alg, ...headers }))}.${encode(JSON.stringify(claims))}`
    return { alg, form, token: `${text}.${signatureOf(alg, text)}` }
  })
const whole = signed.map(({ alg, form, token }): Case => ({ token, key: keyText(alg, form) }))
/** One character replaced, put in or taken out. */
const damaged = fc
  .tuple(whole, fc.nat(), fc.constantFrom(..."Aa0_-=.+/ ", ""), fc.boolean())
  .map(([{ token, key }, at, other, replaces]): Case => {
    const place = at % token.length
    return { token: token.slice(0, place) + other + token.slice(place + (replaces ? 1 : 0)), key }
  })
/** Signed with another algorithm than the one for which the key is. */
const confused = fc
  .tuple(signed, fc.constantFrom(...algorithms), fc.constantFrom("jwk" as const, "pem" as const))
  .map(([{ token }, alg, form]): Case => ({ token, key: keyText(alg, form) }))
/** HMAC with the text of a public key as its secret, and `none`. */
const forged = fc.tuple(fc.constantFrom("RS256", "ES256", "EdDSA"), claims).map(([alg, body]): Case => {
  const key = keyText(alg, "pem")
  const text = `${encode('{"alg":"HS256"}')}.${encode(JSON.stringify(body))}`
  return { token: `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`, key }
})
const unsecured = signed.map(({ alg, form, token }): Case => {
  const [, payload = ""] = token.split(".")
  return { token: `${encode('{"alg":"none"}')}.${payload}.`, key: keyText(alg, form) }
})

/** Whether the last character of base64url has bits for which there is no byte, and which are not zero. */
function hasBitsLeft(part: string): boolean {
  return /^[\w-]*$/.test(part) && Buffer.from(part, "base64url").toString("base64url") !== part
}

export const oracle = defineOracle<Case, Answer>({
  api: "jwtdecoder",
  against: "python3-jwcrypto",
  cases: 4_000,
  generate: fc.oneof(
    { weight: 4, arbitrary: whole },
    { weight: 6, arbitrary: damaged },
    { weight: 3, arbitrary: confused },
    { weight: 1, arbitrary: forged },
    { weight: 1, arbitrary: unsecured },
  ),
  version: () => debianVersion("python3-jwcrypto"),
  async ours(test) {
    const answer = await ask(jwtdecoder, { ...test })
    const verified = answer?.verification?.is_verified ?? false
    const payload = verified ? Buffer.from(test.token.split(".")[1] ?? "", "base64url").toString() : null
    return { verified, payload }
  },
  theirs: (tests) => askPython("jwtdecoder.py", tests, "python3-jwcrypto"),
  known: [
    {
      reason: "white space around a token, which is ignored here since it comes from copying",
      fits: ({ token }, ours) => ours.verified && /^\s|\s$/.test(token),
    },
    {
      reason:
        "characters in a token that base64url does not have, such as +, /, blanks and padding with = (RFC 7515 section 2); it reads or skips them",
      fits: ({ token }, ours, theirs) => !/^[\w.-]*$/.test(token) && !ours.verified && theirs.verified,
    },
    {
      reason: "bits after the last byte that are not zero (RFC 4648 section 3.5); it drops them",
      fits: ({ token }, ours, theirs) =>
        token.split(".").some(hasBitsLeft) && !ours.verified && theirs.verified,
    },
  ],
})
