import registry from "./registry.json"

/** How the IBANs of a country are built, after the IBAN registry of SWIFT (ISO 13616-2). */
export interface IbanCountry {
  readonly name: string
  /** The parts of the BBAN as the registry writes them: `4!n` is four digits, `a` upper-case letters, `c` both. */
  readonly structure: string
  /** How many characters the IBAN has. */
  readonly length: number
  /** The end of the identifiers of bank and branch in the BBAN, and where they start; null where the registry names none. */
  readonly bank: Range | null
  readonly branch: Range | null
  /** Each character of the BBAN: `n`, `a` or `c`. */
  readonly kinds: string
}

type Range = readonly [start: number, end: number]

/** The month of the registry. */
export const registryDate = registry.date

const countries: ReadonlyMap<string, IbanCountry> = new Map(
  registry.countries.map(([code = "", name = "", structure = "", bank = "", branch = ""]) => {
    const kinds = structure.replace(/(\d+)!([nac])/g, (_part, count, kind) => kind.repeat(Number(count)))
    const country = {
      name,
      structure,
      length: kinds.length + 4,
      bank: toRange(bank),
      branch: toRange(branch),
    }
    return [code, { ...country, kinds }]
  }),
)

/** The country of an IBAN; null for a code that is not in the registry. */
export function ibanCountry(code: string): IbanCountry | null {
  return countries.get(code) ?? null
}

/** `1-4` becomes `[0, 4]`. */
function toRange(text: string): Range | null {
  const [from, to] = text.split("-").map(Number)
  return from && to ? [from - 1, to] : null
}
