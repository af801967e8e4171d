import { fromUtf8 } from "../../values/byte-text.ts"
import { isValid, verdictOf } from "../../values/problems.ts"
import type { Ports } from "../contract.ts"
import { newProblems, problem } from "./bimi-problems.ts"
import { failureOf, organizationalDomain, policiesOf, policyRecord, walkDmarc } from "./dmarc-walk.ts"
import { refuseFailure, withTimeLimit } from "./look-up.ts"
import { checkMark } from "./mark-certificate.ts"
import { readDocument } from "./read-document.ts"
import { checkSvg } from "./svg-check.ts"
import { explainPart, readTagList, showBytes } from "./tag-list.ts"
import { selectRecord } from "./text-records.ts"

/** Longer than two requests at the same time may take. */
const limitMs = 15_000
const maxTextBytes = 65_536

/** The result for a domain's logo, or for a logo alone. */
export type BimiResult = Awaited<ReturnType<typeof checkBimi | typeof checkLogo>>

type BimiPorts = Pick<Ports, "clock" | "dns" | "timer" | "web">

const nothing = {
  ...{ record_name: null, record: null, is_declined: false, logo_url: null, authority_url: null },
  ...{ dmarc_policy: null, is_svg_valid: null, svg_title: null, vmc: null, certificate_chain: [] },
} as const

/** Checks a logo that is not published. */
export async function checkLogo(svg: string) {
  const { title, problems } = await checkSvg(svg)
  const is_valid = isValid(problems)
  return { ...nothing, is_valid, problems: [...problems], is_svg_valid: is_valid, svg_title: title }
}

/**
 * Checks the record, the logo and the mark certificate of a domain (draft-brand-indicators-for-message-identification).
 * @param domain in lower case and in A-labels
 * @param given the text of a logo, which is then not read from its host
 * @param roots for tests: further roots of mark certificates, in PEM
 * @throws Unavailable when the DNS does not answer
 */
export async function checkBimi(
  {
    domain,
    selector,
    given,
  }: { readonly domain: string; readonly selector: string; readonly given: string | null },
  ports: BimiPorts,
  roots: readonly string[] = [],
) {
  return withTimeLimit(ports.timer, limitMs, async (signal) => {
    const steps = await walkDmarc(domain, ports.dns, signal)
    const failure = failureOf(steps)
    if (failure) refuseFailure(failure, `_dmarc.${failure.domain}`)
    const organizational = organizationalDomain(domain, steps)
    const at = await findRecord([...new Set([domain, organizational])], selector, ports, signal)
    const applied = policyRecord(domain, steps)
    const policies = applied && policiesOf(applied)
    const dmarc_policy = policies ? (applied.domain === domain ? policies.p : policies.sp) : null
    const problems = [...at.problems]
    const read = at.record === null ? null : readRecord(at.record)
    if (read) problems.push(...read.problems)
    const found = {
      ...{
        record_name: at.place,
        record: at.record,
        dmarc_policy,
        is_declined: read?.is_declined ?? false,
      },
      ...{ logo_url: read?.logo_url ?? null, authority_url: read?.authority_url ?? null },
    }
    const isEnforced = policies && dmarc_policy !== "none" && policies.p !== "none" && policies.sp !== "none"
    if (!isEnforced && !found.is_declined)
      problems.push(
        problem(
          "dmarc",
          `_dmarc.${applied?.domain ?? domain}`,
          "The DMARC policy must be quarantine or reject.",
        ),
      )
    const documents = await readDocuments(found, given, ports, signal)
    const svg = documents.svg === null ? null : await checkSvg(documents.svg)
    const mark =
      documents.mark &&
      (await checkMark(documents.mark, {
        url: found.authority_url ?? "",
        domains: [domain, organizational],
        logo: documents.svg === null ? null : Buffer.from(documents.svg),
        nowMs: ports.clock.now(),
        roots,
      }))
    problems.push(...documents.problems, ...(svg?.problems ?? []), ...(mark ? mark.problems : []))
    return {
      ...found,
      ...verdictOf(problems),
      is_svg_valid: svg && isValid(svg.problems),
      svg_title: svg?.title ?? null,
      vmc: mark ? mark.vmc : null,
      certificate_chain: mark ? mark.chain : [],
    }
  })
}

/** The record of the first of these domains that has any. */
async function findRecord(
  domains: readonly string[],
  selector: string,
  { dns }: BimiPorts,
  signal: AbortSignal,
) {
  const [first = "", ...others] = domains.map((domain) => `${selector}._bimi.${domain}`)
  const ask = (name: string) => dns.resolve(name, "TXT", signal)
  const found = await selectRecord("bimi", domains[0] ?? "", [first, ...others], ask, problem)
  const { place, record, problems } = found
  if (record !== null && place !== first)
    problems.push(problem("organizational_domain", place, `${first} has no record, and ${place} has one.`))
  return found
}

/** Reads the logo and the mark certificate at the same time. */
async function readDocuments(
  { logo_url, authority_url }: Readonly<Record<"logo_url" | "authority_url", string | null>>,
  given: string | null,
  { web }: BimiPorts,
  signal: AbortSignal,
) {
  const read = async (url: string | null) =>
    url === null ? null : { url, ...readDocument("document", await web.get(url, signal)) }
  const [logo, mark] = await Promise.all([given === null ? read(logo_url) : null, read(authority_url)])
  const problems = [logo, mark].flatMap((one) =>
    one?.refusal ? [problem(one.refusal[0], one.url, one.refusal[1])] : [],
  )
  const markText = mark?.body ? Buffer.from(mark.body).toString("latin1") : null
  if (given !== null || logo_url === null || !logo?.body) return { svg: given, mark: markText, problems }
  const svg = await readLogo(logo.body, logo.contentType, logo_url)
  return { svg: svg.text, mark: markText, problems: [...problems, ...svg.problems] }
}

/** The text of a logo, which may be compressed by gzip. */
async function readLogo(body: Uint8Array, contentType: string | null, url: string) {
  const { gunzipSync } = await import("node:zlib")
  const [problems, add] = newProblems()
  if (!/^image\/svg\+xml[ \t]*(?:;|$)/i.test(contentType ?? ""))
    add("document_type", url, "The logo is not served as image/svg+xml.")
  let bytes = body
  if (body[0] === 0x1f && body[1] === 0x8b) {
    try {
      bytes = gunzipSync(body, { maxOutputLength: maxTextBytes })
    } catch {
      const message = "The logo is not gzip, or has over 65536 bytes when it is decompressed."
      return { text: null, problems: [...problems, problem("document_too_large", url, message)] }
    }
  }
  const text = fromUtf8(bytes)
  if (text === null) add("svg_xml", url, "The logo is not text in UTF-8.")
  return { text, problems }
}

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
  return /^https:\/\/[^\s,;/?#]/i.test(text) && /^[\x21-\x7e]{1,9999}$/.test(text) && URL.canParse(text)
}
