import type { DnsRecord } from "../../contract.ts"
import { Ended } from "./ended.ts"
import { limits } from "./limits.ts"
import { isWithin } from "./names.ts"
import { NsecProof } from "./nsec.ts"
import { Nsec3Proof } from "./nsec3.ts"
import type { Proof } from "./proof.ts"
import { findSet, ofType, signedLabels } from "./record-set.ts"
import type { Session } from "./session.ts"
import { type TrustedZone, verifySet } from "./verify-set.ts"

/**
 * Reads the NSEC and NSEC3 records of a reply that the zone has signed. Records that it has not signed prove nothing.
 * @throws Ended when the zone needs too many iterations
 */
export async function readProof(
  section: readonly DnsRecord[],
  zone: TrustedZone,
  session: Session,
): Promise<{ readonly proof: Proof; readonly failure: Ended | null }> {
  let failure: Ended | null = null
  const records: DnsRecord[] = []
  for (const type of ["NSEC", "NSEC3"] as const) {
    const owners = new Set(ofType(section, type).map(({ owner }) => owner))
    for (const owner of [...owners].filter((one) => isWithin(one, zone.name)).slice(0, limits.denials)) {
      const set = findSet(section, owner, type)
      if (!set) continue
      try {
        const labels = await verifySet(set, zone, session)
        // Made from a wildcard, it would be about another name.
        if (labels === signedLabels(owner)) records.push(...set.records)
      } catch (thrown) {
        if (!(thrown instanceof Ended) || thrown.code === "too_much_work") throw thrown
        failure = thrown
      }
    }
  }
  const hashed = ofType(records, "NSEC3")
  const proof =
    hashed.length > 0 ? new Nsec3Proof(hashed, zone.name, session) : new NsecProof(ofType(records, "NSEC"))
  return { proof, failure }
}
