import { readListDate } from "../../values/data-list.ts"
import { isObject } from "../../values/is-object.ts"

/** The registries of the IEEE by how many hexadecimal digits their prefixes have. IAB, of 9 digits too, was closed in 2014. */
const prefixLengths = [9, 7, 6] as const
const maxTextLength = 1000

/** The prefixes of the IEEE with the organizations to which they are assigned. */
export interface Vendors {
  /** The day of the list, `YYYY-MM-DD`; null when it is not known. */
  readonly date: string | null
  /** The lines of {@link toLines}. */
  lines(): Buffer | Promise<Buffer>
}

/**
 * Finds the longest prefix of `digits` that is assigned; null if none is.
 * @returns the lines of the address have the country last, and are empty if the organization does not publish them
 */
export async function findAssignment(digits: string, vendors: Vendors) {
  const lines = await vendors.lines()
  for (const length of prefixLengths) {
    if (digits.length < length) continue
    const prefix = digits.slice(0, length)
    const found = findLine(lines, prefix)
    // `=PREFIX` stands for the text of another prefix.
    const text = found?.startsWith("=") ? findLine(lines, found.slice(1)) : found
    if (text === null || text === undefined) continue
    const [organization = "", ...address] = text.slice(1).split("\t")
    return { prefix, organization, address }
  }
  return null
}

/** The rest of the line that begins with a prefix, found by binary search; null without such a line. */
function findLine(lines: Buffer, prefix: string): string | null {
  let from = 0
  let to = lines.length
  while (from < to) {
    const middle = (from + to) >> 1
    const start = middle === 0 ? 0 : lines.lastIndexOf(10, middle - 1) + 1
    const end = lines.indexOf(10, start)
    const [key = ""] = /^[0-9A-F]*/.exec(lines.toString("latin1", start, Math.min(end, start + 9))) ?? []
    if (key === prefix) return lines.toString("utf8", start + key.length, end)
    if (key < prefix) from = end + 1
    else to = start
  }
  return null
}

/**
 * Writes a list in the form in which it is searched: a sorted line for each prefix, with the name and the lines of the address
 * after tabs. `0003=0001` means that 0003 has the text of 0001.
 */
export function toLines(texts: ReadonlyMap<string, string>): string {
  const firsts = new Map<string, string>()
  const lines = [...texts.keys()].sort().map((prefix) => {
    const text = texts.get(prefix) ?? ""
    const first = firsts.get(text)
    if (first !== undefined) return `${prefix}=${first}\n`
    firsts.set(text, prefix)
    return `${prefix}\t${text.replaceAll("\n", "\t")}\n`
  })
  return lines.join("")
}

/**
 * Reads a list in the form of oui-data: a JSON object of prefixes, each with the lines of a name and an address. It may be inside
 * `{"date": "2027-03-01", "vendors": {…}}`.
 * @throws Error that names the bad entry and says what is wrong
 */
export function readVendors(text: string): Vendors {
  const document: unknown = JSON.parse(text.replace(/^\ufeff/, ""))
  if (!isObject(document)) throw new Error('expected an object of prefixes, such as {"00000C": "Cisco"}')
  const { vendors } = document
  const texts = readTexts(isObject(vendors) ? vendors : document)
  if (texts.size === 0) throw new Error("the list has no prefixes")
  const lines = Buffer.from(toLines(texts))
  return { date: isObject(vendors) ? readListDate(document) : null, lines: () => lines }
}

/** The texts by prefix, without white space around their lines. */
export function readTexts(vendors: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(vendors).map(([prefix, value]) => {
      if (!/^(?:[0-9A-F]{6,7}|[0-9A-F]{9})$/.test(prefix))
        throw new Error(`'${prefix.slice(0, 20)}' is not a prefix of 6, 7 or 9 digits from 0 to F`)
      if (typeof value !== "string" || value.trim() === "" || value.length > maxTextLength)
        throw new Error(`${prefix}: expected a name of at most ${maxTextLength} characters`)
      const lines = value.split("\n").map((line) => line.replace(/\s+/g, " ").trim())
      return [prefix, lines.filter((line) => line !== "").join("\n")]
    }),
  )
}
