/** The kinds of policies of a TLS report (RFC 8460 §4.4). */
export const policyTypes = ["tlsa", "sts", "no-policy-found"] as const
