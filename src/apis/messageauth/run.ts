import { arc } from "mailauth/lib/arc/index.js"
import { evaluateDmarc } from "mailauth/lib/dmarc/verify.js"
import { formatAuthHeaderRow, formatDomain } from "mailauth/lib/tools.js"
import { parseAddress } from "../../values/ip.ts"
import { shorten } from "../../values/text.ts"
import { parseTime } from "../../values/time-text.ts"
import { type RunOf, reject } from "../contract.ts"
import { dmarcPolicies } from "../mail/dmarc-walk.ts"
import { withTimeLimit } from "../mail/look-up.ts"
import { arcChain, canonicalHeaders, maxText, resultOf, toResult, toSignature } from "./answer.ts"
import { usualAuthserv } from "./authserv.ts"
import type { messageauth } from "./index.ts"
import { createKeyLookups, type KeyLookups } from "./key-lookups.ts"
import { readPath } from "./mailboxes.ts"
import { type MessageProblem, problem } from "./problems.ts"
import { readMessage } from "./read-message.ts"
import { chainReason, signatureReason } from "./reasons.ts"
import { type CheckSender, checkSpf, type SpfOutcome } from "./spf.ts"
import { maxSignatures, Verifier } from "./verifier.ts"

// Each rule of the standards, without the exceptions that the library makes by default.
const strict = true

/** The code of the API, with SPF as spfvalidator checks it. Questions without an answer by `maxAskingMs` have none. */
export function createRun(checkSender: CheckSender, maxAskingMs: number): RunOf<typeof messageauth> {
  return async (input, context) => {
    const { bytes, problems } = readMessage(input.message)
    const ip = input.ip === undefined ? null : parseAddress(input.ip)
    if (input.ip !== undefined && ip === null) reject("ip", "must be an IPv4 or IPv6 address, without a zone")
    const given = input.sender === undefined ? undefined : readPath(input.sender)
    if (given === null) reject("sender", "must be an address such as ann@example.com, or empty for a bounce")
    const receivedAt =
      input.received_at === undefined ? context.ports.clock.now() : parseTime(input.received_at)
    if (receivedAt === null)
      reject("received_at", "must be a time such as 2026-11-28T08:00:00Z or 1795852800 (Unix seconds)")
    return withTimeLimit(context.ports.timer, maxAskingMs, async (signal) => {
      const lookups = createKeyLookups(context, signal)
      const verifier = new Verifier({ resolver: lookups.resolve, strict, curTime: new Date(receivedAt) })
      await verifier.writeAsync(bytes)
      await verifier.finish()
      const names = { sender: given ?? verifier.returnPath ?? "", helo: input.helo }
      const spf = await checkSpf({ ip, ...names }, checkSender, context, signal)
      return toAnswer(verifier, spf, problems, lookups, context.premium)
    })
  }
}

async function toAnswer(
  verifier: Verifier,
  spf: SpfOutcome,
  problems: MessageProblem[],
  lookups: KeyLookups,
  premium: boolean,
) {
  const signatures = verifier.results.slice(0, maxSignatures)
  const chain = await explainedResults(verifier, lookups)
  const dmarc = await checkDmarc(verifier, spf, chain, lookups)
  const { response, dkimAligned } = dmarc
  const result = response ? resultOf(response.status) : "none"
  // Without an answer for the record of the author's domain, nobody knows what is aligned with it.
  const isKnown = result !== "temperror" || (response && response.policyDomain !== undefined)
  const isAligned = (domain = "") => (isKnown ? (dkimAligned?.has(formatDomain(domain)) ?? false) : null)
  const author = verifier.headerFrom[0] ?? null
  problems.push(
    ...aboutAuthor(dmarc, result, verifier),
    ...(result === "fail" && chain.result === "pass"
      ? [problem("forwarded", "ARC-Seal", "The ARC chain is intact.")]
      : []),
    ...aboutSpf(spf),
    ...aboutSignatures(verifier),
    ...[...lookups.failed].map((name) =>
      problem("no_answer", shorten(name, maxText), "The DNS gave no answer."),
    ),
  )
  const isSpfAligned = isKnown ? response !== false && Boolean(response.alignment?.spf.result) : null
  const rows = [
    ...(spf.kind === "checked" ? [["spf", spf.status] as const] : []),
    ...signatures.map(({ status }) => ["dkim", status] as const),
    ["arc", chain] as const,
    ...(response ? [["dmarc", response.status] as const] : []),
  ].map(([method, status]) => formatAuthHeaderRow(method, status, { strict }))
  return {
    is_authentic: result === "pass",
    problems,
    author: author === null ? null : shorten(author, maxText),
    results: [
      ...(spf.kind === "checked"
        ? [toResult("spf", spf.status, spf.domain, spf.result === "pass" ? isSpfAligned : null)]
        : []),
      ...signatures.map(({ status, signingDomain }) =>
        toResult("dkim", status, signingDomain, status.result === "pass" ? isAligned(signingDomain) : null),
      ),
      toResult("arc", chain, sealerOf(verifier), null),
      toResult(
        "dmarc",
        response ? response.status : { result: "none" },
        dmarcDomain(verifier, response),
        null,
      ),
    ],
    signatures: signatures.filter(({ signingDomain }) => signingDomain !== undefined).map(toSignature),
    dmarc:
      response === false || response.policyDomain === undefined
        ? null
        : {
            policy: dmarcPolicies.find((one) => one === response.policy) ?? "none",
            record_domain: response.policyDomain,
            organizational_domain: response.domain,
            is_testing: response.testMode === true,
          },
    spf_explanation: spf.kind === "checked" ? spf.explanation : null,
    authentication_results: [usualAuthserv, ...rows].join(";\r\n "),
    arc_chain: premium ? arcChain(verifier.arc.chain) : [],
    canonical_headers: premium ? canonicalHeaders(signatures) : [],
  }
}

