import { explainXml } from "../../values/xml-mistake.ts"
import { type BimiCode, type BimiProblem, problem } from "./bimi-problems.ts"
import profile from "./svg-profile.json"

/** The allowed values of each attribute that has a list of them. The others may be any text. */
export const attributeValues: Readonly<Record<string, readonly string[]>> = profile.values

/** The only forms of `preserveAspectRatio`. */
const aspectRatio = /^\s*(?:none|xMidYMid)(?:\s*meet)?\s*$/

interface StoredRule {
  /** Names of groups of attributes. */
  readonly groups: readonly string[]
  /** Further attributes. */
  readonly attributes: readonly string[]
  readonly children?: readonly string[]
  readonly hasText?: boolean
}

interface ElementRule {
  readonly attributes: ReadonlySet<string>
  /** The elements that it may hold. */
  readonly children: ReadonlySet<string>
  readonly hasText: boolean
}

const groups: Readonly<Record<string, readonly string[]>> = profile.groups

/** Every element of the profile. */
export const elements: ReadonlyMap<string, ElementRule> = new Map(
  Object.entries<StoredRule>(profile.elements).map(([name, rule]) => [
    name,
    {
      attributes: new Set([...rule.groups.flatMap((group) => groups[group] ?? []), ...rule.attributes]),
      children: new Set(rule.children),
      hasText: rule.hasText ?? false,
    },
  ]),
)

const svgNamespace = "http://www.w3.org/2000/svg"
const xlinkNamespace = "http://www.w3.org/1999/xlink"
const longestBytes = 32_768
const maxProblems = 50
const maxDepth = 100
/** Elements that run something or change by themselves. */
const running = /^(?:script|handler|listener|animate\w*|set|discard|foreignObject|iframe)$/i

/**
 * Checks a logo (draft-svg-tiny-ps-abrotman). It is read once, without entities, and never drawn.
 * @param text of at most 65,536 characters
 * @returns the title of the logo, and its parts that the profile does not allow
 */
export async function checkSvg(text: string) {
  const { SaxesParser } = await import("saxes")
  const found = createFindings()
  if (Buffer.byteLength(text) > longestBytes)
    found.add("svg_size", "svg", `The logo has ${Buffer.byteLength(text)} bytes.`)
  const parser = new SaxesParser({ xmlns: true, position: true })
  const path: string[] = []
  let isWhole = true
  let title: string | null = null
  let titles = 0
  let children = 0
  const stop = (code: BimiCode, message: string): never => {
    found.add(code, "svg", message)
    throw new Unreadable()
  }
  parser.on("error", (error) =>
    stop("svg_xml", `The logo is not well-formed XML: in line ${parser.line}, ${explainXml(error)}.`),
  )
  parser.on("doctype", () => stop("svg_doctype", "The logo has a document type declaration."))
  parser.on("opentag", ({ name, local, uri, attributes }) => {
    const parent = path.at(-1)
    const line = `line ${parser.line}`
    const isTitle = path.length === 1 && local === "title"
    if (path.length === 1) children++
    if (isTitle) {
      titles++
      title ??= ""
      if (children > 1 && titles === 1) found.add("svg_title", line, "The title is not the first element.")
    }
    const own = uri === svgNamespace ? local : name
    checkElement(own, parent, uri, line, found)
    checkAttributes(own, Object.values(attributes), line, found)
    if (path.length === 0) checkRoot({ name: own, uri }, attributes, found)
    path.push(own)
    // The parser looks for a namespace in all elements above.
    if (path.length > maxDepth) stop("svg_element", `The elements are nested more than ${maxDepth} deep.`)
  })
  const addText = (part: string) => {
    const parent = path.at(-1)
    if (path.length === 2 && parent === "title" && title !== null && titles === 1) title += part
    const rule = elements.get(parent ?? "")
    if (rule && !rule.hasText && part.trim() !== "")
      found.add("svg_element", `line ${parser.line}`, `The element ${parent} cannot have text.`)
  }
  parser.on("text", addText)
  parser.on("cdata", addText)
  parser.on("processinginstruction", ({ target }) => {
    found.add("svg_reference", `line ${parser.line}`, `There is a processing instruction ${shown(target)}.`)
  })
  parser.on("closetag", () => path.pop())
  try {
    parser.write(text).close()
  } catch (thrown) {
    if (!(thrown instanceof Unreadable)) throw thrown
    isWhole = false
  }
  const read: string | null = title
  if (isWhole) {
    if (titles === 0 || (read ?? "").trim() === "") found.add("svg_title", "svg", "The logo has no title.")
    if (titles > 1) found.add("svg_title", "svg", `The logo has ${titles} titles.`)
  }
  return { title: read, problems: found.all() }
}

