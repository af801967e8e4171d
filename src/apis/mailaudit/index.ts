import { defineApi, type RunContext, reject, unavailable } from "../contract.ts"
import { exampleAnchor as trust_anchor } from "../mail/dnssec/example-zone.ts"
import { requireAnchors, rootAnchors } from "../mail/dnssec/root-anchors.ts"
import { requireDomain } from "../mail/domain-name.ts"
import { withTimeLimit } from "../mail/look-up.ts"
import { storedExamples } from "../shared.ts"
import answers from "./answers.json"
import { auditGiven as given } from "./example-domains.ts"
import { gatherFacts, type Subject } from "./facts.ts"
import { fixesOf } from "./fixes.ts"
import { gradeOf, judge, limitsOf, pointsOf, scoreOf } from "./grade.ts"
import type { AuditedApis } from "./parts.ts"
import { input, output } from "./schema.ts"

const examples = storedExamples(
  {
    given,
    examples: [
      {
        name: "A domain with everything",
        input: { domain: "all.dane.test", trust_anchor },
        given: { ...given, domain: "all.dane.test" },
      },
      { name: "A domain that anybody can forge", input: { domain: "plain.test", trust_anchor } },
      { name: "A domain whose signatures have expired", input: { domain: "expired.test", trust_anchor } },
    ],
  },
  answers,
)

const limitMs = 20_000
/** So that every name below it fits the DNS, such as a DKIM key's. */
const maxDomainBytes = 160
/** One question for CAA at each. */
const maxLabels = 16

/** The API, with the APIs that it asks: an API does not import another one's folder, so the catalog passes them. */
export function createMailaudit(apis: AuditedApis) {
  return defineApi({
    id: "mailaudit",
    title: "Mail audit",
    category: "mail",
    keywords: [
      ...[
        "domain check",
        "grade",
        "report",
        "deliverability",
        "spoofing",
        "forged mail",
        "SPF",
        "DKIM",
        "DMARC",
      ],
      ...["DNSSEC", "DANE", "MTA-STS", "TLSRPT", "BIMI", "CAA"],
    ],
    description:
      "Checks whether a domain is set up so that mail arrives and cannot be forged: mail servers, SPF, DKIM, DMARC, DNSSEC, DANE, MTA-STS, TLSRPT, CAA and BIMI, with a grade from A to F. With premium fields, also what to change, as lines for the zone file.",
    method: "GET",
    credits: 15,
    asksDns: true,
    asksWeb: true,
    input,
    output,
    examples,
    async run({ domain: text, selectors: texts = [], trust_anchor }, context) {
      const domain = await requireDomain(text)
      if (domain.length > maxDomainBytes) reject("domain", `must be at most ${maxDomainBytes} bytes long`)
      if (domain.split(".").length > maxLabels) reject("domain", `must have at most ${maxLabels} labels`)
      const selectors = requireSelectors(texts)
      requireAnchors(trust_anchor, rootAnchors)
      const subject = { domain, selectors, trust_anchor }
      return withTimeLimit(context.ports.timer, limitMs, (signal) => audit(subject, apis, context, signal))
    },
  })
}

function requireSelectors(texts: readonly string[]): readonly string[] {
  const selectors = new Set(texts.map((text) => text.toLowerCase()))
  for (const selector of selectors)
    if (!/^[a-z\d_-]+(?:\.[a-z\d_-]+)*$/.test(selector))
      reject("selectors", "must be names of letters, digits, hyphens and dots, such as s1 or mail.2026")
  return [...selectors]
}

async function audit(subject: Subject, apis: AuditedApis, context: RunContext, signal: AbortSignal) {
  const facts = await gatherFacts(subject, apis, context, signal)
  if (!facts.route.isKnown && !facts.dmarc.isKnown) unavailable(facts.route.why)
  const all = judge(facts)
  return {
    ...{ domain: subject.domain, grade: gradeOf(all), score: scoreOf(all), limited_by: limitsOf(all) },
    checks: all.map((one) => {
      const { check, verdict } = one
      return {
        ...{ id: check.id, title: check.title, status: verdict.status, points: pointsOf(one) },
        max_points: verdict.status === "not_applicable" ? 0 : check.weight,
        ...{ why: verdict.why, advice: verdict.advice, source: check.source },
      }
    }),
    fixes: context.premium ? await fixesOf(facts, context.giveWay) : [],
  }
}
