import { defineProblems } from "../../values/problems.ts"
import { contentStart, isPrivateKey, type PublicKey, readKey } from "../mail/dkim-key.ts"
import { explainPart, readTagList, showBytes, trimBlanks } from "../mail/tag-list.ts"

export const { problemList, problem, newProblems } = defineProblems({
  no_record: "error: no record, so that no signature with this selector is valid",
  wrong_place: "warning: a record where nobody looks for it",
  multiple_records: "error: more than one TXT record, of which verifiers may use any (§3.6.2.2)",
  too_long: "error: a record of over 8,192 bytes, which is not read",
  syntax: "error: a part that is not name and value (§3.2)",
  repeated_tag: "error: the same tag twice, so that verifiers ignore the record (§3.2)",
  version: "error: a `v` that is not the first tag, or not `DKIM1` (§3.6.1)",
  no_key: "error: no key (`p`)",
  revoked: "error: an empty key: it was revoked, and no signature with it is valid (§3.6.1)",
  key_type: "error: a key type that is neither `rsa` nor `ed25519`",
  key: "error: a key that cannot be read, or is of another type than the record says",
  short_key: "error: an RSA key of less than 1,024 bits, which verifiers refuse (RFC 8301 §3.2)",
  weak_key: "warning: an RSA key of less than 2,048 bits (RFC 8301 §3.2)",
  long_key: "warning: an RSA key of over 4,096 bits, which not every verifier takes (RFC 8301 §3.2)",
  key_form: "warning: an RSA key without the frame that many verifiers expect (SubjectPublicKeyInfo)",
  hash: "error: a list of hashes without `sha256`, the only one that signers may use (RFC 8301 §3.1)",
  unknown_hash: "info: hashes that are not defined or, as `sha1`, not used any more",
  service: "warning: a list of services without `email` and `*`: the key is not for messages of people",
  testing: "warning: test mode: verifiers treat messages as if they were not signed (§3.6.1)",
  unknown_flag: "info: flags that are not defined; verifiers ignore them",
  unknown_tag: "info: tags that are not defined, or historic as `g`; verifiers ignore them",
})
type Problem = ReturnType<typeof problem>

const maxLength = 8_192
const knownTags = new Set(["v", "h", "k", "n", "p", "s", "t"])

/** The contents of a record. */
interface DkimRecord {
  readonly type: "rsa" | "ed25519" | "other"
  readonly key: PublicKey | null
  readonly hashes: readonly string[] | null
  readonly services: readonly string[]
  readonly flags: readonly string[]
  readonly problems: readonly Problem[]
}

/** Reads a key record (RFC 6376 §3.6.1). */
export async function readRecord(text: string): Promise<DkimRecord> {
  if (text.length > maxLength)
    return { ...unread, problems: [problem("too_long", "record", `The record has ${text.length} bytes.`)] }
  const { tags, problems } = readTags(text)
  const named = tags.get("k") ?? "rsa"
  const type = named === "rsa" || named === "ed25519" ? named : "other"
  const hashes = listOf(tags.get("h"))
  const services = listOf(tags.get("s")) ?? ["*"]
  const flags = listOf(tags.get("t")) ?? []
  const { key, problems: aboutKey } = await readPublicKey(type, named, tags.get("p"))
  problems.push(...aboutKey, ...aboutHashes(hashes), ...aboutUse(services, flags))
  return { type, key, hashes, services, flags, problems }
}

const unread = { type: "other", key: null, hashes: null, services: [], flags: [] } as const

function readTags(text: string) {
  const [problems, add] = newProblems()
  const tags = new Map<string, string>()
  for (const [index, { name, value, text: part }] of readTagList(text).entries()) {
    const where = `part ${index + 1}`
    // White space may fold values; the notes may have any text.
    const isTag = value !== null && /^[a-z]\w*$/i.test(name) && /^[\t\r\n\x20-\x7e]*$/.test(value)
    if (!isTag) add("syntax", where, explainPart(part))
    else if (tags.has(name)) add("repeated_tag", name, `The tag ${name} is there twice.`)
    else {
      tags.set(name, value)
      if (!knownTags.has(name)) add("unknown_tag", name, `The tag ${name} is not known.`)
      if (name === "v" && (index > 0 || value !== "DKIM1"))
        add("version", "v", explainVersion(index, value, part))
    }
  }
  return { tags, problems }
}

function explainVersion(index: number, value: string, part: string): string {
  if (index > 0) return "The tag v must be the first one, or be left out."
  const [, other] = /^(DMARC1|spf1|BIMI1|STSv1|TLSRPTv1)\b/i.exec(value) ?? []
  if (other !== undefined) return `It is a record of another kind (${other}), in the place of a key.`
  return explainPart(part, "The value of v must be DKIM1, in capitals.")
}

