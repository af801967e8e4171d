import { defineApi, type GiveWay, type RunContext, reject, unavailable } from "../contract.ts"
import { exampleAnchor as trust_anchor } from "../mail/dnssec/example-zone.ts"
import { requireAnchors, rootAnchors } from "../mail/dnssec/root-anchors.ts"
import { requireDomain, withTimeLimit } from "../mail/look-up.ts"
import { storedExamples } from "../shared.ts"
import answers from "./answers.json"
import { auditGiven as given } from "./example-domains.ts"
import { type Facts, gatherFacts, type Subject } from "./facts.ts"
import { gradeOf, type Judged, judge, limitsOf, pointsOf, scoreOf } from "./grade.ts"
import type { AuditedApis } from "./parts.ts"
import { type Fix, isParked } from "./purpose.ts"
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

/** A fix with the checks that it is for. */
interface Proposal {
  readonly fix: Fix
  readonly checks: readonly Judged[]
}

/**
 * Proposed changes, first the ones that bring most. Each record is one line, composed for all checks that it concerns. The lines
 * are applied one after the other: the points of each are those that it adds to the score after the lines before it, so that
 * their sum is the gain of all together. To find them the domain is judged again and again, each time in a step of its own. For a
 * domain without mail the lines that say so come first, and nothing is proposed that it does not need then.
 */
async function fixesOf(facts: Facts, giveWay: GiveWay) {
  if (facts.route.isKnown && facts.route.value.kind === "missing") return []
  const parting = isParked(facts)
    ? proposalsOf(facts).filter(({ checks }) => checks.some(isAboutPurpose))
    : []
  const settled = parting.reduce((before, { fix }) => fix.after?.(before) ?? before, facts)
  const lines = new Set(parting.map(({ fix }) => fix.line))
  const others = proposalsOf(settled).filter(({ fix }) => !lines.has(fix.line) || fix.line === null)
  let present = facts
  let owed = 0
  const first = parting.map((proposal) => apply(proposal))
  const left = [...others]
  const rest: ReturnType<typeof apply>[] = []
  while (left.length > 0) {
    const gains: number[] = []
    const before = judge(present)
    for (const proposal of left) {
      const pause = giveWay()
      if (pause) await pause
      gains.push(gainOf(proposal, present, before))
    }
    const [best] = left.splice(gains.indexOf(Math.max(...gains)), 1)
    if (best) rest.push(apply(best))
  }
  return [...first, ...rest]

  function apply(proposal: Proposal) {
    const { fix, checks } = proposal
    const gain = gainOf(proposal, present) + owed
    // A null MX ends what it is worth to take mail, so the score falls until the lines that belong to it are there too.
    const points = isParked(facts) ? Math.max(0, gain) : gain
    owed = gain - points
    present = fix.after?.(present) ?? present
    const ids = checks.map(({ check }) => check.id)
    const { line, action, file, note } = fix
    return { check: ids[0] ?? "", checks: ids, points, line, action, file, note }
  }
}

/** By how much the score rises. Where only the operator knows the record, as if all its checks passed then. */
function gainOf({ fix, checks }: Proposal, facts: Facts, before = judge(facts)): number {
  const ids = checks.map(({ check }) => check.id)
  const after = fix.after
    ? judge(fix.after(facts))
    : before.map(({ check, verdict }): Judged => {
        return { check, verdict: ids.includes(check.id) ? { ...verdict, status: "pass", share: 1 } : verdict }
      })
  return scoreOf(after) - scoreOf(before)
}

/** True for the checks by which a domain says that it has no mail: a null MX, SPF and DMARC. */
function isAboutPurpose({ check }: Judged): boolean {
  return ["mail_servers", "spf_record", "spf_policy", "dmarc_record", "dmarc_policy"].includes(check.id)
}

function proposalsOf(facts: Facts): readonly Proposal[] {
  const groups = Map.groupBy(judge(facts), ({ verdict: { fix } }) => fix && (fix.line ?? fix.note))
  return [...groups.values()].flatMap((group) => {
    const fix = group[0]?.verdict.fix
    return fix ? [{ fix, checks: mostLost(group, fix) }] : []
  })
}

/** A new record is first of all for the check that misses it, a changed one for the check that loses most. */
function mostLost(group: readonly Judged[], { action }: Fix): readonly Judged[] {
  const lost = (one: Judged) => one.check.weight - pointsOf(one)
  return action === "add" ? group : [...group].sort((a, b) => lost(b) - lost(a))
}
