import { defineProblems } from "../../values/problems.ts"

/** For each kind of problem its severity and meaning. Problems of an insecure name are warnings: nobody forged anything. */
export const { problemList, problem, newProblems } = defineProblems({
  no_delegation_signer: "warning: a zone has no DS record in its parent zone",
  unsupported_algorithm: "warning: all DS records of a zone are of algorithms that are not supported",
  opt_out: "warning: the proof allows for unsigned delegations (NSEC3 opt-out)",
  nsec3_iterations: "warning: NSEC3 with more than 150 iterations",
  no_keys: "error: a zone has a DS record and no keys",
  no_matching_key: "error: no key of a zone matches its DS records, or a trust anchor",
  no_signature: "error: records without a signature in a signed zone",
  wrong_signer: "error: signatures of another zone",
  wrong_labels: "error: signatures for a name with another number of labels",
  signature_not_yet_valid: "error: signatures that begin later",
  signature_expired: "error: signatures that have expired",
  unknown_key: "error: signatures by a key that the zone does not have",
  invalid_signature: "error: signatures that do not fit the records",
  no_proof: "error: a reply that does not prove that something is not there",
  too_much_work: "error: more than 64 verifications of signatures",
  too_many_records: "error: more than 1,000 records of one name and type",
  alias_loop: "error: aliases that lead back, or more than 10",
  no_answer: "error: the DNS server gave no answer",
  too_many_questions: "error: more than 60 questions to the DNS",
  expires_soon: "warning: a signature expires within 3 days",
  sha1_digest: "warning: a zone has no DS record with a better digest than SHA-1",
})
