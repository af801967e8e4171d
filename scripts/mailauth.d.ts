/** The part of mailauth that finds DMARC records, which has no types. */
declare module "mailauth/lib/dmarc/get-dmarc-record.js" {
  type Resolver = (name: string, type: string) => Promise<unknown[]>
  type Tags = Readonly<Record<string, string>>
  export function createRecordLookup(resolver: Resolver): unknown
  export function discoverPolicy(
    domain: string,
    lookup: unknown,
  ): Promise<{ record: Tags | false; recordDomain: string | null; orgDomain: string }>
  export function getPolicyTags(record: Tags): { p: string; sp?: string; np?: string } | null
  export function domainExists(domain: string, resolver: Resolver): Promise<boolean>
}

/** The part of mailauth that reads policies of MTA-STS, which has no types. */
declare module "mailauth/lib/mta-sts.js" {
  export interface Policy {
    readonly mode: string
    readonly maxAge: number
    readonly mx?: readonly string[]
  }
  /** Throws for a policy that does not count. */
  export function parsePolicy(file: string, options: { readonly strict: boolean }): Policy
  export function validateMx(host: string, policy: Policy): { readonly valid: boolean }
}
