import type { RecordOf } from "../../contract.ts"
import { checkTlsa } from "./tlsa-check.ts"

/** A TLSA record, and whether clients can use it. */
export interface JudgedTlsa {
  readonly usage: number
  readonly selector: number
  readonly matchingType: number
  /** The certificate association data in hexadecimal. */
  readonly data: string
  /** The data as a zone file writes them. */
  readonly text: string
  /** Why clients cannot use it, in one or more sentences; null if they can. */
  readonly fault: string | null
}

/**
 * Whether clients can use a record whose signature is right. For mail between servers (`isMail`), RFC 7672 §3.1.3 leaves out the
 * usages 0 and 1; for other services, RFC 6698 §4.1 and RFC 7671 §4 allow for all four.
 */
export function judgeTlsa({ data, text }: RecordOf<"TLSA">, isMail: boolean): JudgedTlsa {
  const { usage, selector, matchingType } = data
  const { faults } = checkTlsa({ usage, selector, matching: matchingType, data: data.data })
  const isOfPublicCa = usage === 0 || usage === 1
  const sentences =
    isMail && isOfPublicCa
      ? [
          ...faults,
          `Mail servers do not use records of usage ${usage} (RFC 7672 §3.1.3): publish usage 3, or 2 for the certificate of a CA.`,
        ]
      : faults
  const fault = sentences.length === 0 ? null : sentences.join(" ")
  return { usage, selector, matchingType, data: data.data, text, fault }
}
