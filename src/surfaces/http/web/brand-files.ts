import { brotliCompressSync, gzipSync } from "node:zlib"
import { assetName, type Brand, endingOf, type Picture } from "../../../config/brand.ts"
import { brandStyle, icon, toBrandColors } from "../../site/brand-look.ts"
import type { WebFile } from "./web-files.ts"

/** The colour of the icon where the operator has chosen none, as in the style sheet. */
const ownColor = "#0b6b5d"

/** The files with the operator's colour. */
export type BrandFiles = ReturnType<typeof createBrandFiles>

/** The icon in a browser's tab. */
export function faviconOf({ favicon, color }: Brand): Picture {
  return favicon ?? ownSign(color)
}

/** A knife on the operator's colour. */
function ownSign(color: string | null): Picture {
  return { type: "image/svg+xml", bytes: new TextEncoder().encode(icon(color ?? ownColor)) }
}

/** Makes the files with the operator's colour, compressed when they are asked for. */
export function createBrandFiles(brand: Brand) {
  const { color } = brand
  return {
    /** Null where the operator has chosen no colour: a browser would wait for an empty file before it paints. */
    style: color === null ? null : toFile("brand", "css", encode(brandStyle(toBrandColors(color)))),
    /** The icon in a browser's tab. */
    icon: toPictureFile("icon", faviconOf(brand)),
    /** The sign before the name on pages. */
    logo: brand.logo ? toPictureFile("logo", brand.logo) : toPictureFile("icon", ownSign(color)),
  }
}

const encode = (text: string) => new TextEncoder().encode(text)

function toPictureFile(stem: string, picture: Picture): WebFile {
  return toFile(stem, endingOf(picture), picture.bytes)
}

function toFile(stem: string, ending: string, bytes: Uint8Array<ArrayBuffer>): WebFile {
  return {
    name: assetName(stem, ending, bytes),
    imports: [],
    read: async (coding) => (coding === "br" ? brotliCompressSync(bytes) : gzipSync(bytes)),
  }
}