async function readPublicKey(type: DkimRecord["type"], named: string, written: string | undefined) {
  const failed = (code: "no_key" | "revoked" | "key_type" | "key", where: string, message: string) => ({
    key: null,
    problems: [problem(code, where, message)],
  })
  if (written === undefined) return failed("no_key", "p", "There is no key: the record has no tag p.")
  const digits = written.replace(/[ \t\r\n]+/g, "")
  if (digits === "") return failed("revoked", "p", "The key was revoked.")
  if (type === "other") {
    const hint = /^(?:rsa|ed25519)$/i.test(named) ? ` Write ${named.toLowerCase()}: case counts.` : ""
    return failed("key_type", "k", `The type is '${showBytes(named)}', neither rsa nor ed25519.${hint}`)
  }
  const key = await readKey(type, digits)
  if (key === null) return failed("key", "p", await explainKey(type, written))
  return { key, problems: type === "rsa" ? aboutRsa(key) : [] }
}

const causes: readonly (readonly [RegExp, string])[] = [
  [/(?<!-)-{2,}(?:BEGIN|END)(?: [A-Z]+)*-*/, "Leave out the lines around it in the PEM file:"],
  [/\\+[^\\]?/, "Leave out the backslash, which is for zone files alone:"],
  [/["'`]|\xe2\x80[\x98-\x9f]/, "Leave out the quotation marks:"],
  [/^p=|\s[a-z]{1,2}[ \t]*=[^=].*/, "A semicolon is missing, or a name is there twice:"],
  [/[-_]/, "Keys have + and / where base64url has - and _:"],
  [/[^A-Za-z\d+/=\s]+/, "This is no character of base64:"],
  [/(?<!=)=+[^=\s]+/, "Equals signs can only end it:"],
]

/** Why a value of `p` is no key of its type: the usual mistakes of copying, with the part that shows it. */
async function explainKey(type: "rsa" | "ed25519", written: string): Promise<string> {
  for (const [form, cause] of causes) {
    const [found] = form.exec(written) ?? []
    if (found !== undefined) return `The key is not base64. ${cause} '${showBytes(found.trim(), 80)}'.`
  }
  const digits = written.replace(/\s+/g, "")
  const key = Buffer.from(digits, "base64")
  const [tag, first = 0] = key
  const start = contentStart(key)
  const length = key.length < 6 ? 0 : first < 129 ? start + first : start + key.readUIntBE(2, start - 2)
  if (isPrivateKey(key))
    return "It is the private key, and anybody can sign with it now. Make a new pair, and publish the public key of it."
  if (type === "ed25519") {
    if (digits.startsWith("MCowBQYDK2VwAyEA"))
      return "The key has a frame (SubjectPublicKeyInfo). Publish its last 32 bytes alone (RFC 8463 §4)."
    if (await readKey("rsa", digits)) return "It is an RSA key. Write k=rsa, or leave k out."
    return `The key has ${key.length} bytes instead of 32.`
  }
  if (key.length === 32) return "The key has 32 bytes, as those of Ed25519 have. Write k=ed25519."
  if (tag !== 0x30) return `RSA keys begin with MI in base64, and this one with '${digits.slice(0, 12)}'.`
  const cut = `${length - key.length} of its ${length} bytes are missing after '${digits.slice(-12)}'`
  if (key.length < length)
    return `The key was cut: ${cut}. A string of TXT ends at 255 bytes; the rest belongs into further strings of the same record.`
  return digits.length % 4 > 0 ? "The equals signs at the end of the key are missing." : "It is no RSA key."
}

function aboutRsa({ bits, form }: PublicKey): Problem[] {
  const [problems, add] = newProblems()
  if (bits < 1_024) add("short_key", "p", `The key has ${bits} bits; verifiers refuse less than 1024.`)
  else if (bits < 2_048) add("weak_key", "p", `The key has ${bits} bits; take 2048.`)
  if (bits > 4_096) add("long_key", "p", `The key has ${bits} bits; 2048 are enough.`)
  if (form === "pkcs1") add("key_form", "p", "The key is an RSAPublicKey without a frame.")
  return problems
}

function aboutHashes(hashes: readonly string[] | null): Problem[] {
  if (hashes === null) return []
  if (!hashes.includes("sha256")) return [problem("hash", "h", "The hash sha256 is not allowed.")]
  return hashes.length > 1 ? [problem("unknown_hash", "h", "There are hashes besides sha256.")] : []
}

function aboutUse(services: readonly string[], flags: readonly string[]): Problem[] {
  const [problems, add] = newProblems()
  if (!services.includes("*") && !services.includes("email"))
    add("service", "s", "The key is not for the service email.")
  if (flags.includes("y")) add("testing", "t", "The domain tests DKIM.")
  if (flags.some((flag) => flag !== "y" && flag !== "s"))
    add("unknown_flag", "t", "There are flags other than y and s.")
  return problems
}

/** The items of a list with colons, at most 50; null without one. */
function listOf(text: string | undefined): string[] | null {
  return text === undefined ? null : text.split(":", 50).map(trimBlanks)
}
