import { newProblems } from "./bimi-problems.ts"
import { explainPart, readTagList, showBytes } from "./tag-list.ts"

const known = ["v", "l", "a", "avp", "lps", "e", "s"]

/**
 * Reads a record that begins with the version (draft-brand-indicators-for-message-identification §4.3).
 * @returns the URLs of the logo and of the mark certificate, null without a valid one
 */
export function readRecord(record: string) {
  const [problems, add] = newProblems()
  const tags = new Map<string, string>()
  for (const [index, { name, value, text }] of readTagList(record).entries()) {
    const where = `record, part ${index + 1}`
    if (value === null || !/^[A-Za-z][A-Za-z\d_]{0,62}$/.test(name)) {
      add("syntax", where, explainPart(text))
      continue
    }
    const tag = name.toLowerCase()
    if (tags.has(tag)) add("repeated_tag", where, `There is ${tag} before.`)
    else tags.set(tag, value)
    if (!known.includes(tag)) add("unknown_tag", where, `The tag ${name} is not known.`)
  }
  const avp = tags.get("avp")
  if (avp !== undefined && avp !== "brand" && avp !== "personal")
    add("tag_value", "record, avp", `The value of avp must be brand or personal, not '${showBytes(avp)}'.`)
  const location = tags.get("l") ?? null
  const authority = tags.get("a") ?? ""
  if (location === "" && authority === "") {
    add("declined", "record", "The record says that there is no logo.")
    return { logo_url: null, authority_url: null, is_declined: true, problems }
  }
  const isLocation = location !== null && isDocumentUrl(location)
  if (!isLocation)
    add(
      "location",
      "record, l",
      location ? `'${showBytes(location)}' is no https: URL with a host.` : "There is no location (l).",
    )
  const isAuthority = isDocumentUrl(authority)
  if (authority === "") add("no_mark_certificate", "record, a", "The record names no mark certificate (a).")
  else if (!isAuthority)
    add("authority", "record, a", `'${showBytes(authority)}' is no https: URL with a host.`)
  return {
    logo_url: isLocation ? location : null,
    authority_url: isAuthority ? authority : null,
    is_declined: false,
    problems,
  }
}

/** An `https:` URL without white space, commas and what ends a tag. */
function isDocumentUrl(text: string): boolean {
  return /^https:\/\/[^\s,;/?#]/i.test(text) && /^[\x21-\x7e]+$/.test(text) && URL.canParse(text)
}
