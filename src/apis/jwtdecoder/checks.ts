import { defineProblems } from "../../values/problems.ts"
import type { Token } from "./token.ts"
import { supportedAlgorithms } from "./verify.ts"

export const { problemList, problem } = defineProblems({
  unsecured: ["error", "the algorithm is `none`: anyone can have written the token"],
  algorithm: ["error", "the header names no algorithm"],
  unknown_algorithm: ["warning", "the algorithm is none that can be checked here"],
  no_signature: ["error", "there is an algorithm, but the signature is empty"],
  critical: ["error", "an extension that must be understood is not known here (RFC 7515 §4.1.11)"],
  duplicate: ["error", "a name occurs twice, so that readers can take different values (RFC 7519 §4)"],
  claims: ["error", "the payload is no JSON object, so that the token is no JWT (RFC 7519 §7.2)"],
  claim_type: ["error", "a registered claim has a value of another type (RFC 7519 §4.1)"],
  expired: ["error", "`exp` is over"],
  not_yet_valid: ["error", "`nbf` is still to come"],
  issued_in_future: ["warning", "`iat` is still to come"],
  no_expiry: ["warning", "there is no `exp`, so that the token never ends"],
  remote_key: ["warning", "the header names an address of a key (`jku`, `x5u`), which was not fetched"],
  embedded_key: [
    "warning",
    "the header brings its own key (`jwk`, `x5c`), which proves nothing and was not used",
  ],
  many_rounds: ["warning", "the header asks for over 1,000,000 rounds of PBKDF2, to keep its reader busy"],
  encrypted: ["info", "the payload is encrypted and was not read"],
})

type Problem = ReturnType<typeof problem>

/** More rounds are asked for by nobody who wants an answer. */
const maxRounds = 1_000_000

/** What is wrong with the header, whatever the key. */
export function headerProblems({ kind, header, signature }: Token): Problem[] {
  const found: Problem[] = []
  const { alg } = header
  if (typeof alg !== "string" || alg === "")
    found.push(problem("algorithm", "header", "The header names no algorithm in 'alg'."))
  else if (alg.toLowerCase() === "none")
    found.push(problem("unsecured", "header", "The algorithm is 'none': anyone can have written the token."))
  else if (kind === "jws" && !supportedAlgorithms.includes(alg))
    found.push(problem("unknown_algorithm", "header", "The algorithm cannot be checked here."))
  else if (kind === "jws" && signature.length === 0)
    found.push(problem("no_signature", "signature", "The signature is empty."))
  if (header.crit !== undefined)
    found.push(
      problem("critical", "header", "The header has extensions in 'crit', of which none is known here."),
    )
  for (const name of ["jku", "x5u"])
    if (name in header)
      found.push(problem("remote_key", "header", `'${name}' names an address of a key. It was not fetched.`))
  for (const name of ["jwk", "x5c"])
    if (name in header)
      found.push(
        problem("embedded_key", "header", `'${name}' is a key that the token brings. It was not used.`),
      )
  if (typeof header.p2c === "number" && header.p2c > maxRounds)
    found.push(problem("many_rounds", "header", "'p2c' asks for more rounds than anybody needs."))
  return found
}

/** Names that occur twice at the top of header or payload: parsers of JSON take the first or the last of them. */
export function duplicateProblems({ texts, claims }: Token): Problem[] {
  const found: Problem[] = []
  for (const [where, text] of Object.entries({ header: texts.header, payload: claims && texts.payload })) {
    const names = topNames(text ?? "")
    if (new Set(names).size < names.length)
      found.push(problem("duplicate", where, `A name occurs twice in the ${where}.`))
  }
  return found
}

/** The names of the members of a JSON object, which JSON.parse has read before. */
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

/** What is wrong with the claims at a time in seconds since 1970. */
export function claimProblems({ kind, claims }: Token, now: number, tolerance: number): Problem[] {
  if (kind === "jwe") return [problem("encrypted", "payload", "The payload is encrypted and was not read.")]
  if (claims === null) return [problem("claims", "payload", "The payload is no JSON object.")]
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
  if (exp === undefined) found.push(problem("no_expiry", "exp", "The token has no end."))
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
