import { csvLayout } from "./csv.ts"
import { encodeEnvelope, type Format } from "./formats.ts"
import { encodeJsonItems } from "./json.ts"
import { type Encoded, type Envelope, encodeTree, type Layout, type Place } from "./tree.ts"
import { xmlLayout } from "./xml.ts"
import { yamlLayout } from "./yaml.ts"

/** How a format writes a list that is the last member of `data`. */
interface ListForm {
  readonly begin: (name: string) => string
  readonly items: (name: string, items: readonly unknown[], firstIndex: number) => Encoded
  /** More for JSON, where a call of the encoder takes as long as an item: a batch of 200 takes 50 µs less. */
  readonly itemsPerPart: number
  readonly end: string
  /** How an envelope ends after the last member of `data`. */
  readonly envelopeEnd: string
}

const forms: Readonly<Record<Format, ListForm>> = {
  json: {
    begin: (name) => `,${JSON.stringify(name)}:[`,
    items: (_name, items, firstIndex) => encodeJsonItems(items, firstIndex),
    itemsPerPart: 8,
    end: "]",
    envelopeEnd: "}}",
  },
  xml: oneByOne(xmlLayout, { text: "data", isItem: false, depth: 1 }, "</data></response>"),
  yaml: oneByOne(yamlLayout, { text: "data:", isItem: false, depth: 1 }, ""),
  csv: oneByOne(csvLayout, { text: "", isItem: false, depth: 0 }, ""),
}

/** @param data the place of the object that holds the list */
function oneByOne(layout: Layout, data: Place, envelopeEnd: string): ListForm {
  const depth = data.depth + 1
  const placeOf = (name: string) => ({ text: layout.member(data, name, false), isItem: false, depth })
  return {
    begin: (name) => layout.begin(placeOf(name), true),
    items: (name, [item], index) =>
      encodeTree(layout, item, { text: layout.item(placeOf(name), index), isItem: true, depth: depth + 1 }),
    itemsPerPart: 1,
    end: "",
    envelopeEnd,
  }
}

/**
 * Writes the list `name`, the last member of `data`, in parts, while its items are made. With all its parts an answer is what
 * {@link encodeEnvelope} writes. The list has one item or more; `frame` takes the envelope without it, whose first member of
 * `data` is no object and no array.
 */
export function createListEncoder(format: Format, name: string) {
  const { begin, items, itemsPerPart, end, envelopeEnd } = forms[format]
  return {
    /** Items for one call of `items`. */
    itemsPerPart,
    /** Neighbouring items, at most `itemsPerPart`. */
    items: (some: readonly unknown[], firstIndex: number) => items(name, some, firstIndex),
    /** The text before and after the items. */
    frame(envelope: Envelope) {
      const text = encodeEnvelope(format, envelope)
      const before = text.slice(0, text.length - envelopeEnd.length) + begin(name)
      return { before, after: end + envelopeEnd }
    },
  }
}
