/**
 * Bounds the work of one validation. Whoever publishes a zone decides what there is to check: CVE-2023-50387 (KeyTrap) is a zone
 * with many keys of one tag and many signatures, CVE-2023-50868 one with many iterations of NSEC3.
 */
export const limits = {
  questions: 60,
  verifications: 64,
  /** Keys with one tag and algorithm that are tried for a signature. */
  keysPerTag: 2,
  /** RFC 9276 §3.2 lets a validator treat zones with more as insecure. The validators in use stop at 150 too. */
  nsec3Iterations: 150,
  /** NSEC and NSEC3 records of one reply that are read. A proof needs three. */
  denials: 8,
  aliases: 10,
  /** Records of one name and type that are read. */
  records: 1_000,
  /** Time for one validation; what is not answered by then counts as not answered. */
  validationMs: 20_000,
} as const
