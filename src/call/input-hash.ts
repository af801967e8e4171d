import type { GiveWay } from "../apis/contract.ts"

/** Characters of JSON for one update of the hash, between which other calls run. */
const charactersPerStep = 65_536
/** Values that are written without a pause, which takes about a millisecond. */
const valuesPerStep = 2_000

/** An object or array that is being written: the texts and values that are still to come. */
type Parts = Iterator<{ readonly text: string; readonly value?: unknown }>

/**
 * The hexadecimal SHA-256 of a JSON value, the same for every order of the members of objects.
 * @param salt is hashed too: whoever reads the hash could otherwise try out which input it stands for
 * @param giveWay lets other calls run, since inputs may be large
 */
export async function hashInput(salt: string, input: unknown, giveWay: GiveWay): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256")
  let text = `${JSON.stringify(salt)}\n`
  // Not by recursion: a body may have thousands of levels.
  const open: Parts[] = [[{ text: "", value: input }].values()]
  for (let steps = 1; open.length > 0; steps++) {
    if (steps % valuesPerStep === 0 || text.length >= charactersPerStep) {
      hasher.update(text)
      text = ""
      await giveWay()
    }
    const part = open.at(-1)?.next()
    if (!part || part.done) open.pop()
    else {
      text += part.value.text
      const { value } = part.value
      if (typeof value === "object" && value !== null) open.push(partsOf(value))
      // JSON writes a number beyond the range as null, as which it must not count.
      else if (typeof value === "number") text += String(value)
      else if (value !== undefined) text += JSON.stringify(value)
    }
  }
  return hasher.update(text).digest("hex")
}

function* partsOf(value: object): Generator<{ readonly text: string; readonly value?: unknown }> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield { text: index === 0 ? "[" : ",", value: item }
    yield { text: value.length === 0 ? "[]" : "]" }
    return
  }
  const members: [string, unknown][] = Object.entries(value)
  members.sort(([one], [other]) => (one < other ? -1 : 1))
  for (const [index, [name, member]] of members.entries())
    yield { text: `${index === 0 ? "{" : ","}${JSON.stringify(name)}:`, value: member }
  yield { text: members.length === 0 ? "{}" : "}" }
}
