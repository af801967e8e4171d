import { SaxesParser, type SaxesTagNS } from "saxes"
import { explainXml } from "../../values/xml-mistake.ts"
import { reject } from "../contract.ts"

/** An element of XML with its children, without attributes. */
export interface Element {
  readonly name: string
  readonly namespace: string
  readonly children: Element[]
  text: string
}

/** A report nests six levels deep. Extensions may nest deeper. */
const maxDepth = 30
/** A record has some twenty elements, and should have at most a hundred signatures of five elements (RFC 9990). */
const maxElements = 2_000

/**
 * Reads XML 1.0 with namespaces. Each `record` below the root goes to `onRecord`, and is not kept. Returns the root without
 * records.
 * @param onStart gets the name of each child of the root as it begins
 * @throws InputRejected for `report`
 */
export function readXml(
  text: string,
  { onStart, onRecord }: { onStart(root: Element, name: string): void; onRecord(record: Element): void },
): Element {
  const parser = new SaxesParser({ xmlns: true })
  const refuse = (message: string): never =>
    reject(
      "report",
      `must be well-formed XML: in line ${parser.line}, column ${parser.column + 1}, ${message}`,
    )
  const open: Element[] = []
  let root: Element | undefined
  let count = 0

  parser.on("error", (error) => refuse(explainXml(error)))
  parser.on("doctype", () => refuse("there is a document type declaration, which no report needs"))
  parser.on("opentag", ({ local, uri }: SaxesTagNS) => {
    const element: Element = { name: local, namespace: uri, children: [], text: "" }
    if (root !== undefined && open.length === 1) onStart(root, local)
    root ??= element
    open.push(element)
    if (open.length > maxDepth) refuse(`there are elements in more than ${maxDepth} levels`)
    if (++count > maxElements)
      refuse(`there are more than ${maxElements} elements in a record, or outside of records`)
  })
  const addText = (part: string) => {
    const element = open.at(-1)
    if (element) element.text += part
  }
  parser.on("text", addText)
  parser.on("cdata", addText)
  parser.on("closetag", () => {
    const element = open.pop()
    const parent = open.at(-1)
    if (!element || !parent) return
    if (open.length === 1 && element.name === "record") {
      onRecord(element)
      count = 0
    } else parent.children.push(element)
  })
  parser.write(text).close()
  return root ?? refuse("there is no element")
}

/** The first child of a name. */
export function childOf(element: Element | undefined, name: string): Element | undefined {
  return element?.children.find((child) => child.name === name)
}

export function childrenOf(element: Element | undefined, name: string): readonly Element[] {
  return element?.children.filter((child) => child.name === name) ?? []
}
