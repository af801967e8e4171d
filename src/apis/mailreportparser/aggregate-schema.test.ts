/** The shape of reports against the XML Schema of RFC 9990. */
import { expect, test } from "bun:test"
import { SaxesParser } from "saxes"
import { type Content, type Shape, shape9990 } from "./aggregate-schema.ts"

test("has every element, number of times and value of the XML Schema of RFC 9990", async () => {
  const file = new URL("../../../test/data/dmarc-aggregate/dmarc-aggregate.xsd", import.meta.url)
  const types = await readSchema(await Bun.file(file).text())
  const expand = (type: string): Content => {
    if (/^(?:xs:string|langAttrString)$/.test(type)) return "text"
    if (type.startsWith("xs:")) return type === "xs:integer" ? "integer" : "decimal"
    const found = types.get(type)
    if (found === undefined) throw new Error(`the schema lacks ${type}`)
    if (found.values.length > 0) return found.values.toSorted()
    return withoutOrder({
      isOrdered: found.isOrdered,
      isOpen: found.isOpen,
      children: Object.fromEntries(
        [...found.elements].map(([name, { occurs, type: inner }]) => [name, [occurs, expand(inner)]]),
      ),
    })
  }
  const { report, record } = shape9990
  const ours: Shape = { ...report, children: { ...report.children, record: ["+", record] } }
  expect(sorted(ours)).toEqual(expand("feedback"))
})

/** A sequence of one element has no order. */
function withoutOrder({ children, isOrdered, isOpen }: Shape): Shape {
  const hasOrder = isOrdered === true && Object.keys(children).length > 1
  return { children, isOrdered: hasOrder, isOpen: isOpen === true }
}

function sorted(content: Content): Content {
  if (typeof content === "string") return content
  if (!("children" in content)) return content.toSorted()
  const children = Object.entries(content.children).map(
    ([name, [occurs, inner]]) => [name, [occurs, sorted(inner)]] as const,
  )
  return withoutOrder({ ...content, children: Object.fromEntries(children) })
}

interface SchemaType {
  readonly elements: Map<string, { readonly occurs: "1" | "?" | "*" | "+"; readonly type: string }>
  readonly values: string[]
  isOrdered: boolean
  isOpen: boolean
}

/** The types of an XML Schema, and its root element as one. */
async function readSchema(text: string): Promise<Map<string, SchemaType>> {
  const types = new Map<string, SchemaType>()
  let type: SchemaType | undefined
  const parser = new SaxesParser()
  parser.on(
    "opentag",
    ({ name, attributes: { name: named = "", minOccurs, maxOccurs, value = "", type: of } }) => {
      if (named !== "" && (name === "xs:element" ? of === undefined : /Type$/.test(name))) {
        type = { elements: new Map(), values: [], isOrdered: false, isOpen: false }
        types.set(named, type)
      } else if (name === "xs:element") {
        const isMany = maxOccurs === "unbounded"
        const occurs = minOccurs === "0" ? (isMany ? "*" : "?") : isMany ? "+" : "1"
        type?.elements.set(named, { occurs, type: of ?? "" })
      } else if (name === "xs:enumeration") type?.values.push(value)
      else if (type && name === "xs:sequence") type.isOrdered = true
      else if (type && name === "xs:any") type.isOpen = true
    },
  )
  parser.write(text).close()
  return types
}
