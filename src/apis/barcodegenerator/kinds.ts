import kinds from "./kinds.json"

/** A kind of barcode as bwip-js draws it. */
interface Kind {
  /** A text that fits, for documentation and error messages. */
  readonly sample: string
  /** Whether it is made of bars. Such barcodes hold at most 80 ASCII characters. */
  readonly isLinear?: boolean
  /** Whether a missing check digit is added to the text. */
  readonly hasCheck?: boolean
  /** How many digits it has with its check digit, if it is a number of one length. */
  readonly digits?: number
}

/** The names of the parameter. Each kind can be read by zxing. */
export type KindName = keyof typeof kinds

export const kindNames = Object.keys(kinds) as [KindName, ...KindName[]]

/** How a kind is drawn. */
export function kindOf(name: KindName): Kind {
  return kinds[name]
}
