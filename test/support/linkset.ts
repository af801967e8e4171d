/** A target of a link with the attributes that {@link parseLinkset} checks. */
interface LinkTarget {
  readonly href: string
  readonly type?: string
}

/** The links of one context: targets by relation. */
interface LinkContext {
  readonly anchor: string
  readonly relations: ReadonlyMap<string, readonly LinkTarget[]>
}

/** Relations of the IANA registry (RFC 8288 §2.1.1) that documents of APIs use. Any other one must be a URI. */
const registered = new Set(
  "alternate api-catalog collection describedby item license service-desc service-doc service-meta status".split(
    " ",
  ),
)

/**
 * Reads a set of links in JSON as strictly as RFC 9264 §4.2 allows. It shares nothing with what writes the document.
 * @throws Error that names the place of what is not allowed
 */
export function parseLinkset(text: string): readonly LinkContext[] {
  const { linkset, ...others } = asObject(JSON.parse(text), "the document")
  // §4.2.1: "linkset" is the sole member.
  if (Object.keys(others).length > 0) fail("the document", "has other members than 'linkset'")
  return asArray(linkset, "linkset").map((value, index) => toContext(value, `linkset[${index}]`))
}

function toContext(value: unknown, place: string): LinkContext {
  const { anchor, ...members } = asObject(value, place)
  const relations = new Map<string, readonly LinkTarget[]>()
  for (const [name, targets] of Object.entries(members)) {
    if (!registered.has(name) && !URL.canParse(name)) fail(place, `has the unknown relation '${name}'`)
    const list = asArray(targets, `${place}.${name}`)
    if (list.length === 0) fail(`${place}.${name}`, "has no target")
    relations.set(
      name,
      list.map((target, index) => toTarget(target, `${place}.${name}[${index}]`)),
    )
  }
  if (relations.size === 0) fail(place, "has no link")
  return { anchor: asReference(anchor, `${place}.anchor`), relations }
}

/** §4.2.4: the attributes of RFC 8288 have texts, "hreflang" a list of them; all others are lists. */
function toTarget(value: unknown, place: string): LinkTarget {
  const { href, type, ...attributes } = asObject(value, place)
  for (const [name, attribute] of Object.entries(attributes)) {
    if (name === "media" || name === "title") asText(attribute, `${place}.${name}`)
    else if (name === "rel" || name === "anchor" || name === "rev") fail(place, `must have no '${name}'`)
    else asArray(attribute, `${place}.${name}`)
  }
  const target = { href: asReference(href, `${place}.href`) }
  if (type === undefined) return target
  const mediaType = asText(type, `${place}.type`)
  if (!/^[\w.+-]+\/[\w.+-]+(;[\w-]+=[\w.-]+)*$/.test(mediaType)) fail(`${place}.type`, "is no media type")
  return { ...target, type: mediaType }
}

function asReference(value: unknown, place: string): string {
  const text = asText(value, place)
  if (!URL.canParse(text, "https://base.example") || /[\s<>"{}|\\^`]/.test(text))
    fail(place, "is no URI reference")
  return text
}

const asText = (value: unknown, place: string): string =>
  typeof value === "string" && value !== "" ? value : fail(place, "is no text")

const asArray = (value: unknown, place: string): readonly unknown[] =>
  Array.isArray(value) ? value : fail(place, "is no array")

function asObject(value: unknown, place: string): Readonly<Record<string, unknown>> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
  return isObject ? (value as Record<string, unknown>) : fail(place, "is no object")
}

function fail(place: string, problem: string): never {
  throw new Error(`${place} ${problem}`)
}
