import { encodeCsvItem } from "./csv.ts"
import type { Envelope } from "./envelope.ts"
import { encodeEnvelope, type Format } from "./formats.ts"
import { encodeJsonItem } from "./json.ts"
import { encodeXmlItem } from "./xml.ts"
import { encodeYamlItem, toYamlScalar } from "./yaml.ts"

/** How a format writes a list that is the last member of `data`. */
interface ListForm {
  readonly begin: (name: string) => string
  readonly item: (name: string, item: unknown, index: number) => string
  readonly end: string
  /** How an envelope ends after the last member of `data`. */
  readonly envelopeEnd: string
}

const forms: Readonly<Record<Format, ListForm>> = {
  json: { begin: (name) => `,${JSON.stringify(name)}:[`, item: encodeJsonItem, end: "]", envelopeEnd: "}}" },
  xml: { begin: () => "", item: encodeXmlItem, end: "", envelopeEnd: "</data></response>" },
  yaml: { begin: (name) => `  ${toYamlScalar(name)}:\n`, item: encodeYamlItem, end: "", envelopeEnd: "" },
  csv: { begin: () => "", item: encodeCsvItem, end: "", envelopeEnd: "" },
}

/**
 * The text of {@link encodeEnvelope} in parts, so that other work can run between them. Each item of the list at the end of
 * `data` is a part; an envelope without such a list is one part.
 */
export function* encodeInParts(format: Format, envelope: Envelope): Generator<string, void, void> {
  const list = lastList(envelope.data)
  if (list === null) {
    yield encodeEnvelope(format, envelope)
    return
  }
  const { begin, item: encodeItem, end, envelopeEnd } = forms[format]
  const before = encodeEnvelope(format, { ...envelope, data: list.rest })
  yield before.slice(0, before.length - envelopeEnd.length) + begin(list.name)
  for (const [index, item] of list.items.entries()) yield encodeItem(list.name, item, index)
  yield end + envelopeEnd
}

interface LastList {
  readonly name: string
  readonly items: readonly unknown[]
  /** The other members. The first one is a value that every format writes. */
  readonly rest: object
}

function lastList(data: object | null): LastList | null {
  const members = Object.entries(data ?? {})
  const [first, last] = [members[0]?.[1], members.pop()]
  if (last === undefined || typeof first === "object" || first === undefined) return null
  const [name, items] = last
  return Array.isArray(items) && items.length > 0 ? { name, items, rest: Object.fromEntries(members) } : null
}
