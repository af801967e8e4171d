import { arc } from "mailauth/lib/arc/index.js"
import { evaluateDmarc } from "mailauth/lib/dmarc/verify.js"
import { formatAuthHeaderRow, formatDomain } from "mailauth/lib/tools.js"
import { parseAddress } from "../../values/ip.ts"
import { shorten } from "../../values/shorten.ts"
import { type RunContext, type RunOf, reject } from "../contract.ts"
import { dmarcPolicies } from "../mail/dmarc-policy.ts"
import { withTimeLimit } from "../mail/time-limit.ts"
import { arcChain, canonicalHeaders, maxText, resultOf, toResult, toSignature } from "./answer.ts"
import { usualAuthserv } from "./authserv.ts"
import type { messageauth } from "./index.ts"
import { KeyLookups } from "./key-lookups.ts"
import { type MessageProblem, problem } from "./problems.ts"
import { readMessage } from "./read-message.ts"
import { type CheckSender, checkSpf, type SpfOutcome } from "./spf.ts"
import { maxSignatures, Verifier } from "./verifier.ts"

const dnsLimitMs = 15_000
// Each rule of the standards, without the exceptions that the library makes by default.
const strict = true

type Input = Parameters<RunOf<typeof messageauth>>[0]

/** The code of the API, with SPF as spfvalidator checks it. */
export function createRun(checkSender: CheckSender): RunOf<typeof messageauth> {
  return async (input, context) => {
    const { bytes, problems } = readMessage(input.message)
    const ip = input.ip === undefined ? null : parseAddress(input.ip)
    if (input.ip !== undefined && ip === null) reject("ip", "must be an IPv4 or IPv6 address, without a zone")
    return withTimeLimit(context.ports.timer, dnsLimitMs, async (signal) => {
      const lookups = new KeyLookups(context.ports.dns, signal)
      const verifier = await verify(bytes, input, lookups, context)
      const sender = input.sender ?? (verifier.envelopeFrom || "")
      const spf = await checkSpf({ ip, sender, helo: input.helo }, checkSender, context, signal)
      return toAnswer(verifier, spf, problems, lookups, context.premium)
    })
  }
}

async function verify(bytes: Buffer, { sender }: Input, lookups: KeyLookups, { ports }: RunContext) {
  const verifier = new Verifier({
    ...{ resolver: lookups.resolve, strict, curTime: new Date(ports.clock.now()) },
    ...(sender && { sender }),
  })
  await verifier.writeAsync(bytes)
  await verifier.finish()
  return verifier
}

async function toAnswer(
  verifier: Verifier,
  spf: SpfOutcome,
  problems: MessageProblem[],
  { resolve: resolver, failed }: KeyLookups,
  premium: boolean,
) {
  const signatures = verifier.results.slice(0, maxSignatures)
  const chain = await arc(verifier.arc, { resolver, strict })
  const dmarc = await evaluateDmarc({
    ...{
      headerFrom: verifier.headerFrom,
      fromFields: verifier.fromFields,
      resolver,
      strict,
      arcResult: chain,
    },
    spfDomains: spf.kind === "checked" && spf.result === "pass" ? [spf.domain] : [],
    dkimDomains: signatures
      .filter(({ status }) => status.result === "pass")
      .map(({ signingDomain = "", status }) => ({ domain: signingDomain, underSized: status.underSized })),
  })
  const { response, dkimAligned } = dmarc
  const isAligned = (domain = "") => dkimAligned?.has(formatDomain(domain)) ?? false
  const result = response ? resultOf(response.status) : "none"
  const author = verifier.headerFrom[0] ?? null
  problems.push(
    ...aboutAuthor(dmarc, result),
    ...(result === "fail" && chain.status.result === "pass"
      ? [problem("forwarded", "ARC-Seal", "The ARC chain is intact.")]
      : []),
    ...aboutSpf(spf),
    ...aboutSignatures(verifier),
    ...[...failed].map((name) => problem("no_answer", shorten(name, maxText), "The DNS gave no answer.")),
  )
  const isSpfAligned = spf.kind === "checked" && response !== false && Boolean(response.alignment?.spf.result)
  const rows = [
    ...(spf.kind === "checked" ? [formatAuthHeaderRow("spf", spf.status, { strict })] : []),
    ...signatures.map(({ info }) => info),
    ...(chain.info ? [chain.info] : []),
    ...(response ? [response.info] : []),
  ]
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
      toResult("arc", chain.status, sealerOf(verifier), null),
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

function aboutAuthor({ reason }: { readonly reason?: string }, result: string): MessageProblem[] {
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

function aboutSignatures({ results, signatureCount }: Verifier): MessageProblem[] {
  const found: MessageProblem[] = []
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
