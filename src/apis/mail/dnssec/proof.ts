import type { DnsType } from "../../contract.ts"
import { isBelow } from "./names.ts"

/** Whether something is proven, and if so, whether by records that allow for unsigned delegations (opt-out). */
export type Proven = "proven" | "opt out" | null

/** Proofs by NSEC or NSEC3 records. All names are at or below the zone. */
export interface Proof {
  /** Proves that a name exists and has neither the type nor an alias. */
  noData(name: string, type: DnsType): Proven | Promise<Proven>
  /** Proves that neither the name nor a wildcard exists. */
  noName(name: string): Proven | Promise<Proven>
  /** Proves that the name does not exist; a wildcard may. */
  noCloserName(name: string): Proven | Promise<Proven>
  /** Whether a name begins an unsigned zone; null if nothing is proven. */
  delegation(name: string): Delegation | Promise<Delegation>
}

/** The kind of zone that begins at a name: one without DS records, maybe such a one (opt-out), or none. */
export type Delegation = "unsigned" | "opt out" | "none" | null

/**
 * Whether a zone begins at the owner of a denial, so that it says nothing about names below (RFC 6840 §4.1): NS and no SOA, or
 * DNAME.
 */
export function isCut(owner: string, types: readonly DnsType[], name: string): boolean {
  const endsThere = (types.includes("NS") && !types.includes("SOA")) || types.includes("DNAME")
  return endsThere && isBelow(name, owner)
}

/** Whether the types of a name's own denial prove that it lacks a type (RFC 4035 §5.4, RFC 6840 §4.1 and 4.3). */
export function lacks(types: readonly DnsType[], name: string, type: DnsType): boolean {
  if (types.includes(type) || types.includes("CNAME")) return false
  // The DS records of a zone are in its parent, all other records in the zone itself.
  if (type === "DS") return name === "" || !types.includes("SOA")
  return !types.includes("NS") || types.includes("SOA")
}

/** Tells from the types of a name's own denial whether a zone begins there. */
export function delegationOf(types: readonly DnsType[]): Delegation {
  if (types.includes("DS") || types.includes("SOA")) return null
  return types.includes("NS") ? "unsigned" : "none"
}
