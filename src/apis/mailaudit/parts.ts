import type { Problem } from "../../values/problems.ts"
import type { RunContext } from "../contract.ts"

/** An API that the audit asks: what it gets, and the part of its answer that is read. */
interface Part<Input, Output> {
  run(input: Input, context: RunContext): Output | Promise<Output>
}

interface Domain {
  readonly domain: string
}

/** For another root key than the service's. */
interface Anchored {
  readonly trust_anchor?: string
}

type Problems = readonly Problem[]

export interface SpfResult {
  /** Null only when an address was asked for, which the audit does not. */
  readonly has_spf_record: boolean | null
  readonly spf_record: string
  readonly spf_valid: boolean
  readonly risk_level: "low" | "medium" | "high"
  readonly dns_lookups_num: number
  readonly spf_records_list: readonly { readonly origin: string; readonly record: string }[]
  readonly issues_found: readonly {
    readonly code: string
    readonly severity: string
    readonly message: string
  }[]
}

export interface DmarcResult {
  readonly problems: Problems
  readonly record_domain: string | null
  readonly record: string | null
  /** The records of the domain, if it has several. */
  readonly ignored?: readonly string[]
  readonly policy: "none" | "quarantine" | "reject" | null
  readonly policies: { readonly subdomains: string } | null
  readonly is_testing: boolean
  readonly is_in_dns: boolean
  readonly rua: readonly { readonly uri: string; readonly is_valid: boolean }[]
  readonly report_permissions: readonly { readonly domain: string; readonly is_permitted: boolean | null }[]
}

export interface DkimResult {
  readonly is_valid: boolean
  readonly problems: Problems
  readonly record_name: string
  readonly record: string | null
  readonly key_algorithm: string | null
  readonly key_bits: number | null
  readonly is_testing: boolean
  readonly usual_selectors: readonly string[]
}

export interface CaaResult {
  readonly is_valid: boolean
  readonly problems: Problems
  readonly is_any_ca_permitted: boolean
  readonly issuers: readonly string[]
}

export interface TlsrptResult {
  readonly is_valid: boolean
  readonly problems: Problems
  readonly record: string | null
}

export interface DnssecResult {
  readonly problems: Problems
  readonly status: "secure" | "insecure" | "bogus" | "indeterminate"
  readonly reason: string | null
}

export interface DaneResult {
  readonly mail_servers: {
    readonly security: string
    readonly servers: readonly {
      readonly host: string
      readonly action: "authenticate" | "encrypt" | "ordinary" | "avoid"
      readonly security: string
      readonly reason: string | null
      readonly records: readonly unknown[]
    }[]
  } | null
}

export interface MtaStsResult {
  readonly is_valid: boolean
  readonly problems: Problems
  readonly record: string | null
  readonly mode: "enforce" | "testing" | "none" | null
  readonly max_age: number | null
  readonly mx_matches: readonly { readonly host: string; readonly matched_by: string | null }[]
}

export interface BimiResult {
  readonly is_valid: boolean
  readonly problems: Problems
  readonly record: string | null
  readonly is_declined: boolean
}

export interface ReverseResult {
  readonly is_confirmed: boolean | null
  readonly problems: Problems
}

/** The APIs whose answers an audit is made from. The catalog passes their definitions. */
export interface AuditedApis {
  readonly spf: Part<Domain, SpfResult>
  readonly dmarc: Part<Domain, DmarcResult>
  readonly dkim: Part<Domain & { readonly selector: string }, DkimResult>
  readonly caa: Part<Domain, CaaResult>
  readonly tlsrpt: Part<Domain, TlsrptResult>
  readonly dnssec: Part<Anchored & { readonly name: string; readonly type: "SOA" }, DnssecResult>
  readonly dane: Part<Anchored & { readonly host: string }, DaneResult>
  readonly mtaSts: Part<Domain, MtaStsResult>
  readonly bimi: Part<Domain, BimiResult>
  readonly reverse: Part<{ readonly ip: string }, ReverseResult>
}
