import { encodeCsvItems } from "./csv.ts"
import type { Envelope, ListPart } from "./envelope.ts"
import { encodeEnvelope, type Format } from "./formats.ts"
import { encodeJsonItems } from "./json.ts"
import { encodeXmlItems } from "./xml.ts"
import { encodeYamlItems, toYamlScalar } from "./yaml.ts"

/** How a list is written as the last member of `data`. */
interface ListForm {
  readonly begin: (name: string) => string
  readonly items: (part: ListPart) => string
  /** How many items are written at a time: more where each takes less. */
  readonly itemsPerPart: number
  readonly close: string
  /** What an envelope ends with after the last member of `data`. */
  readonly end: string
}

const forms: Readonly<Record<Format, ListForm>> = {
  json: {
    begin: (name) => `,${JSON.stringify(name)}:[`,
    items: encodeJsonItems,
    itemsPerPart: 8,
    close: "]",
    end: "}}",
  },
  xml: { begin: () => "", items: encodeXmlItems, itemsPerPart: 1, close: "", end: "</data></response>" },
  yaml: {
    begin: (name) => `  ${toYamlScalar(name)}:\n`,
    items: encodeYamlItems,
    itemsPerPart: 1,
    close: "",
    end: "",
  },
  csv: { begin: () => "", items: encodeCsvItems, itemsPerPart: 1, close: "", end: "" },
}

/**
 * The text of {@link encodeEnvelope} in parts, so that whoever puts it together can let other work in between. A part is
 * an item or a few of the list that `data` ends with; an envelope of another shape is one part.
 */
export function* encodeInParts(format: Format, envelope: Envelope): Generator<string, void, void> {
  const list = lastList(envelope.data)
  if (list === null) {
    yield encodeEnvelope(format, envelope)
    return
  }
  const { begin, items, itemsPerPart, close, end } = forms[format]
  const before = encodeEnvelope(format, { ...envelope, data: list.rest })
  yield before.slice(0, before.length - end.length) + begin(list.name)
  for (let firstIndex = 0; firstIndex < list.items.length; firstIndex += itemsPerPart) {
    yield items({
      name: list.name,
      items: list.items.slice(firstIndex, firstIndex + itemsPerPart),
      firstIndex,
    })
  }
  yield close + end
}

interface LastList {
  readonly name: string
  readonly items: readonly unknown[]
  /** The other members, of which there is at least one that every format writes. */
  readonly rest: object
}

function lastList(data: object | null): LastList | null {
  const members = Object.entries(data ?? {})
  const [first, last] = [members[0]?.[1], members.pop()]
  if (last === undefined || typeof first === "object" || first === undefined) return null
  const [name, items] = last
  return Array.isArray(items) && items.length > 0 ? { name, items, rest: Object.fromEntries(members) } : null
}
