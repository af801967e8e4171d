/** The results of all methods (RFC 8601 §2.7). */
export const results = [
  "none",
  "pass",
  "fail",
  "softfail",
  "neutral",
  "policy",
  "temperror",
  "permerror",
] as const
