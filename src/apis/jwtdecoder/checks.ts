import { defineProblems } from "../../values/problems.ts"
import { shorten } from "../../values/text.ts"
import { isUnderstood, type Token } from "./token.ts"
import { supportedAlgorithms } from "./verify.ts"

export const { problemList, problem, newProblems } = defineProblems({
  unsecured: "error: the algorithm is `none`: anyone can have written the token",
  algorithm: "error: the header names no algorithm",
  unknown_algorithm: "warning: this API cannot check the algorithm",
  no_signature: "error: there is an algorithm, but the signature is empty",
  critical: "error: `crit` names extensions that this API does not know (RFC 7515 §4.1.11)",
  duplicate: "error: a name occurs twice; programs differ in which value they use (RFC 7519 §4)",
  claims: "error: the payload is not a JSON object, so it is not a JWT (RFC 7519 §7.2)",
  claim_type: "error: the value of a registered claim has the wrong type (RFC 7519 §4.1)",
  expired: "error: `exp` is in the past",
  not_yet_valid: "error: `nbf` is in the future",
  issued_in_future: "warning: `iat` is in the future",
  no_expiry: "warning: there is no `exp`: the token never expires",
  remote_key: "warning: the header has the address of a key (`jku`, `x5u`), which was not fetched",
  embedded_key:
    "warning: the header contains a key (`jwk`, `x5c`). It was not used: anyone can put their own there",
  many_rounds: "warning: the header asks for over 1,000,000 rounds of PBKDF2, which can overload its reader",
  large_number: "warning: a number with more digits than this answer can keep, such as one beyond 2^53",
  milliseconds: "warning: a time that is in milliseconds, as it seems, not in seconds (RFC 7519 §2)",
  audience: "error: `aud` does not name the expected audience",
  issuer: "error: `iss` is not the expected issuer",
  signature: "error: the signature was not made with the key that you gave",
  signature_not_checked:
    "error: you gave a key, but the signature was not checked: its algorithm is not known here, the token is encrypted, or the plan has no premium fields",
  detached: "warning: the payload is not in the token (RFC 7515 appendix F), and was not given",
  encrypted: "info: the payload is encrypted and was not read",
})

type Problem = ReturnType<typeof problem>

/** No honest token asks for more rounds. */
const maxRounds = 1_000_000

/** The problems of the header. They do not depend on the key. */
export function headerProblems({ kind, header, signature }: Token): Problem[] {
  const [found, add] = newProblems()
  const { alg } = header
  if (typeof alg !== "string" || alg === "")
    add("algorithm", "header", "The header names no algorithm in 'alg'.")
  else if (alg.toLowerCase() === "none")
    add("unsecured", "header", "The algorithm is 'none': anyone can have written the token.")
  else if (kind === "jws" && !supportedAlgorithms.includes(alg))
    add("unknown_algorithm", "header", "This API cannot check the algorithm.")
  else if (kind === "jws" && signature.length === 0)
    add("no_signature", "signature", "The signature is empty.")
  if (header.b64 === false && header.crit === undefined)
    add("critical", "header", "'b64' is false, and 'crit' does not name it (RFC 7797 §6).")
  else if (!isUnderstood(header))
    add("critical", "header", "'crit' names extensions that this API does not know.")
  for (const name of ["jku", "x5u"])
    if (name in header) add("remote_key", "header", `'${name}' is the address of a key. It was not fetched.`)
  for (const name of ["jwk", "x5c"])
    if (name in header) add("embedded_key", "header", `'${name}' is a key inside the token. It was not used.`)
  if (typeof header.p2c === "number" && header.p2c > maxRounds)
    add("many_rounds", "header", "'p2c' asks for over 1,000,000 rounds of PBKDF2.")
  return found
}

/**
 * Finds the parts that programs read differently: names that occur twice at the top of header or payload, where some programs use
 * the first value and others the last, and whole numbers that are rounded to a double.
 */
export function ambiguityProblems({ texts, claims }: Token): Problem[] {
  const [found, add] = newProblems()
  for (const [where, text] of Object.entries({ header: texts.header, payload: claims && texts.payload })) {
    const names = topNames(text ?? "")
    if (new Set(names).size < names.length) add("duplicate", where, `A name occurs twice in the ${where}.`)
    for (const name of roundedNumbers(text ?? "{}"))
      add("large_number", where, `The number at '${name}' has more digits than this answer can keep.`)
  }
  return found
}

