/** The kinds of policies of a TLS report (RFC 8460 §4.4). */
export const policyTypes = ["tlsa", "sts", "no-policy-found"] as const

/** The namespace of reports of RFC 9990. */
export const namespace9990 = "urn:ietf:params:xml:ns:dmarc-2.0"

/** How often an element may be there. */
type Occurs = "1" | "?" | "*" | "+"
export type Content = "text" | "integer" | "decimal" | readonly string[] | Shape

/** The children of an element. */
export interface Shape {
  readonly children: Readonly<Record<string, readonly [Occurs, Content]>>
  /** Whether the children come in this order. */
  readonly isOrdered?: boolean
  /** Whether elements of extensions may follow. */
  readonly isOpen?: boolean
}

export const policies = ["none", "quarantine", "reject"] as const
export const dispositions = ["none", "pass", "quarantine", "reject"] as const
export const alignedResults = ["pass", "fail"] as const
export const dkimResults = ["none", "pass", "fail", "policy", "neutral", "temperror", "permerror"] as const
export const spfResults = [...dkimResults, "softfail"] as const
const modes = ["r", "s"] as const
const reasons = ["local_policy", "mailing_list", "other", "policy_test_mode", "trusted_forwarder"] as const

/** The form of a report that one standard expects. */
interface ReportShape {
  /** The report, without its records. */
  readonly report: Shape
  readonly record: Shape
  /** Whether everything that differs is an error. */
  readonly isStrict: boolean
}

const metadata: Shape = {
  children: {
    org_name: ["1", "text"],
    email: ["1", "text"],
    extra_contact_info: ["?", "text"],
    report_id: ["1", "text"],
    date_range: ["1", { children: { begin: ["1", "integer"], end: ["1", "integer"] } }],
    error: ["?", "text"],
    generator: ["?", "text"],
  },
}
const published: Shape = {
  children: {
    domain: ["1", "text"],
    p: ["1", policies],
    ...{ sp: ["?", policies], np: ["?", policies] },
    ...{ adkim: ["?", modes], aspf: ["?", modes] },
    discovery_method: ["?", ["psl", "treewalk"]],
    fo: ["?", "text"],
    testing: ["?", ["n", "y"]],
  },
}
const identifiers: Shape = {
  children: { header_from: ["1", "text"], envelope_from: ["?", "text"], envelope_to: ["?", "text"] },
}

/** The XML Schema of RFC 9990, appendix A, in the text of its last draft (32). Attributes are not looked at. */
export const shape9990: ReportShape = {
  isStrict: true,
  report: {
    isOrdered: true,
    children: {
      version: ["?", "decimal"],
      report_metadata: ["1", metadata],
      policy_published: ["1", published],
      extension: ["?", { children: {}, isOpen: true }],
    },
  },
  record: recordShape({ reasons, selector: "1", spf: "?", scopes: ["mfrom"], isOrdered: true }),
}

/**
 * The form that reports of RFC 7489, appendix C, have in common. It asks for less than that schema: most reports lack `version`,
 * `pct` or `fo`, and many have elements in another order.
 */
export const shape7489: ReportShape = {
  isStrict: false,
  report: {
    children: {
      version: ["?", "decimal"],
      report_metadata: ["1", { children: { ...metadata.children, error: ["*", "text"] } }],
      policy_published: ["1", { children: { ...published.children, pct: ["?", "integer"] } }],
    },
  },
  record: recordShape({
    reasons: [...reasons, "forwarded", "sampled_out"],
    ...{ selector: "?", spf: "*", scopes: ["mfrom", "helo"], isOrdered: false },
  }),
}

function recordShape(differing: {
  readonly reasons: readonly string[]
  readonly selector: Occurs
  readonly spf: Occurs
  readonly scopes: readonly string[]
  readonly isOrdered: boolean
}): Shape {
  const { isOrdered } = differing
  const reason: Shape = { children: { type: ["1", differing.reasons], comment: ["?", "text"] } }
  const evaluated: Shape = {
    isOrdered,
    children: {
      disposition: ["1", dispositions],
      dkim: ["1", alignedResults],
      spf: ["1", alignedResults],
      reason: ["*", reason],
    },
  }
  const domain = ["1", "text"] as const
  const human_result = ["?", "text"] as const
  const dkim: Shape = {
    children: { domain, selector: [differing.selector, "text"], result: ["1", dkimResults], human_result },
  }
  const spf: Shape = {
    children: { domain, scope: ["?", differing.scopes], result: ["1", spfResults], human_result },
  }
  return {
    isOrdered,
    isOpen: true,
    children: {
      row: [
        "1",
        {
          children: {
            source_ip: ["1", "text"],
            count: ["1", "integer"],
            policy_evaluated: ["1", evaluated],
          },
        },
      ],
      identifiers: ["1", identifiers],
      auth_results: ["1", { isOrdered, children: { dkim: ["*", dkim], spf: [differing.spf, spf] } }],
    },
  }
}
