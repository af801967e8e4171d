import { textOn } from "./brand-colors.ts"
import { html } from "./html.ts"

/** The icon, a knife on the operator's colour, as SVG. */
export function icon(color: string): string {
  const blade = textOn(color)
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${color}"/><path d="M8 21.5 21.5 8c1.6 3.8 1.2 7.3-1 9.500L14.500 23.500H8z" fill="${blade}"/><rect x="7" y="24.500" width="18" height="2" rx="1" fill="${blade}" opacity=".55"/></svg>
`.text
}
