import { brotliCompressSync, gzipSync } from "node:zlib"
import { brandStyle, icon, toBrandColors } from "../../site/brand-look.ts"
import { bothCodings, type WebFile } from "./web-files.ts"

/** How the operator's service presents itself. */
export interface Brand {
  /** Its name. */
  readonly title: string
  /** Such as `#0b6b5d`; null for the colour of the style sheet. */
  readonly color: string | null
}

/** The colour of the icon where the operator has chosen none: that of the style sheet. */
const ownColor = "#0b6b5d"

/** The files with the operator's colour. */
export interface BrandFiles {
  /** Null where the operator has chosen no colour: a browser would wait for an empty file before it paints. */
  readonly style: WebFile | null
  readonly icon: WebFile
}

/** The colour of the service's icon. */
export function iconColor({ color }: Brand): string {
  return color ?? ownColor
}

/** Makes the files with the operator's colour, compressed when they are asked for. */
export function createBrandFiles(brand: Brand): BrandFiles {
  const { color } = brand
  return {
    style: color === null ? null : toFile("brand", "css", brandStyle(toBrandColors(color))),
    icon: toFile("icon", "svg", icon(iconColor(brand))),
  }
}

function toFile(stem: string, ending: string, text: string): WebFile {
  const bytes = new TextEncoder().encode(text)
  const hash = new Bun.CryptoHasher("sha256").update(bytes).digest("hex").slice(0, 8)
  return {
    name: `${stem}-${hash}.${ending}`,
    imports: [],
    codings: bothCodings,
    read: async (coding) => (coding === "br" ? brotliCompressSync(bytes) : gzipSync(bytes)),
  }
}
