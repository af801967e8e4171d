import type { GiveWay } from "../contract.ts"
import type { Fix } from "./check.ts"
import type { Facts } from "./facts.ts"
import { type Judged, judge, pointsOf, scoreOf } from "./grade.ts"
import { isParked } from "./purpose.ts"

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
export async function fixesOf(facts: Facts, giveWay: GiveWay) {
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
    : before.map((one) => (ids.includes(one.check.id) ? passed(one) : one))
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

function passed({ check, verdict }: Judged): Judged {
  return { check, verdict: { ...verdict, status: "pass", share: 1 } }
}
