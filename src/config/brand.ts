import { readFileSync, statSync } from "node:fs"
import type { Config } from "./load.ts"
import { ConfigError, settingOfFile } from "./setting-name.ts"

/** How the operator's service presents itself, on pages, in documents and in mails. */
export interface Brand {
  /** Its name. */
  readonly title: string
  /** Such as `#0b6b5d`; null for the colour of the style sheet. */
  readonly color: string | null
  /** Null for the usual sign, a knife in the colour. */
  readonly logo: Picture | null
  /** In a browser's tab; null for the usual sign. */
  readonly favicon: Picture | null
}

/** A picture of the operator. */
export interface Picture {
  readonly type: "image/svg+xml" | "image/png"
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Pages show the logo first of all, so it must be there at once. */
const maxPictureBytes = 131_072
/** Pixels of a PNG, wide and high: a browser needs 16 MB of memory for it. */
const maxPixels = 2_048

/**
 * The brand of a configuration, with its pictures.
 * @throws ConfigError for a picture that cannot be used
 */
export function readBrand(
  config: Pick<Config, "title" | "brandColor" | "logo" | "favicon" | "origins" | "file">,
): Brand {
  const { title, brandColor, logo, favicon } = config
  const picture = logo === null ? null : readPicture(settingOfFile(config, "logo", logo), logo)
  return {
    title,
    color: brandColor,
    logo: picture,
    favicon: favicon === null ? picture : readPicture(settingOfFile(config, "favicon", favicon), favicon),
  }
}

/** The path of the operator's logo at a service; null without one. */
export function logoPath({ logo }: Pick<Brand, "logo">): string | null {
  return logo && `/assets/${assetName("logo", endingOf(logo), logo.bytes)}`
}

/** The name of a file that browsers keep for good: it changes with the bytes. */
export function assetName(stem: string, ending: string, bytes: Uint8Array): string {
  const hash = new Bun.CryptoHasher("sha256").update(bytes).digest("hex").slice(0, 8)
  return `${stem}-${hash}.${ending}`
}

/** The ending of a picture's file. */
export function endingOf({ type }: Picture): string {
  return type === "image/png" ? "png" : "svg"
}

function readPicture(setting: string, file: string): Picture {
  const bytes = readBounded(setting, file)
  const picture = toPicture(bytes)
  if (typeof picture === "string") throw new ConfigError(`${setting} ${picture}.`)
  return picture
}

function readBounded(setting: string, file: string): Uint8Array<ArrayBuffer> {
  try {
    if (statSync(file).size <= maxPictureBytes) return new Uint8Array(readFileSync(file))
  } catch {
    throw new ConfigError(`${setting} cannot be read.`)
  }
  throw new ConfigError(`${setting} has more than ${maxPictureBytes} bytes. Choose a smaller picture.`)
}

const pngStart = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

/** The picture in a file, or what keeps it from being used, as the end of a sentence. */
export function toPicture(bytes: Uint8Array<ArrayBuffer>): Picture | string {
  if (pngStart.every((byte, index) => bytes[index] === byte)) {
    // The first chunk holds width and height (PNG, 11.2.1).
    if (bytes.length < 33) return "is cut short"
    const view = new DataView(bytes.buffer, bytes.byteOffset)
    const isSmall = [view.getUint32(16), view.getUint32(20)].every((size) => size > 0 && size <= maxPixels)
    return isSmall ? { type: "image/png", bytes } : `must be at most ${maxPixels} pixels wide and high`
  }
  const text = new TextDecoder().decode(bytes)
  if (
    !/^\ufeff?\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--[\s\S]*?-->\s*)*<svg[\s>]/.test(text) ||
    !/<\/svg>\s*$/.test(text)
  )
    return "is neither an SVG nor a PNG picture"
  const found = forbidden.find(([form]) => form.test(text))
  return found ? `must not have ${found[1]}: a picture needs none` : { type: "image/svg+xml", bytes }
}

/**
 * Parts that run or load something. The check tells the operator that such a picture would not look as meant. The policy that an
 * SVG is sent with keeps it from running anything.
 */
const forbidden: readonly (readonly [form: RegExp, name: string])[] = [
  [/<!(?:DOCTYPE|ENTITY)/i, "a document type"],
  [/<(?:\w+:)?script/i, "a script"],
  [/<(?:\w+:)?(?:foreignObject|iframe|embed|object)\b/i, "other documents in it"],
  [/\son\w+\s*=/i, "scripts in attributes"],
  [/javascript:/i, "addresses that run scripts"],
  [/\b(?:href|src)\s*=\s*["']?\s*(?!#|data:image\/|["'\s]|$)/i, "links to other files"],
  [/url\(\s*["']?\s*(?!#|data:image\/|["'\s])|@import/i, "links to other files"],
]
