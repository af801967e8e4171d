declare module "tr46" {
  /** UTS #46 ToASCII; null when the name fails. */
  export function toASCII(name: string, options: { checkBidi: boolean; checkJoiners: boolean }): string | null
  export function toUnicode(
    domainName: string,
    options?: { checkBidi: boolean; checkJoiners: boolean },
  ): { domain: string; error: boolean }
}