/** The names, or places in lists, of numbers that the answer shows with other digits than the token has. */
function roundedNumbers(json: string): readonly string[] {
  const names = new Set<string>()
  const read = (name: string, value: unknown, { source = "" }: { readonly source?: string }) => {
    if (typeof value === "number" && decimal(source) !== decimal(String(value))) names.add(shorten(name, 100))
    return value
  }
  // TypeScript does not know the third argument of a reviver yet.
  JSON.parse(json, read as (name: string, value: unknown) => unknown)
  return [...names].slice(0, 10)
}

/** A number of JSON without its sign, as its digits from the first to the last that is not 0, and their power of ten. */
function decimal(text: string): string {
  const [, whole = "", fraction = "", exponent = "0"] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? []
  const digits = whole + fraction
  const [before = "", significant = ""] = /^(0*)([1-9](?:\d*[1-9])?)/.exec(digits)?.slice(1) ?? []
  const zerosAfter = digits.length - before.length - significant.length
  return significant === "" ? "0" : `${significant}e${Number(exponent) - fraction.length + zerosAfter}`
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

/** Times from this on are milliseconds, as it seems: as seconds they are years from 5138 on. Later ones are no time at all. */
const milliseconds = { least: 1e11, end: 1e14 }

/** The values that the caller expects of the claims. */
interface Expected {
  /** In seconds since 1970. */
  readonly now: number
  /** In seconds. */
  readonly tolerance: number
  readonly audience: string | undefined
  readonly issuer: string | undefined
}

/** The problems of the claims. */
export function claimProblems(token: Token, expected: Expected): Problem[] {
  return [...timeProblems(token, expected), ...partyProblems(token, expected)]
}

/** A payload that was not read does not fulfil an expectation. */
function partyProblems({ claims }: Token, { audience, issuer }: Expected): Problem[] {
  const [found, add] = newProblems()
  const { aud, iss } = claims ?? {}
  if (audience !== undefined && aud !== audience && !(Array.isArray(aud) && aud.includes(audience)))
    add("audience", "aud", "'aud' does not name the expected audience.")
  if (issuer !== undefined && iss !== issuer) add("issuer", "iss", "'iss' is not the expected issuer.")
  return found
}

function timeProblems({ kind, claims, isDetached, signedPayload }: Token, { now, tolerance }: Expected) {
  // A detached payload is one of JWS. The rules of JWT do not apply to it.
  if (isDetached && signedPayload.length > 0) return []
  if (isDetached)
    return [problem("detached", "payload", "The payload is not in the token: give it as 'payload'.")]
  if (kind === "jwe") return [problem("encrypted", "payload", "The payload is encrypted and was not read.")]
  if (claims === null) return [problem("claims", "payload", "The payload is not a JSON object.")]
  const [found, add] = newProblems()
  const { aud, exp, nbf, iat } = claims
  for (const name of textClaims)
    if (claims[name] !== undefined && typeof claims[name] !== "string")
      add("claim_type", name, `'${name}' must be text.`)
  if (aud !== undefined && !isAudience(aud))
    add("claim_type", "aud", "'aud' must be text or a list of texts.")
  for (const name of timeClaims)
    if (claims[name] !== undefined && typeof claims[name] !== "number")
      add("claim_type", name, `'${name}' must be a number of seconds since 1970.`)
    else if (isInMilliseconds(claims[name]))
      add("milliseconds", name, `'${name}' must be in seconds since 1970, and seems to be in milliseconds.`)
  if (exp === undefined) add("no_expiry", "exp", "The token never expires.")
  else if (typeof exp === "number" && now >= exp + tolerance) add("expired", "exp", "The token has expired.")
  if (typeof nbf === "number" && now < nbf - tolerance)
    add("not_yet_valid", "nbf", "The token is not valid yet.")
  if (typeof iat === "number" && now < iat - tolerance)
    add("issued_in_future", "iat", "The token was issued in the future.")
  return found
}

function isInMilliseconds(time: unknown): boolean {
  return typeof time === "number" && time >= milliseconds.least && time < milliseconds.end
}

function isAudience(aud: unknown): boolean {
  return typeof aud === "string" || (Array.isArray(aud) && aud.every((one) => typeof one === "string"))
}
