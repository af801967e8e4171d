import type { Lookups } from "./lookups.ts"
import { isSpf, type Policy } from "./policy.ts"

/**
 * The domain above one without SPF record, if it has one: people take it to count below as well, and it does not
 * (RFC 7208 §10.1.2). One question, and none for domains that do not exist or stand right below a top-level domain.
 */
export async function findParentWithRecord(
  domain: string,
  policy: Policy | undefined,
  lookups: Lookups,
): Promise<string | null> {
  const parent = domain.slice(domain.indexOf(".") + 1)
  if (policy?.kind !== "none" || !policy.exists || !parent.includes(".")) return null
  const answer = await lookups.ask(parent, "TXT")
  return answer.kind === "records" && answer.records.some(isSpf) ? parent : null
}
