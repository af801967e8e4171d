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
