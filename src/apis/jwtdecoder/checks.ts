import { defineProblems } from "../../values/problems.ts"
import type { Token } from "./token.ts"
import { supportedAlgorithms } from "./verify.ts"

export const { problemList, problem } = defineProblems({
  unsecured: ["error", "the algorithm is `none`: anyone can have written the token"],
  algorithm: ["error", "the header names no algorithm"],
  unknown_algorithm: ["warning", "this API cannot check the algorithm"],
  no_signature: ["error", "there is an algorithm, but the signature is empty"],
  critical: ["error", "`crit` names extensions that this API does not know (RFC 7515 §4.1.11)"],
  duplicate: ["error", "a name occurs twice; programs differ in which value they use (RFC 7519 §4)"],
  claims: ["error", "the payload is not a JSON object, so it is not a JWT (RFC 7519 §7.2)"],
  claim_type: ["error", "the value of a registered claim has the wrong type (RFC 7519 §4.1)"],
  expired: ["error", "`exp` is in the past"],
  not_yet_valid: ["error", "`nbf` is in the future"],
  issued_in_future: ["warning", "`iat` is in the future"],
  no_expiry: ["warning", "there is no `exp`: the token never expires"],
  remote_key: ["warning", "the header has the address of a key (`jku`, `x5u`), which was not fetched"],
  embedded_key: [
    "warning",
    "the header contains a key (`jwk`, `x5c`). It was not used: anyone can put their own there",
  ],
  many_rounds: [
    "warning",
    "the header asks for over 1,000,000 rounds of PBKDF2, which can overload its reader",
  ],
  encrypted: ["info", "the payload is encrypted and was not read"],
})

type Problem = ReturnType<typeof problem>

/** No honest token asks for more rounds. */
const maxRounds = 1_000_000

/** The problems of the header. They do not depend on the key. */
export function headerProblems({ kind, header, signature }: Token): Problem[] {
  const found: Problem[] = []
  const { alg } = header
  if (typeof alg !== "string" || alg === "")
    found.push(problem("algorithm", "header", "The header names no algorithm in 'alg'."))
  else if (alg.toLowerCase() === "none")
    found.push(problem("unsecured", "header", "The algorithm is 'none': anyone can have written the token."))
  else if (kind === "jws" && !supportedAlgorithms.includes(alg))
    found.push(problem("unknown_algorithm", "header", "This API cannot check the algorithm."))
  else if (kind === "jws" && signature.length === 0)
    found.push(problem("no_signature", "signature", "The signature is empty."))
  if (header.crit !== undefined)
    found.push(problem("critical", "header", "'crit' names extensions that this API does not know."))
  for (const name of ["jku", "x5u"])
    if (name in header)
      found.push(problem("remote_key", "header", `'${name}' is the address of a key. It was not fetched.`))
  for (const name of ["jwk", "x5c"])
    if (name in header)
      found.push(problem("embedded_key", "header", `'${name}' is a key inside the token. It was not used.`))
  if (typeof header.p2c === "number" && header.p2c > maxRounds)
    found.push(problem("many_rounds", "header", "'p2c' asks for over 1,000,000 rounds of PBKDF2."))
  return found
}

/** Names that occur twice at the top of header or payload. Some JSON parsers use the first value, others the last. */
export function duplicateProblems({ texts, claims }: Token): Problem[] {
  const found: Problem[] = []
  for (const [where, text] of Object.entries({ header: texts.header, payload: claims && texts.payload })) {
    const names = topNames(text ?? "")
    if (new Set(names).size < names.length)
      found.push(problem("duplicate", where, `A name occurs twice in the ${where}.`))
  }
  return found
}

/** The names of the members of a JSON object, repeated ones too. The text must be valid JSON. */
function topNames(json: string): readonly string[] {
  const names: string[] = []
  let depth = 0
  let text = '""'
  for (const [token] of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g)) {
    if (token === "{" || token === "[") depth++
    else if (token === "}" || token === "]") depth--
    else if (token !== ":") text = token
    else if (depth === 1) names.push(JSON.parse(text))
  }
  return names
}

const textClaims = ["iss", "sub", "jti"]
const timeClaims = ["exp", "nbf", "iat"] as const

/**
 * The problems of the claims.
 * @param now in seconds since 1970
 * @param tolerance in seconds
 */
export function claimProblems({ kind, claims }: Token, now: number, tolerance: number): Problem[] {
  if (kind === "jwe") return [problem("encrypted", "payload", "The payload is encrypted and was not read.")]
  if (claims === null) return [problem("claims", "payload", "The payload is not a JSON object.")]
  const found: Problem[] = []
  const { aud, exp, nbf, iat } = claims
  for (const name of textClaims)
    if (claims[name] !== undefined && typeof claims[name] !== "string")
      found.push(problem("claim_type", name, `'${name}' must be text.`))
  if (aud !== undefined && !isAudience(aud))
    found.push(problem("claim_type", "aud", "'aud' must be text or a list of texts."))
  for (const name of timeClaims)
    if (claims[name] !== undefined && typeof claims[name] !== "number")
      found.push(problem("claim_type", name, `'${name}' must be a number of seconds since 1970.`))
  if (exp === undefined) found.push(problem("no_expiry", "exp", "The token never expires."))
  else if (typeof exp === "number" && now >= exp + tolerance)
    found.push(problem("expired", "exp", "The token has expired."))
  if (typeof nbf === "number" && now < nbf - tolerance)
    found.push(problem("not_yet_valid", "nbf", "The token is not valid yet."))
  if (typeof iat === "number" && now < iat - tolerance)
    found.push(problem("issued_in_future", "iat", "The token was issued in the future."))
  return found
}

function isAudience(aud: unknown): boolean {
  return typeof aud === "string" || (Array.isArray(aud) && aud.every((one) => typeof one === "string"))
}
