import type { Facts } from "./facts.ts"

/** Whether the domain takes mail: not if it says that it takes none, or has nowhere to take it. Unknown counts as taking mail. */
export function takesMail({ route }: Facts): boolean {
  return !route.isKnown || !["refused", "nowhere", "missing"].includes(route.value.kind)
}

/** Whether the domain may send mail: not if its SPF record forbids all servers. Unknown counts as sending. */
export function sendsMail({ spf }: Facts): boolean {
  return !spf.isKnown || !/^v=spf1\s+-all\s*$/i.test(spf.value.spf_record)
}

/** Whether the domain says, or shows, that it has nothing to do with mail. */
export function hasNoMail(facts: Facts): boolean {
  return isParked(facts) || !(takesMail(facts) || sendsMail(facts))
}

/**
 * Whether nothing speaks for mail: no MX record, no server that SPF lets send, and no DKIM key. An address alone, as of a web
 * page, would make it its own mail server (RFC 5321 §5.1).
 */
export function isParked(facts: Facts): boolean {
  const { route, spf, dkim } = facts
  if (!route.isKnown || !spf.isKnown || !dkim.isKnown) return false
  if (spf.unanswered.length + dkim.unanswered.length > 0) return false
  const hasNoServer = ["domain", "nowhere", "refused"].includes(route.value.kind)
  const isSilent = !spf.value.has_spf_record || !sendsMail(facts)
  return hasNoServer && isSilent && dkim.value.every(({ record }) => record === null)
}
