import type {
  AuthorityInfoAccessExtension,
  Extension,
  Name,
  Pkcs10CertificateRequest,
  X509Certificate,
} from "@peculiar/x509"
import { type Element, elementsOf } from "../../values/der.ts"
import { reject } from "../contract.ts"
import type { Block } from "./blocks.ts"
import { partsOf, toElement } from "./der.ts"
import { extensionNames, purposeNames, usageNames } from "./names.ts"

/** The data read from a certificate or a request. */
export type Entry = Awaited<ReturnType<typeof readEntry>>

/**
 * Reads a certificate (RFC 5280 §4.1) or a request (RFC 2986).
 * @throws InputRejected for `certificate`
 */
export async function readEntry(block: Block) {
  const { kind, der } = block
  // The dependency injection of @peculiar/x509 needs it.
  await import("reflect-metadata")
  const x509 = await import("@peculiar/x509")
  const { createHash } = await import("node:crypto")
  try {
    const { rest, key, serial, times, extensions } = partsOf(block)
    const certificate = kind === "certificate" ? new x509.X509Certificate(rest) : null
    const holder = certificate ?? new x509.Pkcs10CertificateRequest(der)
    const [begin, end] = times.map(readTime)
    const digest = (algorithm: string, bytes: Uint8Array) => createHash(algorithm).update(bytes).digest("hex")
    return {
      kind,
      der,
      holder,
      certificate,
      serial,
      times: { valid_from: begin, valid_until: end },
      subject: holder.subject,
      subject_parts: subjectPartsOf(holder.subjectName),
      issuer: certificate?.issuer ?? null,
      serial_number: certificate?.serialNumber.toLowerCase() ?? null,
      valid_from: begin?.at ?? null,
      valid_until: end?.at ?? null,
      key: await describeKey(key),
      signature_algorithm: signatureOf(holder),
      fingerprints: {
        sha256: digest("sha256", der),
        sha1: digest("sha1", der),
        key_sha256: digest("sha256", key),
      },
      ...(await extensionsOf(extensions)),
    }
  } catch {
    return reject(
      "certificate",
      `must have a ${kind} (RFC ${kind === "request" ? 2986 : 5280} §4.1) in each block; one cannot be read`,
    )
  }
}

function subjectPartsOf(name: Name) {
  return name
    .toJSON()
    .flatMap((relative) =>
      Object.entries(relative).flatMap(([attribute, values]) =>
        values.map((value) => ({ attribute, value })),
      ),
    )
}

/** The public key; a kind that the runtime does not know is `unknown`. */
async function describeKey(der: Uint8Array) {
  const { createPublicKey } = await import("node:crypto")
  try {
    const key = createPublicKey({ key: Buffer.from(der), format: "der", type: "spki" })
    const { modulusLength, namedCurve, publicExponent } = key.asymmetricKeyDetails ?? {}
    return {
      algorithm: key.asymmetricKeyType ?? "unknown",
      bits: modulusLength ?? null,
      curve: namedCurve ?? null,
      exponent: publicExponent === undefined ? null : String(publicExponent),
    }
  } catch {
    return { algorithm: "unknown", bits: null, curve: null, exponent: null }
  }
}

function signatureOf({ signatureAlgorithm }: X509Certificate | Pkcs10CertificateRequest): string {
  const { name = "unknown", hash }: { readonly name?: string; readonly hash?: { readonly name?: string } } =
    signatureAlgorithm
  return hash?.name === undefined ? name : `${name} with ${hash.name}`
}

/** An extension that cannot be read, or breaks a rule of RFC 5280 §4.2.1. */
interface ExtensionMistake {
  readonly oid: string
  /** Continues a sentence. */
  readonly mistake: string
}

