/** An address in a text, in the form of linkify-it. */
interface Link {
  readonly schema: string
  readonly index: number
  readonly lastIndex: number
  readonly raw: string
  readonly text: string
  readonly url: string
}

/**
 * Where an address may begin (GFM 0.29, section 6.9): `www.` after certain characters, a scheme after anything but a letter. The
 * part before an `@` is tried from its first character alone: from each character, it would take time by its square.
 */
export const begin =
  /(?<![^\s*_~(])www\.|(?<![a-z\d])(?:https?|ftp):\/\/|(?:(?<![\w.+-])|(?<=(?<![\w.+-])www\.))[\w.+-]+@/giu
const mailHost = /[a-z\d_-]+(?:\.[a-z\d_-]+)+/iy
const address = /[\p{L}\p{N}_-][^\s<]*/uy

/** Finds the addresses that GFM makes links of (0.29, section 6.9), for markdown-it in the place of linkify-it. */
export const autolinks = {
  test: (text: string) => text.search(begin) >= 0,

  match(text: string): Link[] {
    const links: Link[] = []
    let end = 0
    for (const { 0: found, index } of text.matchAll(begin)) {
      const length = index < end ? 0 : lengthAfter(text, index, found)
      if (length === 0) continue
      end = index + length
      links.push(toLink(text, index, end, found))
    }
    return links
  },

  /** Only for text that begins with a scheme. */
  matchAtStart(text: string): Link | null {
    const scheme = /^(?:https?|ftp):\/\//i.exec(text)?.[0]
    const length = scheme === undefined ? 0 : lengthAfter(text, 0, scheme)
    return length === 0 ? null : toLink(text, 0, length, "")
  },
}

function toLink(text: string, index: number, lastIndex: number, found: string): Link {
  const raw = text.slice(index, lastIndex)
  const prefix = found.endsWith("@") ? "mailto:" : /^www/i.test(found) ? "http://" : ""
  return { schema: prefix.slice(0, -1), index, lastIndex, raw, text: raw, url: prefix + raw }
}

/** The length of the address that begins so; 0 if it is none. */
function lengthAfter(text: string, index: number, found: string): number {
  const after = index + found.length
  if (!found.endsWith("@")) {
    const length = lengthOfAddress(text, /^www/i.test(found) ? index : after)
    return length === 0 ? 0 : length + (/^www/i.test(found) ? 0 : found.length)
  }
  mailHost.lastIndex = after
  const host = mailHost.exec(text)?.[0] ?? ""
  return host === "" || /[-_]$/.test(host) || text[after + host.length] === "@"
    ? 0
    : found.length + host.length
}

/**
 * The length of an address, as GFM says (extended autolinks): without punctuation or an entity at its end, and without closing
 * brackets that it does not open; 0 if one of the last two parts of the domain has an underscore.
 */
function lengthOfAddress(text: string, place: number): number {
  address.lastIndex = place
  const found = address.exec(text)?.[0] ?? ""
  let unopened = found.split(")").length - found.split("(").length
  let end = found.length
  while (end > 0) {
    const last = found.charAt(end - 1)
    if (last === ")" && unopened > 0) unopened--
    else if (!/[?!.,:;*_~'"]/.test(last)) break
    // `&copy;` at the end is the character that it stands for.
    const entity =
      last === ";" ? (/&[a-z\d]+;$/i.exec(found.slice(Math.max(0, end - 40), end))?.[0] ?? ";") : last
    end -= entity.length
  }
  const [domain = ""] = /^[\p{L}\p{N}._-]+/u.exec(found.slice(0, end)) ?? []
  const hasUnderscore = domain.split(".").slice(-2).join("").includes("_")
  return hasUnderscore ? 0 : end
}
