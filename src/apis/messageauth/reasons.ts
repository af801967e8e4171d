/** Why a signature is not valid, by the library's words, which reach no caller. No brackets: these texts become comments. */
const reasons: Readonly<Record<string, string>> = {
  "message not signed": "the message has no DKIM signature",
  "body hash did not verify": "body hash: the body was changed after it was signed",
  "bad signature": "signature: a signed header field was changed, or the key is not that of the signer",
  "signed length": "`l=`: the signature covers more bytes than the body has",
  expired: "`x=`: the signature has expired",
  "invalid expiration": "`x=` and `t=`: the signature expires before it was made",
  "weak algorithm": "the algorithm is SHA-1, which is not safe any more",
  "unknown algorithm": "`a=`: the algorithm is not known",
  "unknown canonicalization": "`c=`: the canonicalization is not known",
  "signature missing required tag": "the signature lacks a tag that it must have",
  "signature syntax error": "the signature cannot be read: a tag is not of its form",
  "incompatible version": "`v=`: the version of the signature is not 1",
  "unsupported query method": "`q=`: the key is not in the DNS",
  "domain mismatch": "`i=` and `d=`: the identity is not in the domain that signed",
  "From field not signed": "`h=`: the signature does not cover the field From",
  "too many signatures": "only the first 10 signatures were checked",
  "no key": "there is no key at the selector",
  "revoked key": "the key was revoked: its `p=` is empty",
  "weak key": "the key has less than 1,024 bits",
  "unknown key version": "`v=`: the version of the key is not DKIM1",
  "unknown key type": "`k=`: the key cannot be read, or is of another type than its record says",
  "invalid public key": "the record of the key, or the key in it, cannot be read",
  "inappropriate hash algorithm": "`h=`: the key is not for this hash algorithm",
  "inappropriate key algorithm": "the key is for another algorithm than that of the signature",
  "key not for email": "`s=`: the key is not for mail",
}
const noAnswer = "the DNS gave no answer for the key"

/** Why a DKIM signature has its result; undefined if it is valid. */
export function signatureReason(
  { result, comment, policy }: MailauthStatus,
  isRevoked: boolean,
): string | undefined {
  if (result === "pass") return undefined
  if (result === "temperror") return noAnswer
  const cause = isRevoked && comment === "invalid public key" ? "revoked key" : comment
  if (cause) return reasons[cause] ?? "the signature or its key cannot be used for this algorithm"
  return reasons[policy ? "weak key" : "signature syntax error"]
}

/** The sentences for the faults of a chain, by the library's text. The first group is the number of the set. */
const chainReasons: readonly (readonly [RegExp, (match: RegExpExecArray) => string])[] = [
  [/^i=(\d+) seal signature/, ([, i]) => `the seal of i=${i} does not verify: a sealed field was changed`],
  [/^i=(\d+) invalid seal algorithm/, ([, i]) => `\`a=\`: the algorithm of the seal of i=${i} is not known`],
  [/^i=(\d+) multiple (arc-[a-z-]+)/, ([, i, name]) => `the field ${name} of i=${i} is there several times`],
  [/^i=(\d+) no (arc-[a-z-]+)/, ([, i, name]) => `the field ${name} of i=${i} is missing`],
  [/^i=\d+ cv=fail/, () => "`cv=fail`: a host on the way found the chain broken"],
  [/^i=1 cv=/, () => "the first seal must say `cv=none`"],
  [/^i=(\d+) cv=/, ([, i]) => `the seal of i=${i} must say \`cv=pass\``],
  [
    /^i=(\d+) (as|ams) .*?(\w+)=$/,
    ([, i, field, tag]) =>
      `the tag ${tag} of ${field === "as" ? "ARC-Seal" : "ARC-Message-Signature"} i=${i} is missing or wrong`,
  ],
  [/^i=(\d+) (?:as|ams) /, ([, i]) => `a field of i=${i} is not a list of tags`],
  [/^i=(\d+) unexpected as h/, ([, i]) => `the seal of i=${i} has a tag h, which a seal must not have`],
  [/^i=(\d+) invalid ams h/, ([, i]) => `the signature of i=${i} covers ARC-Seal, which it must not`],
  [/instance|expected=|chain-length/, () => "`i=`: the sets are not numbered from 1 on without a gap"],
]

/**
 * Why an ARC chain fails; undefined unless it does.
 * @param signature the result of the last ARC-Message-Signature
 * @param keys what is known of the keys by their names
 */
export function chainReason(
  { result, comment }: MailauthStatus,
  signature: { readonly status: MailauthStatus; readonly isRevoked: boolean } | undefined,
  keys: { readonly failed: ReadonlySet<string>; readonly revoked: ReadonlySet<string> },
): string | undefined {
  if (result !== "fail") return undefined
  if (!comment)
    return [...keys.failed].some((name) => name.includes("._domainkey."))
      ? noAnswer
      : "`a=`: an algorithm of the chain is not known"
  if (/no valid signature$/.test(comment))
    return signature && `ARC-Message-Signature: ${signatureReason(signature.status, signature.isRevoked)}`
  const [, cause = "", name = ""] = /^([a-z ]+) for (\S+)$/.exec(comment) ?? []
  if (name !== "") {
    const status = { result: "fail", comment: cause }
    return `${signatureReason(status, keys.revoked.has(name.toLowerCase()))}: ${name}`
  }
  for (const [pattern, toText] of chainReasons) {
    const match = pattern.exec(comment)
    if (match) return toText(match)
  }
  return "the chain cannot be read"
}
