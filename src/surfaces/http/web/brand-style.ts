/** The part of a colour's contrast that WCAG 2.2 asks for text (1.4.3). */
const minContrast = 4.5
/** The backgrounds that the accent is read on; see src/web/styles/tokens.css. */
const light: Rgb = [255, 255, 255]
const dark: Rgb = [30, 33, 38]
const white: Rgb = [255, 255, 255]
const black: Rgb = [0, 0, 0]

type Rgb = readonly [number, number, number]

/**
 * The style sheet that gives the front end an operator's colour. Where the colour could not be read, it is made darker for light
 * pages and lighter for dark ones.
 * @param color `#rrggbb`; null keeps the colour of the style sheet
 */
export function printBrandStyle(color: string | null): string {
  const rgb = color === null ? null : parse(color)
  if (rgb === null) return ":root{}\n"
  const onLight = readable(rgb, light, black)
  const onDark = readable(rgb, dark, white)
  return `:root{color-scheme:light dark;--accent:light-dark(${print(onLight)},${print(onDark)});--on-accent:light-dark(${print(textOn(onLight))},${print(textOn(onDark))})}\n`
}

/** Mixes a colour with black or white until it can be read. */
function readable(color: Rgb, background: Rgb, towards: Rgb): Rgb {
  for (let part = 0; part < 1; part += 0.04) {
    const mixed = mix(color, towards, part)
    if (contrast(mixed, background) >= minContrast) return mixed
  }
  return towards
}

function textOn(color: Rgb): Rgb {
  return contrast(white, color) >= contrast(black, color) ? white : black
}

function mix(from: Rgb, to: Rgb, part: number): Rgb {
  const channel = (index: 0 | 1 | 2) => Math.round(from[index] + (to[index] - from[index]) * part)
  return [channel(0), channel(1), channel(2)]
}

function contrast(one: Rgb, other: Rgb): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** Relative luminance as WCAG 2.2 defines it. */
function luminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function parse(color: string): Rgb | null {
  const [, red, green, blue] = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(color) ?? []
  if (red === undefined || green === undefined || blue === undefined) return null
  return [Number.parseInt(red, 16), Number.parseInt(green, 16), Number.parseInt(blue, 16)]
}

function print(color: Rgb): string {
  return `#${color.map((value) => value.toString(16).padStart(2, "0")).join("")}`
}