/** Ends the reading of a logo whose problem is noted. */
class Unreadable extends Error {
  override readonly name = "Unreadable"
}

type Findings = ReturnType<typeof createFindings>

/** Keeps the first problems, and counts the others. */
function createFindings() {
  const problems: BimiProblem[] = []
  let more = 0
  return {
    add(code: BimiCode, where: string, message: string) {
      if (problems.length < maxProblems) problems.push(problem(code, where, message))
      else more++
    },
    all: () => (more === 0 ? problems : [...problems, problem("more", "svg", `${more} more are left out.`)]),
  }
}

/** Names of strangers' elements and attributes may be long. */
const shown = (name: string) => (name.length > 60 ? `${name.slice(0, 60)}…` : name)

function checkElement(name: string, parent: string | undefined, uri: string, line: string, found: Findings) {
  if (running.test(name.replace(/^.*:/, ""))) {
    found.add("svg_script", line, `The element ${shown(name)} is not allowed.`)
    return
  }
  if (parent === undefined) return
  const isKnown = uri === svgNamespace && elements.has(name)
  const holder = elements.get(parent)
  if (!isKnown) found.add("svg_element", line, `The profile has no element ${shown(name)}.`)
  else if (holder && !holder.children.has(name))
    found.add("svg_element", line, `The element ${name} cannot be in ${parent}.`)
}

interface Attribute {
  readonly name: string
  readonly prefix: string
  readonly local: string
  readonly uri: string
  readonly value: string
}

function checkAttributes(element: string, attributes: readonly Attribute[], line: string, found: Findings) {
  const rule = elements.get(element)
  for (const { prefix, local, uri, value } of attributes) {
    if (prefix === "xmlns" || (prefix === "" && local === "xmlns")) continue
    const name = uri === xlinkNamespace ? `xlink:${local}` : prefix === "" ? local : `${prefix}:${local}`
    const place = `The attribute ${shown(name)} of ${shown(element)}`
    if (/^on/i.test(local) || /^\s*javascript:/i.test(value)) {
      found.add("svg_script", line, `${place} runs a script.`)
      continue
    }
    const isReference = local === "href" || name === "xml:base" || local === "src"
    if ((isReference && !/^\s*#/.test(value)) || /url\((?!["']?#)/i.test(value))
      found.add("svg_reference", line, `${place} refers to something outside of the logo.`)
    if (!rule) continue
    const values = attributeValues[name]
    if (!rule.attributes.has(name)) found.add("svg_attribute", line, `${place} is not in the profile.`)
    else if (name === "preserveAspectRatio" && !aspectRatio.test(value))
      found.add("svg_value", line, `${place} must be none or xMidYMid, with or without meet.`)
    else if (values && !values.includes(value.trim()))
      found.add(
        "svg_value",
        line,
        `${place} must be ${values.length > 8 ? "one of its values" : values.join(", ")}.`,
      )
  }
}

function checkRoot(
  { name, uri }: { readonly name: string; readonly uri: string },
  attributes: Readonly<Record<string, Attribute>>,
  found: Findings,
): void {
  const textOf = (attribute: string) => attributes[attribute]?.value ?? null
  if (name !== "svg" || uri !== svgNamespace) {
    found.add("svg_root", "svg", "The root must be an svg in the namespace of SVG.")
    return
  }
  for (const [attribute, value] of [
    ["version", "1.2"],
    ["baseProfile", "tiny-ps"],
  ] as const)
    if (textOf(attribute) === null)
      found.add("svg_root", "svg", `The root must have ${attribute}="${value}".`)
  for (const side of ["width", "height"])
    if (textOf(side)?.trim().endsWith("%"))
      found.add("svg_relative_size", "svg", `The ${side} is a percentage; give pixels, or leave it out.`)
  const [, , width, height] = (textOf("viewBox") ?? "")
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  if (!width || !(width > 0) || width !== height)
    found.add("svg_view_box", "svg", "The viewBox must have four numbers, of which the last two are equal.")
}
