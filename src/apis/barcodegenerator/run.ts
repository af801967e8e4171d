import bwip, { type RenderOptions } from "bwip-js/node"
import { type RunOf, reject } from "../contract.ts"
import type { barcodegenerator } from "./index.ts"
import { kindOf } from "./kinds.ts"
import { mistakeOf } from "./mistakes.ts"
import { prepare } from "./prepare.ts"

/** The most characters in bars. Longer barcodes would be pictures of hundreds of megabytes. */
const maxBars = 80

export const run: RunOf<typeof barcodegenerator> = async (input, { premium }) => {
  const { kind, show_text: showText = true, scale = 3 } = input
  const { name, sample, isLinear = false, hasCheck = false } = kindOf(kind)
  if (isLinear && (input.text.length > maxBars || Buffer.byteLength(input.text) > input.text.length))
    reject("text", `must have at most ${maxBars} characters of ASCII in a barcode of the kind '${kind}'`)
  const isNumber = hasCheck || sample.startsWith("(")
  const { text, parse } = isNumber ? await prepare(kind, input.text) : { text: input.text, parse: false }
  // bwip-js does not look for elements in less: it draws a barcode without any, or fails.
  if (isNumber && text.length < 2) reject("text", `must fit the kind '${kind}', such as ${sample}`)
  const options: RenderOptions = {
    bcid: name,
    text,
    parse,
    includetext: isLinear && showText,
    textxalign: "center",
    // Code 93 always has its check characters.
    includecheck: kind === "code93",
    // Readers need a background that is not transparent, and a white border. EAN-13 needs 11 times the thinnest bar.
    backgroundcolor: "FFFFFF",
    padding: 12,
  }
  try {
    const encoded = hasCheck ? encodedText(options) : parse ? input.text.trim() : text
    const svg = withSize(bwip.toSVG(options))
    const png = premium ? (await bwip.toBuffer({ ...options, scale })).toString("base64") : ""
    return { encoded, svg, png }
  } catch (error) {
    const mistake = mistakeOf(error, kind)
    if (mistake === null) throw error
    reject("text", mistake)
  }
}

/** The text below a barcode, which has the check digit. */
function encodedText(options: RenderOptions): string {
  const [bars] = bwip.raw({ ...options, includetext: true })
  const parts: unknown = bars && "txt" in bars ? bars.txt : []
  return Array.isArray(parts) ? parts.map(([letters]) => String(letters)).join("") : ""
}

/** The SVG with a width and a height in pixels. */
function withSize(svg: string): string {
  return svg.replace(/viewBox="0 0 (\S+) (\S+)"/, 'width="$1" height="$2" $&').trim()
}
