import { type Element, elementsOf } from "../../values/der.ts"

const tags = { otherName: 0xa0, ip: 0x87 }
/** Names that are texts of ASCII. The library takes half a millisecond for each. */
const texts: Readonly<Record<number, string>> = { 129: "email", 130: "dns", 134: "url" }
/** The names of RFC 5280 §4.2.1.6 that have no text. Their value is shown in hexadecimal digits. */
const withoutText: Readonly<Record<number, string>> = { 160: "other", 163: "x400", 165: "edi_party" }

/**
 * Reads each name of subjectAltName by itself, so that one that cannot be read does not take the others away. `mistake` is the
 * fault of a name, as the end of a sentence; null if there is none.
 * @param value the value of the extension, in DER
 * @throws RangeError if it is not DER
 */
export async function readAltNames(value: Uint8Array<ArrayBuffer>) {
  const { GeneralName } = await import("@peculiar/x509")
  const [list] = elementsOf(value)
  return elementsOf(list?.content ?? value).map((name) => {
    const hex = Buffer.from(name.content).toString("hex")
    const text = texts[name.tag]
    if (text !== undefined) {
      const mistake = name.content.some((byte) => byte > 0x7f)
        ? "has a name with characters beyond ASCII"
        : null
      return { type: text, value: Buffer.from(name.content).toString("latin1"), mistake }
    }
    if (name.tag === tags.ip && ![4, 16].includes(name.content.length))
      return {
        type: "ip",
        value: hex,
        mistake: `has an address of ${name.content.length} bytes, not 4 or 16`,
      }
    try {
      const { type, value } = new GeneralName(name.whole).toJSON()
      return { type, value: String(value), mistake: null }
    } catch {
      const type = withoutText[name.tag]
      if (type !== undefined && isWellFormed(name)) return { type, value: hex, mistake: null }
      return { type: type ?? "unknown", value: hex, mistake: "has a name that cannot be read" }
    }
  })
}

/** Whether it is made of elements; an otherName is a type and a value under [0]. */
function isWellFormed({ tag, content }: Element): boolean {
  try {
    const parts = elementsOf(content).map((one) => one.tag)
    return tag !== tags.otherName || Bun.deepEquals(parts, [0x06, tags.otherName])
  } catch {
    return false
  }
}
