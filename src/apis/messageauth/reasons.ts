import stored from "./reasons.json"

/** Why a signature is not valid, by the library's words, which reach no caller. No brackets: these texts become comments. */
const reasons: Readonly<Record<string, string>> = stored

/** The fault of a published key. */
export type KeyFault = "revoked key" | "private key"
const noAnswer = "the DNS gave no answer for the key"

/** Why a DKIM signature has its result; undefined if it is valid. */
export function signatureReason({ result, comment, policy }: MailauthStatus, fault: KeyFault | undefined) {
  if (result === "pass") return undefined
  if (result === "temperror") return noAnswer
  const cause = fault && comment === "invalid public key" ? fault : comment
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
  signature: { readonly status: MailauthStatus; readonly fault: KeyFault | undefined } | undefined,
  keys: { readonly failed: ReadonlySet<string>; readonly faults: ReadonlyMap<string, KeyFault> },
): string | undefined {
  if (result !== "fail") return undefined
  if (!comment)
    return [...keys.failed].some((name) => name.includes("._domainkey."))
      ? noAnswer
      : "`a=`: an algorithm of the chain is not known"
  if (/no valid signature$/.test(comment))
    return signature && `ARC-Message-Signature: ${signatureReason(signature.status, signature.fault)}`
  const [, cause = "", name = ""] = /^([a-z ]+) for (\S+)$/.exec(comment) ?? []
  if (name !== "") {
    const status = { result: "fail", comment: cause }
    return `${signatureReason(status, keys.faults.get(name.toLowerCase()))}: ${name}`
  }
  for (const [pattern, toText] of chainReasons) {
    const match = pattern.exec(comment)
    if (match) return toText(match)
  }
  return "the chain cannot be read"
}
