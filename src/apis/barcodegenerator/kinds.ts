/** A kind of barcode as bwip-js draws it. */
interface Kind {
  /** Its name in bwip-js. */
  readonly name: string
  /** A text that fits, for documentation and error messages. */
  readonly sample: string
  /** Whether it is made of bars. Such barcodes hold at most 80 ASCII characters. */
  readonly isLinear?: true
  /** Whether a missing check digit is added to the text. */
  readonly hasCheck?: true
  /** How many digits it has with its check digit, if it is a number of one length. */
  readonly digits?: number
}

const bars = { isLinear: true } as const
const checked = { isLinear: true, hasCheck: true } as const

/** The kinds of barcodes, by the names of the parameter. Each can be read by zxing. */
export const kinds = {
  ean13: { name: "ean13", sample: "400638133393", digits: 13, ...checked },
  ean8: { name: "ean8", sample: "9638507", digits: 8, ...checked },
  upca: { name: "upca", sample: "03600029145", digits: 12, ...checked },
  upce: { name: "upce", sample: "0123456", digits: 8, ...checked },
  isbn: { name: "isbn", sample: "978-3-16-148410-0", ...checked },
  issn: { name: "issn", sample: "0311-175X", ...checked },
  ismn: { name: "ismn", sample: "979-0-2605-3211-3", ...checked },
  ean14: { name: "ean14", sample: "(01)0952123454321", digits: 14, ...checked },
  sscc18: { name: "sscc18", sample: "(00)00614141123456789", digits: 18, ...checked },
  itf14: { name: "itf14", sample: "1540014128876", digits: 14, ...checked },
  code128: { name: "code128", sample: "Count01234567!", ...bars },
  gs1_128: { name: "gs1-128", sample: "(01)09521234543213(10)ABC", ...bars },
  code39: { name: "code39", sample: "CODE-39", ...bars },
  code39ext: { name: "code39ext", sample: "Code 39!", ...bars },
  code93: { name: "code93", sample: "CODE 93", ...bars },
  codabar: { name: "rationalizedCodabar", sample: "A40156B", ...bars },
  interleaved2of5: { name: "interleaved2of5", sample: "2401234567", ...bars },
  code32: { name: "code32", sample: "01234567", digits: 9, ...checked },
  databar_omni: { name: "databaromni", sample: "(01)24012345678905", digits: 14, ...bars },
  databar_stacked: { name: "databarstackedomni", sample: "(01)24012345678905", digits: 14, ...bars },
  databar_limited: { name: "databarlimited", sample: "(01)15012345678907", digits: 14, ...bars },
  databar_expanded: { name: "databarexpanded", sample: "(01)09521234543213", ...bars },
  databar_expanded_stacked: { name: "databarexpandedstacked", sample: "(01)09521234543213(10)ABC", ...bars },
  datamatrix: { name: "datamatrix", sample: "any text" },
  gs1_datamatrix: { name: "gs1datamatrix", sample: "(01)09521234543213(10)ABC" },
  aztec: { name: "azteccode", sample: "any text" },
  pdf417: { name: "pdf417", sample: "any text" },
  micropdf417: { name: "micropdf417", sample: "a short text" },
  microqr: { name: "microqrcode", sample: "12345" },
  maxicode: { name: "maxicode", sample: "a short text" },
} as const satisfies Readonly<Record<string, Kind>>

export type KindName = keyof typeof kinds

export const kindNames = Object.keys(kinds) as [KindName, ...KindName[]]

/** How a kind is drawn. */
export function kindOf(name: KindName): Kind {
  return kinds[name]
}
