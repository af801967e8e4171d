import { Type } from "@sinclair/typebox"
import { isValid } from "../../values/problems.ts"
import {
  choice,
  type Dns,
  defineApi,
  nullable,
  nullableText,
  premium,
  type RunContext,
  reject,
} from "../contract.ts"
import { maxLabelBytes, maxNameBytes, requireDomain, requireRecords, withTimeLimit } from "../mail/look-up.ts"
import { showBytes } from "../mail/tag-list.ts"
import { findMisplaced, toProblems } from "../mail/text-records.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"
import { problem, problemList, readRecord } from "./record.ts"

const dnsLimitMs = 15_000

/** Selectors that mail services and mail servers use by default. */
const usualSelectors = [
  ...["default", "dkim", "mail", "email", "smtp", "key1", "s1", "s2", "k1", "k2", "k3"],
  ...["selector1", "selector2", "google", "fm1", "fm2", "protonmail", "mxvault", "zoho", "mandrill"],
]

export const dkimvalidator = defineApi({
  id: "dkimvalidator",
  title: "DKIM validator",
  category: "mail",
  keywords: [
    "DKIM record",
    "_domainkey",
    "selector",
    "signature",
    "public key",
    "RSA",
    "Ed25519",
    "signed mail",
    "RFC 6376",
  ],
  description:
    "Looks up the key by which a domain signs its mail, and says what is wrong with it (RFC 6376, 8301, 8463). With premium fields, also which of 20 usual selectors the domain has.",
  method: "GET",
  credits: 2,
  asksDns: true,
  input: Type.Object({
    domain: field.text("The domain that signs, such as example.com (`d=`).", { minLength: 1 }),
    selector: field.text("The name of the key, as signatures give it (`s=`).", {
      minLength: 1,
      maxLength: 253,
    }),
  }),
  output: Type.Object({
    is_valid: field.flag("Whether no problem is an error: signatures with the key can be valid."),
    problems: problemList,
    domain: field.text("The domain in lower case and in ASCII (A-labels)."),
    selector: field.text("The selector in lower case."),
    record_name: field.text("The name of the record: `_domainkey` between selector and domain."),
    record: nullableText("The record; null if there is none, or more than one."),
    key_algorithm: nullable(choice(["rsa", "ed25519", "other"], { description: "The algorithm." }), {
      description: "The algorithm of the key that the record says; null without a record.",
    }),
    key_bits: field.nullableInteger("The length of the key in bits; null if it cannot be read."),
    is_testing: field.flag("Whether the domain only tests DKIM (`t=y`)."),
    is_strict: field.flag(
      "Whether the address of the signer must be in the domain itself, not below it (`t=s`).",
    ),
    hashes: field.nullableTexts("The hashes that are allowed; null for all."),
    services: field.texts("The services that the key is for; `*` for all."),
    key_sha256: premium(
      nullableText(
        "SHA-256 of the key in hexadecimal, to compare it with others; null if it cannot be read.",
      ),
    ),
    usual_selectors: premium(field.texts("Which of 20 selectors in wide use have a key at the domain.")),
  }),
  examples: storedExamples(stored, answers),
  run: (input, context) => lookUpKey(input, context, true),
})

/**
 * Looks up the key of a selector.
 * @param looksElsewhere whether a key that is missing is looked for in wrong places too. An audit asks for many selectors.
 */
export async function lookUpKey(
  input: { readonly domain: string; readonly selector: string },
  { ports: { dns, timer }, premium }: RunContext,
  looksElsewhere = false,
) {
  const domain = await requireDomain(input.domain)
  const selector = requireSelector(input.selector, domain)
  const record_name = nameOf(selector, domain)
  const [answer, usual_selectors, misplaced] = await withTimeLimit(timer, dnsLimitMs, async (signal) => {
    const ask = (name: string) => dns.resolve(name, "TXT", signal)
    const asked = await Promise.all([ask(record_name), premium ? findSelectors(domain, dns, signal) : []])
    const isMissing = looksElsewhere && asked[0].kind !== "records" && asked[0].kind !== "failure"
    return [...asked, isMissing ? await findMisplaced("dkim", domain, record_name, [], ask) : []] as const
  })
  const names = { domain, selector, record_name }
  const records = requireRecords(answer, record_name)
  const [record, second] = records
  if (record === undefined || second !== undefined) {
    const found =
      record === undefined
        ? problem("no_record", record_name, `${record_name} has no record.`)
        : problem("multiple_records", record_name, explainSeveral(record_name, records))
    const elsewhere = toProblems(misplaced, problem)
    return { is_valid: false, problems: [found, ...elsewhere], ...names, ...nothing, usual_selectors }
  }
  const { type, key, hashes, services, flags, problems } = await readRecord(record)
  return {
    is_valid: isValid(problems),
    problems: [...problems],
    ...names,
    ...{ record, key_algorithm: type, key_bits: key?.bits ?? null },
    ...{ is_testing: flags.includes("y"), is_strict: flags.includes("s") },
    ...{ hashes: hashes && [...hashes], services: [...services] },
    ...{ key_sha256: key?.sha256 ?? null, usual_selectors },
  }
}

const nothing = {
  ...{ record: null, key_algorithm: null, key_bits: null, is_testing: false, is_strict: false },
  ...{ hashes: null, services: [], key_sha256: null },
}

/** A key that was cut at 255 bytes often goes on in a record of its own. */
function explainSeveral(name: string, records: readonly string[]): string {
  const rest = records.find((text) => /^[A-Za-z\d+/\s]+={0,2};?$/.test(text))
  const hint = `One of them, '${showBytes(rest ?? "", 40)}', seems to be the rest of a key: make it a further string of the record.`
  return `${name} has several TXT records.${rest === undefined ? "" : ` ${hint}`}`
}

function nameOf(selector: string, domain: string): string {
  return `${selector}._domainkey.${domain}`
}

/** Labels of letters, digits and hyphens, as in names of hosts; underscores are in use too (RFC 6376 §3.1). */
function requireSelector(text: string, domain: string): string {
  const selector = text.toLowerCase()
  const labels = selector.split(".")
  if (!labels.every((label) => /^[a-z\d_-]+$/.test(label) && label.length <= maxLabelBytes))
    reject("selector", "must be a name of letters, digits, hyphens and dots, such as s1 or mail.2026")
  if (nameOf(selector, domain).length > maxNameBytes)
    reject("selector", "must be at most 253 bytes long together with `._domainkey.` and the domain")
  return selector
}

/** A name that does not answer counts as one without a key. */
async function findSelectors(domain: string, dns: Dns, signal: AbortSignal): Promise<string[]> {
  const answers = await Promise.all(
    usualSelectors.map((selector) => dns.resolve(nameOf(selector, domain), "TXT", signal)),
  )
  return usualSelectors.filter((_, index) => {
    const answer = answers[index]
    return (
      answer?.kind === "records" &&
      answer.records.some((text) => /(?:^|;)[ \t]*p[ \t]*=[ \t]*[^ \t;]/.test(text))
    )
  })
}