/** The result of ARC. The library's texts about it and about the signatures are replaced by ours. */
async function explainedResults(verifier: Verifier, lookups: KeyLookups): Promise<MailauthStatus> {
  const faultOf = ({ selector, signingDomain }: Verifier["results"][number]) =>
    lookups.faults.get(`${selector}._domainkey.${signingDomain}`.toLowerCase())
  const { status } = await arc(verifier.arc, { resolver: lookups.resolve, strict })
  const signature = (verifier.arc.chain || []).at(-1)?.messageSignature
  if (status.result !== "pass")
    status.comment = chainReason(
      status,
      signature && { status: signature.status, fault: faultOf(signature) },
      lookups,
    )
  for (const one of verifier.results) one.status.comment = signatureReason(one.status, faultOf(one))
  return status
}

/**
 * Applies DMARC. A look-up without an answer can neither confirm the author nor let DMARC fail (RFC 9989 §5.3.6): where an answer
 * could have confirmed the author, the result is temporary.
 */
async function checkDmarc(
  { results, headerFrom, fromFields }: Verifier,
  spf: SpfOutcome,
  chain: MailauthStatus,
  { resolve: resolver }: KeyLookups,
) {
  const evaluate = (counted: readonly string[]) =>
    evaluateDmarc({
      ...{ headerFrom, fromFields, resolver, strict, arcResult: { status: chain } },
      spfDomains: spf.kind === "checked" && counted.includes(spf.result) ? [spf.domain] : [],
      dkimDomains: results
        .slice(0, maxSignatures)
        .filter(({ status }) => counted.includes(status.result))
        .map(({ signingDomain = "", status }) => ({ domain: signingDomain, underSized: status.underSized })),
    })
  const dmarc = await evaluate(["pass"])
  const status = dmarc.response ? dmarc.response.status : undefined
  if (status && status.result === "fail") {
    const { response: possible } = await evaluate(["pass", "temperror"])
    if (possible && possible.status.result !== "fail") {
      status.result = "temperror"
      delete status.policy
    }
  }
  if (status && status.result === "temperror")
    status.comment = "the DNS gave no answer for what could confirm the author"
  return dmarc
}

function aboutAuthor(
  { reason }: { readonly reason?: string },
  result: string,
  { fromFields, unreadableFrom }: Verifier,
): MessageProblem[] {
  if (fromFields === 1 && unreadableFrom !== undefined)
    return [
      problem(
        "no_author",
        "From",
        `The field From is no list of addresses (RFC 5322 §3.4): ${shorten(unreadableFrom.trim(), maxText)}`,
      ),
    ]
  if (reason === "no-author-domain" || reason === "invalid-author-domain")
    return [problem("no_author", "From", "The message has no author whose domain could be checked.")]
  if (reason !== undefined)
    return [
      problem(
        "several_authors",
        "From",
        "The message has several fields From, or authors of several domains.",
      ),
    ]
  if (result === "fail")
    return [problem("not_authentic", "From", "Neither DKIM nor SPF confirms the domain of the author.")]
  if (result === "temperror")
    return [problem("undecided", "From", "The DNS gave no answer for what could confirm the author.")]
  return result === "none"
    ? [problem("no_policy", "From", "The domain of the author has no DMARC record.")]
    : []
}

function aboutSpf(spf: SpfOutcome): MessageProblem[] {
  if (spf.kind === "no_ip") return [problem("no_ip", "ip", "There is no address to check.")]
  if (spf.kind !== "checked") return [problem("no_sender", "sender", "There is no sender to check.")]
  return spf.result === "temperror"
    ? [problem("no_answer", spf.domain, "The DNS gave no answer for SPF.")]
    : []
}

function aboutSignatures({ results, signatureCount, repeatedFields }: Verifier): MessageProblem[] {
  const found = repeatedFields.map(([name, count]) =>
    problem("repeated_field", name, `The field ${name} is there ${count} times; a mail has it once at most.`),
  )
  if (signatureCount > maxSignatures)
    found.push(problem("signatures_left_out", "DKIM-Signature", `There are ${signatureCount} signatures.`))
  for (const [index, { status }] of results.entries()) {
    const where = `DKIM-Signature ${index + 1}`
    if (status.underSized)
      found.push(problem("partial_body", where, `${status.underSized} bytes of the body are not signed.`))
    if (status.testing) found.push(problem("testing", where, "The domain only tests DKIM."))
  }
  return found
}

function sealerOf({ arc: { chain } }: Verifier): string | undefined {
  const domain = (chain || []).at(-1)?.["arc-seal"]?.parsed?.d?.value
  return typeof domain === "string" ? domain : undefined
}

function dmarcDomain({ headerFrom }: Verifier, response: unknown): string | undefined {
  return response === false
    ? undefined
    : headerFrom[0]?.slice(headerFrom[0].lastIndexOf("@") + 1).toLowerCase()
}
