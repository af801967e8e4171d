import type { DnsAnswer } from "../contract.ts"
import { maxNameBytes, requireRecords } from "./look-up.ts"
import { showBytes } from "./tag-list.ts"

/** The records about mail that are texts, each with its own place below a domain. */
const kinds = {
  dmarc: {
    title: "DMARC",
    version: "v=DMARC1",
    place: "_dmarc",
    form: /^[vV][ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/,
    // Forms without the underscore, as some people write them; here and below.
    near: ["dmarc"],
    first: /^(?:p|sp|rua)[ \t]*=/i,
  },
  mtaSts: {
    title: "MTA-STS",
    version: "v=STSv1",
    place: "_mta-sts",
    form: /^v=STSv1[ \t]*;/,
    near: ["mta-sts", "_mta_sts"],
    first: /^id[ \t]*=/i,
  },
  tlsrpt: {
    title: "TLSRPT",
    version: "v=TLSRPTv1",
    place: "_smtp._tls",
    form: /^v=TLSRPTv1;/,
    near: ["_tls", "smtp._tls", "_smtp_tls"],
    first: /^rua[ \t]*=/i,
  },
  bimi: {
    title: "BIMI",
    version: "v=BIMI1",
    place: "default._bimi",
    form: /^v[ \t]*=[ \t]*BIMI1[ \t]*(?:;|$)/i,
    near: ["_bimi"],
    first: /^[al][ \t]*=/i,
  },
  spf: {
    title: "SPF",
    version: "v=spf1",
    place: "",
    form: /^v=spf1(?: |$)/i,
    near: ["_dmarc"],
    first: /^include:/i,
  },
  // Below the selector, so that its place depends on that.
  dkim: {
    title: "DKIM",
    version: "v=DKIM1",
    place: "",
    form: /^(?:v[ \t]*=[ \t]*DKIM1[ \t]*(?:;|$)|k[ \t]*=[^;]*;[ \t]*p[ \t]*=)/,
    near: ["_domainkey"],
    first: /^k[ \t]*=/i,
  },
} as const

export type TextRecordKind = keyof typeof kinds
const kindNames = (Object.keys(kinds) as TextRecordKind[]).filter((kind) => kind !== "dkim")

/** Whether a TXT record is of this kind: it begins with the version. Receivers ignore all others. */
export function isRecordOf(kind: TextRecordKind, text: string): boolean {
  return kinds[kind].form.test(text)
}

/** Asks for the TXT records of a name. */
type Ask = (name: string) => Promise<DnsAnswer<"TXT">>

/** Makes a problem that each check of such a record can find. */
type ToProblem<Problem> = (
  code: "no_record" | "multiple_records" | "not_a_record" | "wrong_place",
  where: string,
  message: string,
) => Problem

/**
 * Finds the one record of a kind at the first of these names that has any; null without one, and where there are several.
 * @param domain the domain to whose name the first place belongs
 * @throws Unavailable when the DNS does not answer for one of the places
 */
export async function selectRecord<Problem>(
  kind: TextRecordKind,
  domain: string,
  places: readonly [string, ...string[]],
  ask: Ask,
  toProblem: ToProblem<Problem>,
): Promise<{ readonly place: string; readonly record: string | null; readonly problems: Problem[] }> {
  const [first] = places
  const problems: Problem[] = []
  let atFirst: readonly string[] = []
  for (const place of places) {
    const texts = requireRecords(await ask(place), place)
    if (place === first) atFirst = texts
    problems.push(
      ...explainNearly(kind, place, texts).map((message) => toProblem("not_a_record", place, message)),
    )
    const records = texts.filter((text) => isRecordOf(kind, text))
    const [record = null, second] = records
    if (second !== undefined)
      problems.push(toProblem("multiple_records", place, `${place} has ${records.length} records.`))
    if (record !== null) return { place, record: second === undefined ? record : null, problems }
  }
  const message = `${places.join(" and ")} ${places.length > 1 ? "have" : "has"} no record.`
  const misplaced = await findMisplaced(kind, domain, first, atFirst, ask)
  problems.push(toProblem("no_record", first, message), ...toProblems(misplaced, toProblem))
  return { place: first, record: null, problems }
}

/** A problem for each record in a wrong place. */
export function toProblems<Problem>(
  misplaced: readonly Misplaced[],
  toProblem: (code: "wrong_place", where: string, message: string) => Problem,
): Problem[] {
  return misplaced.map(({ where, message }) => toProblem("wrong_place", where, message))
}

/** A record where nobody looks for it. */
export interface Misplaced {
  /** The name that has it. */
  readonly where: string
  readonly text: string
  /** The name that should have it. */
  readonly place: string
  readonly message: string
}

/**
 * Looks for a record in the wrong places, to be called when there is none at the right one: at the domain itself, without an
 * underscore, and with the domain twice, which control panels make. Records of other kinds that stand in its place are told too.
 * A place that the DNS does not answer for is passed over.
 * @param place the full name where the record belongs
 * @param texts the TXT records that are there
 */
export async function findMisplaced(
  kind: TextRecordKind,
  domain: string,
  place: string,
  texts: readonly string[],
  ask: Ask,
): Promise<Misplaced[]> {
  const names = new Set([
    domain,
    ...kinds[kind].near.map((label) => `${label}.${domain}`),
    `${place}.${domain}`,
    place.replace("._domainkey.", "."),
    place.replace("._domainkey.", ".domainkey."),
  ])
  names.delete(place)
  const strangers = kindNames.flatMap((other) => {
    const text = other === kind ? undefined : texts.find((one) => isRecordOf(other, one))
    const home = [kinds[other].place, domain].filter((part) => part !== "").join(".")
    return text === undefined || home === place ? [] : [toMisplaced(other, place, text, home)]
  })
  const elsewhere = await Promise.all(
    [...names].map(async (name) => {
      const answer = name.length > maxNameBytes ? null : await ask(name)
      const found = answer?.kind === "records" ? answer.records : []
      const text = found.find((one) => isRecordOf(kind, one))
      return text === undefined ? [] : [toMisplaced(kind, name, text, place)]
    }),
  )
  return [...strangers, ...elsewhere.flat()]
}

function toMisplaced(kind: TextRecordKind, name: string, text: string, place: string): Misplaced {
  const { title } = kinds[kind]
  const article = title === "SPF" || title === "MTA-STS" ? "an" : "a"
  return {
    ...{ where: name, text, place },
    message: `${name} has ${article} ${title} record, '${showBytes(text)}'. Its place is ${place}.`,
  }
}

/**
 * Why texts that are meant as records of a kind do not count, one sentence for each of the first five, with the usual cause.
 * @param place the name that has the texts
 */
export function explainNearly(kind: TextRecordKind, place: string, texts: readonly string[]): string[] {
  const { title } = kinds[kind]
  const sentences: string[] = []
  for (const text of texts) {
    const causes = causesOf(kind, text)
    if (causes !== null) sentences.push(`'${showBytes(text)}' of ${place} is no ${title} record: ${causes}.`)
    if (sentences.length === 5) break
  }
  return sentences
}

/**
 * Takes one mistake after the other out of the beginning of a text, until it is a record of the kind. Returns the mistakes; null
 * for a record, and for a text that is not meant as one.
 */
export function causesOf(kind: TextRecordKind, text: string): string | null {
  const { place, first } = kinds[kind]
  const { repairs, isMeant, beginning } = patterns.getOrInsertComputed(kind, compilePatterns)
  let rest = text
  const causes = new Set<string>()
  for (const [cause, wrong, right] of repairs) {
    if (isRecordOf(kind, rest)) break
    const repaired = rest.replace(wrong, right)
    if (repaired !== rest) causes.add(cause)
    rest = repaired
  }
  if (isRecordOf(kind, rest)) return causes.size === 0 ? null : [...causes].join(", and ")
  // At a place of its own, a text with the first tag of the kind is meant as a record too.
  if (!isMeant.test(rest) && (place === "" || !first.test(rest))) return null
  return [...causes, `it must begin with ${beginning}`].join(", and ")
}

/** Compiled once for each kind: a name may have thousands of texts. */
const patterns = new Map<TextRecordKind, ReturnType<typeof compilePatterns>>()

/** The mistakes with what is right in their place; `isMeant` tells whether a text that is no record is meant as one. */
function compilePatterns(kind: TextRecordKind) {
  const { version } = kinds[kind]
  const name = version.slice(2)
  const [after, separator] = kind === "spf" ? [" ", "blank"] : [";", "semicolon"]
  const family = name.replace(/v?1$/, "").replace("RPT", "-?RPT")
  const repairs: readonly (readonly [cause: string, wrong: RegExp, right: string])[] = [
    ["it begins with a blank", blanks, ""],
    ["it begins with a quotation mark", quotes, ""],
    ["it begins with a blank", blanks, ""],
    ["the backslash is a part of it", /^([^;\\]{0,20})\\+/, "$1"],
    ["an equals sign must follow v", /^(v)[ \t]*:[ \t]*/i, "$1="],
    [`v= is missing before ${name}`, new RegExp(`^${name}(?=[\\s;]|$)`, "i"), version],
    ["there is a blank beside the equals sign", /^(v)(?:[ \t]+=[ \t]*|=[ \t]+)/i, "$1="],
    [`its case must be as in ${version}`, new RegExp(`^v=${name}(?![a-z\\d])`, "i"), version],
    [
      `a ${separator} must follow ${version}`,
      new RegExp(`^${version}(?![a-z\\d])[\\s,:.;]*`, "i"),
      version + after,
    ],
  ]
  const isMeant = new RegExp(`^v=${family}|[;\\s"]v[ \\t]*=[ \\t]*${name}`, "i")
  return { repairs, isMeant, beginning: (version + after).trimEnd() }
}

const blanks = /^(?:[\s\ufeff]|\xc2\xa0|\xef\xbb\xbf)+/
const quotes = /^(?:["'`]|\xe2\x80[\x98-\x9f]|\xc2\xab)+/
