import type { Example } from "../contract.ts"
import type { input, output } from "./schema.ts"

type SpfExample = Example<typeof input, typeof output>

/** A domain that `penknife mock` knows, so that the documentation shows what readers get from it. */
const redirect: SpfExample = {
  name: "A redirect to a record that lists one network",
  input: { domain: "redirect.example" },
  given: {
    dns: {
      "redirect.example": [{ TXT: "v=spf1 redirect=_policy.redirect.example" }],
      "_policy.redirect.example": [{ TXT: "v=spf1 ip4:93.184.222.0/24 -all" }],
    },
  },
  varying: ["elapsed_ms"],
  output: {
    host: "redirect.example",
    has_spf_record: true,
    dns_lookups_num: 1,
    spf_record: "v=spf1 redirect=_policy.redirect.example",
    spf_records_list: [
      {
        origin: "redirect.example",
        record: "v=spf1 redirect=_policy.redirect.example",
        chars_num: 40,
        use_macro: false,
        domains: ["_policy.redirect.example"],
      },
      {
        origin: "_policy.redirect.example",
        record: "v=spf1 ip4:93.184.222.0/24 -all",
        chars_num: 31,
        use_macro: false,
        authorized_ips: { ipv4: ["93.184.222.0/24"] },
      },
    ],
    domains_extracted: ["redirect.example", "_policy.redirect.example"],
    authorized_ips: { ipv4: ["93.184.222.0/24"], ipv6: [] },
    issues_found: [],
    spf_valid: true,
    has_issues: false,
    macros_found: false,
    ip_pass: false,
    elapsed_ms: 0,
    all_qualifier: null,
    risk_score: 0,
    risk_level: "low",
  },
}

const chain: SpfExample = {
  name: "A chain of includes, and an address it refuses",
  input: { domain: "shop.example", ip: "203.0.113.9", sender: "ann@shop.example" },
  given: {
    dns: {
      "shop.example": [
        { TXT: "v=spf1 mx include:_spf.mailer.example exp=why.shop.example -all" },
        { MX: [10, "mail.shop.example"] },
      ],
      "mail.shop.example": [{ A: "93.184.215.14" }],
      "why.shop.example": [{ TXT: "%{i} may not send for %{l} at %{d}." }],
      "_spf.mailer.example": [{ TXT: "v=spf1 include:eu.mailer.example include:us.mailer.example ~all" }],
      "eu.mailer.example": [{ TXT: "v=spf1 ip4:93.184.216.0/24 ip6:2606:2800:21f::/48 ~all" }],
      "us.mailer.example": [{ TXT: "v=spf1 ip4:93.184.217.0/24 ~all" }],
    },
  },
  varying: ["elapsed_ms"],
  output: {
    host: "shop.example",
    has_spf_record: true,
    dns_lookups_num: 4,
    spf_record: "v=spf1 mx include:_spf.mailer.example exp=why.shop.example -all",
    spf_records_list: [
      {
        origin: "shop.example",
        record: "v=spf1 mx include:_spf.mailer.example exp=why.shop.example -all",
        chars_num: 63,
        use_macro: false,
        domains: ["_spf.mailer.example"],
      },
      {
        origin: "_spf.mailer.example",
        record: "v=spf1 include:eu.mailer.example include:us.mailer.example ~all",
        chars_num: 63,
        use_macro: false,
        domains: ["eu.mailer.example", "us.mailer.example"],
      },
      {
        origin: "eu.mailer.example",
        record: "v=spf1 ip4:93.184.216.0/24 ip6:2606:2800:21f::/48 ~all",
        chars_num: 54,
        use_macro: false,
        authorized_ips: { ipv4: ["93.184.216.0/24"], ipv6: ["2606:2800:21f::/48"] },
      },
      {
        origin: "us.mailer.example",
        record: "v=spf1 ip4:93.184.217.0/24 ~all",
        chars_num: 31,
        use_macro: false,
        authorized_ips: { ipv4: ["93.184.217.0/24"] },
      },
    ],
    domains_extracted: ["shop.example", "_spf.mailer.example", "eu.mailer.example", "us.mailer.example"],
    authorized_ips: { ipv4: ["93.184.216.0/24", "93.184.217.0/24"], ipv6: ["2606:2800:21f::/48"] },
    issues_found: [],
    spf_valid: true,
    has_issues: false,
    macros_found: false,
    ip_pass: false,
    ip_result: "fail",
    ip_explanation: "203.0.113.9 may not send for ann at shop.example.",
    elapsed_ms: 1,
    all_qualifier: "fail",
    risk_score: 0,
    risk_level: "low",
  },
}

const nothing: SpfExample = {
  name: "No record",
  input: { domain: "nospf.example" },
  given: { dns: { "nospf.example": [{ TXT: "just some text" }] } },
  varying: ["elapsed_ms"],
  output: {
    host: "nospf.example",
    has_spf_record: false,
    dns_lookups_num: 0,
    spf_record: "",
    spf_records_list: [],
    domains_extracted: [],
    authorized_ips: { ipv4: [], ipv6: [] },
    issues_found: [
      {
        code: "NO_RECORD",
        severity: "error",
        message:
          "The domain has no SPF record; publish one: 'v=spf1 -all' if the domain sends no mail (RFC 7208 §4.5).",
        domain: "nospf.example",
        term: null,
      },
    ],
    spf_valid: false,
    has_issues: true,
    macros_found: false,
    ip_pass: false,
    elapsed_ms: 1,
    all_qualifier: null,
    risk_score: 100,
    risk_level: "high",
  },
}

export const examples: readonly SpfExample[] = [redirect, chain, nothing]
