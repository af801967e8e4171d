/** The parts of mailauth that are used, which have no types of their own. */
type MailauthResolver = (name: string, type: string) => Promise<unknown[]>
/** Parts of an Authentication-Results field (RFC 8601 §2.2) by property type and property. */
interface MailauthStatus {
  result: string
  comment?: string | false | undefined
  smtp?: Readonly<Record<string, string | false>>
  header?: Readonly<Record<string, string | false>>
  policy?: Readonly<Record<string, string>>
  testing?: boolean
  underSized?: number
}
interface MailauthHeaders {
  readonly parsed: readonly { readonly key: string; readonly line: Buffer }[]
}
/** A field with tags, such as DKIM-Signature. */
interface MailauthSignatureField {
  /** The type DKIM or ARC. */
  type?: string
  /** Why it is reported as neutral without being checked. */
  skip?: string
  readonly original?: Buffer
  readonly parsed?: Readonly<Record<string, { readonly value?: unknown }>>
}

declare module "mailauth/lib/dkim/dkim-verifier.js" {
  interface SignatureResult {
    readonly signingDomain?: string
    readonly selector?: string
    readonly algo?: string
    readonly format?: string
    readonly status: MailauthStatus
    readonly signTime?: string | null
    readonly expiresAfter?: string | null
    readonly modulusLength?: number
    readonly canonBodyLengthLimit?: number
    readonly canonBodyLengthTotal?: number
    readonly signingHeaders?: { readonly keys: string; readonly canonicalizedHeader: string }
  }
  interface ArcLink {
    readonly i: number
    readonly "arc-seal"?: MailauthSignatureField
    readonly "arc-message-signature"?: MailauthSignatureField
    readonly "arc-authentication-results"?: MailauthSignatureField
    /** The result of the ARC-Message-Signature, which only the last set has. */
    readonly messageSignature?: SignatureResult
  }
  export interface ArcData {
    readonly chain: false | readonly ArcLink[]
    readonly error?: Error
  }
  export class DkimVerifier {
    constructor(options: { resolver: MailauthResolver; strict: boolean; curTime: Date })
    readonly headers: MailauthHeaders | false
    /** The addresses of the authors. */
    headerFrom: readonly string[]
    /** How many fields From there are. */
    readonly fromFields: number
    readonly results: readonly SignatureResult[]
    readonly arc: ArcData
    messageHeaders(headers: MailauthHeaders): Promise<void>
    prepareSignature(field: MailauthSignatureField): void
    verifySignature(field: MailauthSignatureField, fallback?: boolean): Promise<SignatureResult>
    writeAsync(chunk: Uint8Array): Promise<void>
    finish(): Promise<void>
  }
}

declare module "mailauth/lib/arc/index.js" {
  import type { ArcData } from "mailauth/lib/dkim/dkim-verifier.js"
  export function arc(
    data: ArcData,
    options: { resolver: MailauthResolver; strict: boolean },
  ): Promise<{ readonly status: MailauthStatus }>
}

declare module "mailauth/lib/dmarc/verify.js" {
  export function evaluateDmarc(options: {
    headerFrom: readonly string[]
    fromFields: number
    spfDomains: readonly string[]
    dkimDomains: readonly { readonly domain: string; readonly underSized?: number | undefined }[]
    arcResult: unknown
    resolver: MailauthResolver
    strict: boolean
  }): Promise<{
    readonly response:
      | false
      | {
          readonly status: MailauthStatus
          readonly domain: string
          readonly policyDomain?: string
          readonly policy?: string
          readonly testMode?: boolean
          readonly alignment?: { readonly spf: { readonly result?: string } }
        }
    /** The domains of signatures that are aligned. */
    readonly dkimAligned?: ReadonlySet<string>
    readonly reason?: string
  }>
}

declare module "mailauth/lib/tools.js" {
  /** One result of an Authentication-Results field, without the semicolon before it. */
  export function formatAuthHeaderRow(
    method: string,
    status: MailauthStatus,
    options: { strict: boolean },
  ): string
  /** A domain as it is compared. */
  export function formatDomain(domain: string): string
}
