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
