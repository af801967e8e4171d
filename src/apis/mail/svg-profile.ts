/**
 * The profile of logos, SVG Tiny Portable/Secure (draft-svg-tiny-ps-abrotman), with the elements, attributes and values of the
 * schema that the BIMI group publishes for it.
 */

const words = (text: string) => text.split(" ")

/** What each attribute with a list of values may be. The others may be any text. */
export const attributeValues: Readonly<Record<string, readonly string[]>> = {
  "fill-rule": words("inherit nonzero evenodd"),
  "stroke-linecap": words("butt round square inherit"),
  "stroke-linejoin": words("miter round bevel inherit"),
  "color-rendering": words("auto optimizeSpeed optimizeQuality inherit"),
  "vector-effect": words("none non-scaling-stroke inherit"),
  direction: words("ltr rtl inherit"),
  "unicode-bidi": words("normal embed bidi-override inherit"),
  "display-align": words("auto before center after inherit"),
  "font-style": words("normal italic oblique inherit"),
  "font-variant": words("normal small-caps inherit"),
  "font-weight": words("normal bold bolder lighter inherit"),
  "text-anchor": words("start middle end inherit"),
  "text-align": words("start center end inherit"),
  "xml:space": words("default preserve"),
  baseProfile: ["tiny-ps"],
  version: ["1.2"],
  externalResourcesRequired: ["false"],
  focusable: ["false"],
  playbackOrder: ["all"],
  snapshotTime: ["none"],
  timelineBegin: ["onLoad"],
  zoomAndPan: ["disable"],
  visibility: words("visible hidden collapse inherit"),
  "image-rendering": words("auto optimizeSpeed optimizeQuality inherit"),
  "shape-rendering": words("auto optimizeSpeed crispEdges geometricPrecision inherit"),
  "text-rendering": words("auto optimizeSpeed optimizeLegibility geometricPrecision inherit"),
  "buffered-rendering": words("auto dynamic static inherit"),
  gradientUnits: words("userSpaceOnUse objectBoundingBox"),
  editable: ["none"],
  display: words(
    "inline block list-item run-in compact marker table inline-table table-row-group table-header-group table-footer-group table-row table-column-group table-column table-cell table-caption none inherit",
  ),
}

/** The only forms of `preserveAspectRatio`. */
export const aspectRatio = /^\s*(?:none|xMidYMid)\s*(?:meet)?\s*$/

/** Attributes of every element but `metadata`. */
const core = words(
  "about class content datatype id property rel resource rev role typeof xml:base xml:id xml:lang xml:space",
)
const painting = words(
  "color color-rendering direction display-align fill fill-opacity fill-rule font-family font-size font-style font-variant font-weight line-increment solid-color solid-opacity stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width text-align text-anchor unicode-bidi vector-effect",
)
const conditional = words("requiredFonts systemLanguage transform")
const media = words(
  "buffered-rendering display image-rendering shape-rendering text-rendering viewport-fill viewport-fill-opacity visibility",
)

const shapes = words(
  "path rect circle line ellipse polyline polygon solidColor textArea linearGradient radialGradient text g defs use",
)

interface ElementRule {
  readonly attributes: ReadonlySet<string>
  /** The elements that it may hold. */
  readonly children: ReadonlySet<string>
  readonly hasText: boolean
}

function rule(
  groups: readonly (readonly string[])[],
  own = "",
  {
    children = [],
    hasText = false,
  }: { readonly children?: readonly string[]; readonly hasText?: boolean } = {},
): ElementRule {
  return {
    attributes: new Set([...groups.flat(), ...(own === "" ? [] : words(own))]),
    children: new Set(children),
    hasText,
  }
}

const plain = [core, painting]
const drawn = [core, painting, conditional]

/** Every element of the profile. */
export const elements: ReadonlyMap<string, ElementRule> = new Map([
  [
    "svg",
    rule(
      plain,
      "baseProfile contentScriptType externalResourcesRequired focusable height playbackOrder preserveAspectRatio snapshotTime timelineBegin version viewBox width zoomAndPan",
      { children: ["title", "desc", "metadata", ...shapes] },
    ),
  ],
  ["title", rule([core, media], "requiredFonts systemLanguage", { hasText: true })],
  ["desc", rule([core, media], "requiredFonts systemLanguage", { hasText: true })],
  ["metadata", rule([], "", { hasText: true })],
  ["g", rule(drawn, "", { children: shapes })],
  ["defs", rule(plain, "", { children: shapes })],
  ["path", rule(drawn, "d pathLength")],
  ["rect", rule(drawn, "height rx ry width x y")],
  ["circle", rule(drawn, "cx cy r")],
  ["line", rule(drawn, "x1 x2 y1 y2")],
  ["ellipse", rule(drawn, "cx cy rx ry")],
  ["polyline", rule(drawn, "points")],
  ["polygon", rule(drawn, "points")],
  ["use", rule(drawn, "href xlink:href x y")],
  ["solidColor", rule(plain)],
  ["stop", rule(plain, "offset")],
  ["linearGradient", rule(plain, "gradientUnits x1 x2 y1 y2", { children: ["stop"] })],
  ["radialGradient", rule(plain, "cx cy gradientUnits r", { children: ["stop"] })],
  ["text", rule(drawn, "editable rotate x y", { hasText: true })],
  ["textArea", rule(drawn, "height width x y", { hasText: true })],
])
