import { distance } from "fastest-levenshtein"
import known from "./known-names.json"

const suggested = known.mailboxes
const others = new Set(known.similar)
/** From this length on, a name may differ by two characters from the one that was meant; a shorter name by one. */
const longName = 11

/**
 * The well-known domain that was probably meant: it has one character more, less or otherwise, two neighbours exchanged, or no
 * ending. Null if the domain is one itself, or is like none.
 */
export function wellKnownDomain(domain: string): string | null {
  if (suggested.includes(domain) || others.has(domain)) return null
  const found = suggested
    .map((name) => ({ name, edits: distance(domain, name) }))
    .filter(
      ({ name, edits }) => edits <= (name.length < longName ? 1 : 2) || isExchanged(domain, name, edits),
    )
    .sort((a, b) => a.edits - b.edits)[0]
  return found?.name ?? suggested.find((name) => name === `${domain}.com`) ?? null
}

/** Whether two neighbours are exchanged, which counts as two edits. */
function isExchanged(domain: string, name: string, edits: number): boolean {
  const at = [...name].findIndex((character, index) => character !== domain[index])
  return (
    edits === 2 && domain === name.slice(0, at) + name.charAt(at + 1) + name.charAt(at) + name.slice(at + 2)
  )
}