/** Reads each extension by itself, so that one that cannot be read does not take the others away. */
async function extensionsOf(elements: readonly Element[]) {
  const x509 = await import("@peculiar/x509")
  const extensions: Extension[] = []
  const mistakes: ExtensionMistake[] = []
  for (const { content, whole } of elements) {
    const [id] = elementsOf(content)
    // Its identifier is read even if the rest cannot be.
    let plain = new x509.Extension(toElement(0x30, id?.whole ?? content, toElement(0x04)))
    try {
      plain = new x509.Extension(whole)
      extensions.push(plain.type === subjectAltName ? plain : x509.ExtensionFactory.create(whole))
    } catch {
      extensions.push(plain)
      mistakes.push({ oid: plain.type, mistake: "cannot be read" })
    }
  }
  const basic = extensions.find((one) => one instanceof x509.BasicConstraintsExtension)
  const usage = extensions.find((one) => one instanceof x509.KeyUsagesExtension)
  const purposes = extensions.find((one) => one instanceof x509.ExtendedKeyUsageExtension)
  const own = extensions.find((one) => one instanceof x509.SubjectKeyIdentifierExtension)
  const issuer = extensions.find((one) => one instanceof x509.AuthorityKeyIdentifierExtension)
  const access = extensions.find((one) => one instanceof x509.AuthorityInfoAccessExtension)
  const lists = extensions.find((one) => one instanceof x509.CRLDistributionPointsExtension)
  const alternative = extensions.find(({ type }) => type === subjectAltName)
  const names = alternative === undefined ? [] : await namesOf(alternative, mistakes)
  if (basic?.pathLength !== undefined && (!basic.ca || basic.pathLength < 0))
    mistakes.push({
      oid: basic.type,
      mistake: `has a path length${basic.ca ? " below 0" : ", though it is not an authority's"} (§4.2.1.9)`,
    })
  return {
    mistakes,
    names,
    is_ca: basic?.ca ?? false,
    path_length: basic?.pathLength ?? null,
    key_usage: usage === undefined ? null : usageNames.filter((_, bit) => (usage.usages >> bit) & 1),
    extended_key_usage: purposes?.usages.map((oid) => purposeNames[String(oid)] ?? String(oid)) ?? null,
    subject_key_id: own?.keyId ?? null,
    authority_key_id: issuer?.keyId ?? null,
    ocsp_urls: urlsOf(access?.ocsp),
    issuer_urls: urlsOf(access?.caIssuers),
    crl_urls:
      lists?.distributionPoints.flatMap(({ distributionPoint }) =>
        (distributionPoint?.fullName ?? []).flatMap((one) => one.uniformResourceIdentifier ?? []),
      ) ?? [],
    extensions: extensions.map(({ type, critical }) => ({
      oid: type,
      name: extensionNames[type] ?? null,
      is_critical: critical,
    })),
  }
}

/** The names that are addresses to fetch. */
function urlsOf(names: AuthorityInfoAccessExtension["ocsp"] = []): string[] {
  return names.flatMap(({ type, value }) => (type === "url" ? [String(value)] : []))
}

const subjectAltName = "2.5.29.17"

/** The names of subjectAltName. Adds what is wrong with them to `mistakes`. */
async function namesOf({ type: oid, value }: Extension, mistakes: ExtensionMistake[]) {
  const names = await readAltNames(new Uint8Array(value)).catch(() => null)
  if (names === null) mistakes.push({ oid, mistake: "cannot be read" })
  for (const mistake of new Set(names?.map((one) => one.mistake)))
    if (mistake !== null) mistakes.push({ oid, mistake: `${mistake} (§4.2.1.6)` })
  return names?.map(({ type, value }) => ({ kind: type, value })) ?? []
}

const utcTime = 0x17
const forms = {
  // The last two parts are left out by some programs, which X.680 §47 allows and RFC 5280 does not.
  short: /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?()(Z|[+-]\d{4})$/,
  long: /^(\d{4})(\d\d)(\d\d)(\d\d)(?:(\d\d)(\d\d)?)?(?:[.,](\d{1,9}))?(Z|[+-]\d{4})?$/,
}

/**
 * Reads a UTCTime or a GeneralizedTime. It keeps to the text: libraries turn days that do not exist, missing seconds and zones
 * into other moments.
 * @returns the time in UTC, null if the text is no time or does not say its zone; and how its form differs from RFC 5280
 * §4.1.2.5, which continues a sentence, null if it does not
 */
function readTime({ tag, content }: Element) {
  const text = Buffer.from(content).toString("latin1")
  const isShort = tag === utcTime
  const found = (isShort ? forms.short : forms.long).exec(text)
  if (found === null) return { at: null, mistake: "is not a time of ASN.1" }
  const [, years = "", month, day, hour, minute = "00", second, fraction = "", zone] = found
  if (zone === undefined) return { at: null, mistake: "does not say its zone, so it could be any" }
  // 50 to 99 are years of the twentieth century (RFC 5280 §4.1.2.5.1).
  const year = isShort ? (Number(years) < 50 ? 20 : 19) + years : years
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second ?? "00"}.${fraction.slice(0, 3).padEnd(3, "0")}Z`
  const asUtc = new Date(local)
  if (Number.isNaN(asUtc.getTime()) || asUtc.toISOString() !== local)
    return { at: null, mistake: "is a day or a time of day that does not exist" }
  const [sign = "+", ...digits] = zone === "Z" ? "+0000" : zone
  const minutes = Number(digits.slice(0, 2).join("")) * 60 + Number(digits.slice(2).join(""))
  const moment = new Date(asUtc.getTime() - Number(`${sign}1`) * minutes * 60_000)
  // Times of RFC 5280 have four digits for the year; a zone can move the last one beyond.
  const at = /^\d{4}-/.test(moment.toISOString()) ? moment.toISOString() : null
  const isLate = Number(year) >= 2050
  if (zone !== "Z") return { at, mistake: "has a zone other than Z" }
  if (second === undefined) return { at, mistake: "has no seconds" }
  if (fraction !== "") return { at, mistake: "has fractions of a second" }
  if (!isShort && !isLate) return { at, mistake: "is before 2050 and has four digits for the year, not two" }
  return { at, mistake: null }
}

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
async function readAltNames(value: Uint8Array<ArrayBuffer>) {
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
