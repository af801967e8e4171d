import { html } from "./site.ts"

/** The darkest background that links stand on in the light theme, and the lightest one in the dark theme. */
const backgrounds = { light: "#ebebe5", dark: "#262b30" } as const
/** WCAG 2.2, 1.4.3. A little more, since colours are rounded to 8 bits. */
const minContrast = 4.6
const white = "#ffffff"
const black = "#0b0d12"

/**
 * The colours of the pages for an operator's colour, `#rrggbb`. It is made darker or lighter until text in it can be read on the
 * backgrounds of its theme, and text on it is white or black, whichever can be read better.
 */
export function toBrandColors(color: string) {
  return { light: themeOf(color, backgrounds.light, -1), dark: themeOf(color, backgrounds.dark, 1) }
}

/** White or black, whichever can be read better on a colour. */
function textOn(color: string): string {
  return contrast(color, white) >= contrast(color, black) ? white : black
}

/** The style sheet with the brand's colours, which every page loads. */
export function brandStyle({ light, dark }: ReturnType<typeof toBrandColors>): string {
  return `:root {
  --accent: light-dark(${light.accent}, ${dark.accent});
  --on-accent: light-dark(${light.onAccent}, ${dark.onAccent});
}
`
}

/** The icon, a knife on the operator's colour, as SVG. */
export function icon(color: string): string {
  const blade = textOn(color)
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${color}"/><path d="M8 21.5 21.5 8c1.6 3.8 1.2 7.3-1 9.500L14.500 23.500H8z" fill="${blade}"/><rect x="7" y="24.500" width="18" height="2" rx="1" fill="${blade}" opacity=".55"/></svg>
`.text
}

/** The brand colour of one theme, and the colour of text on it: both `#rrggbb`. */
function themeOf(color: string, background: string, step: 1 | -1) {
  for (let share = 0; share <= 100; share++) {
    const accent = shade(color, step, share)
    const onAccent = textOn(accent)
    // Marks have a background with a little of the colour itself.
    const grounds = [background, mix(background, accent, 0.12), onAccent]
    if (grounds.every((ground) => contrast(accent, ground) >= minContrast)) return { accent, onAccent }
  }
  throw new Error(`no readable colour for ${color}`)
}

/** The colour, a part of the way from its lightness to black or white. With a little less of its saturation it does not glare. */
function shade(color: string, step: 1 | -1, percent: number): string {
  if (percent === 0) return color
  const channels = channelsOf(color)
  const lightness = (Math.max(...channels) + Math.min(...channels)) / 5.1
  const target = step === 1 ? 100 : 0
  const shaded = lightness + (target - lightness) * (percent / 100)
  return Bun.color(`hsl(from ${color} h calc(s * ${1 - percent / 200}) ${shaded}%)`, "hex") ?? color
}

function mix(color: string, other: string, share: number): string {
  const others = channelsOf(other)
  const channels = channelsOf(color).map((channel, index) => {
    const mixed = Math.round(channel + ((others[index] ?? 0) - channel) * share)
    return mixed.toString(16).padStart(2, "0")
  })
  return `#${channels.join("")}`
}

/** The contrast of two colours, 1 to 21 (WCAG 2.2, contrast ratio). */
export function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

/** WCAG 2.2, relative luminance. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color).map((channel) => {
    const value = channel / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function channelsOf(color: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16))
}
