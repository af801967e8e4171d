import type { DnsType } from "../../apis/contract.ts"
import numbers from "./record-types.json"

type NamedType = Exclude<DnsType, `TYPE${number}`>

/** The numbers of the record types with a name of their own (IANA, "Resource Record (RR) TYPEs"). */
export const typeNumbers: Readonly<Record<NamedType, number>> = numbers

/** The number of the pseudo-record of EDNS (RFC 6891 §6.1.1). */
export const typeOpt = 41

const names: ReadonlyMap<number, DnsType> = new Map(
  // The table has no other keys.
  Object.entries(typeNumbers).map(([name, number]) => [number, name as NamedType]),
)

/** The name of a type: `MX`, or `TYPE61` for one without a name (RFC 3597 §5). */
export function typeNameOf(number: number): DnsType {
  return names.get(number) ?? `TYPE${number}`
}

/** The number of a type that can be asked for; null for any other text. */
export function typeNumberOf(type: string): number | null {
  if (Object.hasOwn(typeNumbers, type)) return typeNumbers[type as NamedType]
  const [, digits] = /^TYPE([1-9]\d{0,4})$/.exec(type) ?? []
  const number = Number(digits)
  return digits !== undefined && isDataType(number) ? number : null
}

/** Whether records of a type are data: not of EDNS, a question's own type, or reserved (RFC 6895 §3.1). */
function isDataType(number: number): boolean {
  return number !== typeOpt && !(number >= 128 && number <= 255) && number < 65_280
}
