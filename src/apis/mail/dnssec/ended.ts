/** Why a validation did not end with `secure`. */
const reasons = {
  no_delegation_signer: "The zone {at} has no DS record in its parent zone (RFC 4035 §5.2).",
  unsupported_algorithm:
    "All DS records of {at} have an algorithm or digest that is not supported, or deprecated as RSASHA1 is (RFC 4035 §5.2, RFC 9905 §2).",
  opt_out:
    "An opt-out span of NSEC3 allows for unsigned delegations at {at}, so the denial proves nothing (RFC 5155 §9.2).",
  nsec3_iterations: "NSEC3 of {at} has more than 150 iterations (RFC 9276 §3.2).",
  no_keys: "The zone {at} has a DS record and no DNSKEY records (RFC 4035 §5.2).",
  no_matching_key: "No DNSKEY of {at} matches a DS record or trust anchor (RFC 4035 §5.2).",
  no_signature: "{at} has no signature (RRSIG), though its zone is signed (RFC 4035 §5.3.1).",
  wrong_signer: "The signatures of {at} are not of its zone (RFC 4035 §5.3.1).",
  wrong_labels: "The signatures of {at} are for a name with another number of labels (RFC 4035 §5.3.1).",
  signature_not_yet_valid: "The signatures of {at} are not valid yet (RFC 4035 §5.3.1).",
  signature_expired: "The signatures of {at} have expired (RFC 4035 §5.3.1).",
  unknown_key: "No key of the zone fits the signatures of {at} (RFC 4035 §5.3.1).",
  invalid_signature: "The signatures of {at} do not fit its records (RFC 4035 §5.3.3).",
  no_proof: "The reply does not prove that {at} is not there (RFC 4035 §5.4, RFC 5155 §8).",
  too_much_work: "{at} has more keys and signatures than the 64 verifications of one validation.",
  too_many_records: "{at} has more than 1,000 records of the type.",
  alias_loop: "The aliases that begin at the name lead back to {at}, or are more than 10.",
  no_answer: "The DNS server gave no answer for {at}.",
  too_many_questions: "The validation needs more questions to the DNS than it may ask.",
} as const

export type ReasonCode = keyof typeof reasons

/** Ends a validation with a status and its reason. */
export class Ended extends Error {
  override readonly name = "Ended"
  readonly status: "insecure" | "bogus" | "indeterminate"
  readonly code: ReasonCode
  /** The name that the reason is about. */
  readonly at: string

  constructor(status: Ended["status"], code: ReasonCode, at: string) {
    const sentence: string = reasons[code]
    const named =
      at === "" ? sentence.replace("The zone {at}", "The root").replace("{at}", "the root") : sentence
    super(named.replace("{at}", () => at))
    this.status = status
    this.code = code
    this.at = at
  }
}
