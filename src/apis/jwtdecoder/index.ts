import { Type } from "@sinclair/typebox"
import { byteEncodings } from "../../values/byte-text.ts"
import { jsonValue } from "../../values/json-value.ts"
import { verdictOf } from "../../values/problems.ts"
import { choice, defineApi, nullableText, premium, secret } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import { ambiguityProblems, claimProblems, headerProblems, problem, problemList } from "./checks.ts"
import stored from "./examples.json"
import { readKeys, readToken } from "./token.ts"
import { reasons, verify } from "./verify.ts"

const maxLength = 65_536

export const jwtdecoder = defineApi({
  id: "jwtdecoder",
  title: "JWT decoder",
  category: "identity",
  keywords: [
    "JSON Web Token",
    "JWS",
    "JWE",
    "bearer",
    "OAuth",
    "OpenID",
    "signature",
    "verify",
    "claims",
    "JWKS",
  ],
  description:
    "Decodes a JSON Web Token (RFC 7519), checks its times and reports what is dangerous in it. With premium fields it also checks the signature with your key. It stores no token and never fetches a key that a token names.",
  method: "POST",
  credits: 1,
  singleValues: ["token", "audience", "issuer"],
  input: Type.Object({
    token: secret(
      field.text("The token in compact form, with or without `Bearer` before it.", {
        minLength: 1,
        maxLength,
      }),
    ),
    key: Type.Optional(
      secret(
        field.text(
          "The key to check the signature with: a JWK or a JWK set as JSON text, a public key or certificate in PEM, or the text of a shared secret.",
          { minLength: 1, maxLength },
        ),
      ),
    ),
    key_encoding: field.optional.choice(
      "How a shared secret in `key` is written. Other keys do not change with it.",
      byteEncodings,
      "text",
    ),
    payload: Type.Optional(
      secret(
        field.text(
          "The payload of a token that has none (detached, RFC 7515 appendix F), exactly as it was signed.",
          { maxLength },
        ),
      ),
    ),
    audience: field.optional.text("The audience that `aud` must name.", { minLength: 1, maxLength: 2_000 }),
    issuer: field.optional.text("What `iss` must be.", { minLength: 1, maxLength: 2_000 }),
    clock_tolerance: field.optional.integer(
      "By how many seconds the clocks of issuer and reader may differ.",
      { minimum: 0, maximum: 3600, default: 0 },
    ),
  }),
  output: Type.Object({
    is_valid: field.flag(
      "Whether no problem is an error. With `key`, the signature must fit, or it is an error. Without `key` it is not checked, and anyone may have written the token.",
    ),
    problems: problemList,
    kind: choice(["jws", "jwe"], { description: "`jws`: signed (RFC 7515); `jwe`: encrypted (RFC 7516)." }),
    algorithm: nullableText("The algorithm that the header names; null if it names none."),
    header: jsonValue({ description: "The header." }),
    claims: jsonValue({ description: "The payload; null if it is encrypted or not a JSON object." }),
    payload_text: nullableText("The payload if it is text but not a JSON object; null otherwise."),
    issued_at: nullableText("`iat` as a time in UTC; null without it."),
    valid_from: nullableText("`nbf` as a time in UTC; null without it."),
    valid_until: nullableText("`exp` as a time in UTC; null without it."),
    verification: premium(
      field.nullableGroup("The check of the signature; null without `key`.", {
        is_verified: field.flag("Whether the signature was made with the key that you gave."),
        reason: choice(reasons, {
          description:
            "The result: `signature_fits` or `signature_differs`; `no_key_fits`: no given key is for the algorithm, or has the `kid` of the token; `algorithm_not_supported`: this API cannot check it; `unsecured`: the algorithm is `none`; `critical`: the header has `crit`; `encrypted`: there is no signature.",
        }),
        algorithm: nullableText("The algorithm."),
        key_id: nullableText("The `kid` of the key that fits; null if it has none, or none fits."),
        is_weak_key: field.flag(
          "Whether the shared secret is shorter than the hash (RFC 7518 §3.2) and could be guessed.",
        ),
      }),
    ),
  }),
  examples: storedExamples(stored, answers),
  async run(input, { ports, giveWay, premium: isShown }) {
    const { clock_tolerance: tolerance = 0, audience, issuer } = input
    const token = readToken(input.token, input.payload)
    const keys = input.key === undefined ? null : await readKeys(input.key, input.key_encoding)
    const { kind, header, claims, texts } = token
    // A payload of 48 kB takes up to 10 ms to read, and as long to look for names that occur twice.
    const pause = giveWay()
    if (pause) await pause
    const verification = keys !== null && isShown ? await verify(token, keys) : null
    const problems = [
      ...headerProblems(token),
      ...ambiguityProblems(token),
      ...claimProblems(token, { now: ports.clock.now() / 1000, tolerance, audience, issuer }),
    ]
    if (keys !== null) problems.push(...signatureProblems(verification))
    return {
      ...verdictOf(problems),
      kind,
      algorithm: typeof header.alg === "string" ? header.alg : null,
      header,
      claims,
      payload_text: claims === null && texts.payload?.isWellFormed() ? texts.payload : null,
      issued_at: toTime(claims?.iat),
      valid_from: toTime(claims?.nbf),
      valid_until: toTime(claims?.exp),
      verification,
    }
  },
})

/** The problems of a check that the caller asked for by a key: whatever was not checked could be forged. */
function signatureProblems(check: Awaited<ReturnType<typeof verify>> | null) {
  const whyNot = {
    ...{
      algorithm_not_supported: "this API cannot check its algorithm",
      encrypted: "the token is encrypted",
    },
    premium: "it is checked for plans with premium fields. Leave out 'key' to see the other problems alone",
  }
  const reason = check?.reason ?? "premium"
  if (reason === "signature_differs" || reason === "no_key_fits")
    return [problem("signature", "signature", "The signature was not made with the given key.")]
  if (reason === "algorithm_not_supported" || reason === "encrypted" || reason === "premium")
    return [
      problem("signature_not_checked", "signature", `The signature was not checked: ${whyNot[reason]}.`),
    ]
  return []
}

/** Seconds since 1970 as a time in UTC; null for any other value. */
function toTime(value: unknown): string | null {
  if (typeof value !== "number") return null
  const date = new Date(value * 1000)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}
