import type { DnsType, RecordOf } from "../../contract.ts"
import { commonAncestor, compareNames, isBelow, isWithin, lower, wildcardOf } from "./names.ts"
import { type Delegation, delegationOf, isCut, lacks, type Proof, type Proven } from "./proof.ts"

type Nsec = RecordOf<"NSEC">

/** Proofs by NSEC records (RFC 4035 §5.4). */
export class NsecProof implements Proof {
  readonly #records: readonly Nsec[]

  constructor(records: readonly Nsec[]) {
    this.#records = records
  }

  noData(name: string, type: DnsType): Proven {
    const own = this.#own(name)
    if (own) return lacks(own.data.types, name, type) ? "proven" : null
    const cover = this.#cover(name)
    if (!cover) return null
    if (isAbove(name, cover)) return "proven"
    const wildcard = this.#own(wildcardOf(encloserOf(name, cover)))
    return wildcard && lacks(wildcard.data.types, wildcard.owner, type) ? "proven" : null
  }

  noName(name: string): Proven {
    const cover = this.#cover(name)
    if (!cover || isAbove(name, cover)) return null
    const wildcard = wildcardOf(encloserOf(name, cover))
    const wildcardCover = this.#cover(wildcard)
    return wildcardCover && !isAbove(wildcard, wildcardCover) ? "proven" : null
  }

  noCloserName(name: string): Proven {
    const cover = this.#cover(name)
    return cover && !isAbove(name, cover) ? "proven" : null
  }

  delegation(name: string): Delegation {
    const own = this.#own(name)
    if (own) return delegationOf(own.data.types)
    return this.#cover(name) ? "none" : null
  }

  #own(name: string): Nsec | undefined {
    return this.#records.find(({ owner }) => owner === name)
  }

  /** The record in whose span a name is: after its owner, and before the next name or after the last one. */
  #cover(name: string): Nsec | undefined {
    return this.#records.find(({ owner, data }) => {
      const next = lower(data.nextName)
      const isLast = compareNames(next, owner) <= 0
      const isBefore = isLast ? isWithin(name, next) : compareNames(name, next) < 0
      return compareNames(owner, name) < 0 && isBefore && !isCut(owner, data.types, name)
    })
  }
}

/** Whether a name has no records, but the next name is below it (RFC 4592 §2.2.2). */
function isAbove(name: string, { data }: Nsec): boolean {
  return isBelow(lower(data.nextName), name)
}

/** The closest name above `name` that exists: it is above one end of the span. */
function encloserOf(name: string, { owner, data }: Nsec): string {
  const [one, other] = [commonAncestor(name, owner), commonAncestor(name, lower(data.nextName))]
  return isWithin(one, other) ? one : other
}
