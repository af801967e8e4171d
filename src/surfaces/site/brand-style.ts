import type { BrandColors } from "./brand-colors.ts"

/** The style sheet with the brand's colours, which every page loads. */
export function brandStyle({ light, dark }: BrandColors): string {
  return `:root {
  --accent: light-dark(${light.accent}, ${dark.accent});
  --on-accent: light-dark(${light.onAccent}, ${dark.onAccent});
}
`
}
