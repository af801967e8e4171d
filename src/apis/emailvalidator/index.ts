import { Type } from "@sinclair/typebox"
import { dataDate } from "../../values/data-list.ts"
import { hasValidALabels, isAscii, toALabels } from "../../values/idna.ts"
import { isValid, type Severity } from "../../values/problems.ts"
import { choice, defineApi, nullable, nullableText, premium, type RunContext } from "../contract.ts"
import { findDmarc } from "../mail/dmarc-walk.ts"
import { withTimeLimit } from "../mail/look-up.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import { diagnosisNames, newProblems, problem, problemList, toDiagnosis, toProblem } from "./diagnoses.ts"
import { builtInDisposable, type DisposableDomains, isDisposable } from "./disposable.ts"
import stored from "./examples.json"
import known from "./known-names.json"
import { findMailServers, isSpecial, reasons } from "./mail-servers.ts"

/** DNS answers that take longer are not used. */
const dnsLimitMs = 15_000
/** isemail's results from this number on: the address has no local part and domain that a mail server could use. */
const firstUnusable = 16
/** The longest local part, an `@` and the longest domain. Addresses over 254 bytes get an answer that says so. */
const maxCharacters = 320

/** Makes the API with a list of disposable domains: the built-in one, or a newer one of the operator. */
export function createEmailvalidator(disposable: DisposableDomains) {
  return defineApi({
    id: "emailvalidator",
    title: "Email address validator",
    category: "mail",
    keywords: ["e-mail", "mailbox", "syntax", "real", "MX", "disposable", "sign up", "RFC 5321", "DMARC"],
    description:
      "Checks the syntax of an email address (RFC 5321, 6531) and whether it belongs to a role, such as `info@`. With premium fields, also whether the domain accepts mail (MX), its DMARC policy and whether it is a disposable domain. It sends no mail and does not connect to a mail server.",
    method: "GET",
    credits: 1,
    asksDns: true,
    lists: [{ name: "disposable-domains", date: disposable.date }],
    input: Type.Object({
      email: field.text("The address, without a name before it and without angle brackets.", {
        minLength: 1,
        maxLength: maxCharacters,
      }),
    }),
    output: Type.Object({
      is_valid: field.flag("Whether no problem is an error: mail servers accept the form of the address."),
      problems: problemList,
      diagnosis: choice(diagnosisNames, {
        description:
          "How widely the address is accepted: `valid`: everywhere; `unusual`: it is correct, but many programs refuse it; `header_only`: in a message header, but not by mail servers; `obsolete`: only in old messages; `too_broad`: only by the widest reading of RFC 5322; `invalid`: nowhere.",
      }),
      local_part: nullableText(
        "The part before the `@`, in the Unicode form NFC; null if mail servers cannot use it.",
      ),
      domain: nullableText(
        "The domain in lower case and in ASCII (A-labels); null if mail servers cannot use it.",
      ),
      ascii: nullableText(
        "The address with the domain in A-labels; null if it is not valid, or if the part before the `@` is not ASCII.",
      ),
      is_smtputf8_required: field.flag(
        "Whether only servers with the SMTPUTF8 extension accept it (RFC 6531).",
      ),
      is_role: field.flag("Whether it belongs to a role, such as `info@`, and not to a person."),
      suggestion: nullableText(
        "The address that was probably meant, with a well-known domain such as `gmail.com` for one that is written almost so; null without one.",
      ),
      is_disposable: premium(
        field.nullableFlag(
          "Whether the domain offers addresses that are used for a short time; null without a domain name.",
        ),
      ),
      data_date: dataDate("the list of disposable domains"),
      delivery: premium(
        field.nullableGroup(
          "Where mail for the address goes; null if the address is not valid or has no domain name.",
          {
            is_accepting_mail: field.nullableFlag(
              "Whether the domain accepts mail; null if the DNS gave no answer.",
            ),
            reason: choice(reasons, {
              description:
                "Why: `mx`: it names mail servers; `implicit_mx`: it names none, but has an IP address (RFC 5321 §5.1); `null_mx`: it says that it accepts no mail (RFC 7505); `no_domain`: it does not exist; `no_address`: neither its mail servers nor, without any, the domain itself have an IP address; `dns_failure`: the DNS gave no answer.",
            }),
            mail_servers: field.rows("The servers, at most 50, in the order in which senders try them.", {
              preference: field.integer("Its preference; senders try the lowest first."),
              host: field.text("The name of the server."),
            }),
          },
        ),
      ),
      dmarc: premium(
        field.nullableGroup("The DMARC policy of the domain (RFC 9989); null where `delivery` is.", {
          has_record: field.nullableFlag("Whether a record applies; null if the DNS gave no answer."),
          policy: nullable(choice(["none", "quarantine", "reject"], { description: "The policy." }), {
            description: "What receivers are asked to do with mail that fails; null without a record.",
          }),
          record_domain: nullableText("The domain whose record applies; null without a record."),
          record: nullableText("The record; null without one."),
        }),
      ),
    }),
    examples: storedExamples(stored, answers),
    async run({ email }, context) {
      const { default: isemail } = await import("isemail")
      // Many calls may wait for the library: without this, all would go on in the same turn of the event loop.
      const pause = context.giveWay()
      if (pause) await pause
      const address = await withALabels(email)
      const number = isemail.validate(withoutQuotedSpaces(address), { errorLevel: true })
      const { localPart, name, problems } = await readParts(address, number, hiddenIn(email))
      const valid = isValid(problems)
      const isName = name !== null && !name.startsWith("[")
      const is_smtputf8_required = valid && localPart !== null && !isAscii(localPart)
      const { is_disposable, delivery, dmarc } =
        valid && isName && context.premium ? await lookUp(name, disposable, context) : notLookedUp
      return {
        is_valid: valid,
        problems,
        diagnosis: diagnosisOf(number, problems),
        local_part: localPart,
        domain: name,
        ascii: valid && !is_smtputf8_required ? `${localPart}@${name}` : null,
        is_smtputf8_required,
        is_role: localPart !== null && isRole(localPart),
        suggestion: await suggest(address),
        is_disposable,
        data_date: disposable.date,
        delivery,
        dmarc,
      }
    },
  })
}

/** RFC 5321 §4.1.2 allows spaces in quotation marks; isemail takes them for white space that mail servers refuse. */
function withoutQuotedSpaces(email: string): string {
  return email.replace(/^"(?:[^"\\]|\\.)*"(?=@)/, (quoted) => quoted.replaceAll(" ", "_"))
}

function diagnosisOf(number: number, problems: readonly { readonly severity: Severity }[]) {
  if (number >= firstUnusable) return toDiagnosis(number)
  if (!isValid(problems)) return "invalid"
  return problems.length === 0 ? "valid" : "unusual"
}

/** Writes the domain in A-labels, since limits of length are for that form. A domain that cannot be written so stays as it is. */
async function withALabels(email: string): Promise<string> {
  const address = email.normalize("NFC")
  const at = address.lastIndexOf("@") + 1
  const domain = address.slice(at)
  return address.slice(0, at) + ((await toALabels(domain)) ?? domain)
}

/** The parts of an address that mail servers can use, and its problems. */
async function readParts(address: string, number: number, hiddenInDomain: string) {
  const found = hasWrongPair(address) ? wrongPair : toProblem(number)
  const [problems, add] = newProblems(found === null ? [] : [found])
  if (hiddenInDomain !== "")
    add("hidden_character", "domain", `The domain has invisible characters: ${hiddenInDomain}.`)
  if (number >= firstUnusable || found === wrongPair) return { localPart: null, name: null, problems }
  const at = address.lastIndexOf("@")
  const localPart = address.slice(0, at)
  const written = address.slice(at + 1)
  const name = written.startsWith("[") ? written : written.toLowerCase()
  const hidden = toCodes(localPart.match(/[^ \P{Z}]|\p{C}/gu))
  if (hidden !== "")
    add("hidden_character", "local part", `The local part has invisible characters: ${hidden}.`)
  if (!isAscii(name) || !(await hasValidALabels(name))) {
    add("idna", "domain", "The domain has characters that no domain name can have.")
    return { localPart, name: null, problems }
  }
  if (!/[.[]/.test(name)) problems.push(problem("single_label", "domain", "The domain has a single label."))
  if (isSpecial(name))
    problems.push(problem("special_domain", "domain", "Domains with this ending accept no mail."))
  return { localPart, name, problems }
}

/** RFC 5321 §4.1.2: a backslash stands before a character of ASCII. RFC 6531 §3.3 does not extend that; isemail takes any. */
function hasWrongPair(address: string): boolean {
  return /^"(?:[^"\\]|\\[\0-\x7f])*\\[^\0-\x7f]/.test(address)
}

const wrongPair = problem(
  "character",
  "local part",
  "A backslash can only stand before a character of ASCII.",
)

/** The invisible characters of a domain as it was written, such as `U+200B`. Writing it in A-labels leaves them out. */
function hiddenIn(email: string): string {
  return toCodes(email.slice(email.lastIndexOf("@") + 1).match(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu))
}

const roles = new Set(known.roles)

/** Whether a local part names a role. A tag does not count: `support+fr` is one. */
function isRole(localPart: string): boolean {
  return roles.has(localPart.toLowerCase().replace(/\+.*$/s, ""))
}

function toCodes(characters: readonly string[] | null): string {
  const codes = new Set(
    characters?.map((one) => one.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")),
  )
  return [...codes].map((code) => `U+${code}`).join(", ")
}

/** The address with the well-known domain that was probably meant. */
async function suggest(address: string): Promise<string | null> {
  const [, localPart, domain = ""] = /^([^\s@"(),:;<>[\]\\]+)@([^@]+)$/.exec(address) ?? []
  if (localPart === undefined) return null
  const { wellKnownDomain } = await import("./suggestion.ts")
  const meant = wellKnownDomain(domain.toLowerCase())
  return meant ? `${localPart}@${meant}` : null
}

const notLookedUp = { is_disposable: null, delivery: null, dmarc: null }

async function lookUp(domain: string, disposable: DisposableDomains, { ports: { dns, timer } }: RunContext) {
  const [is_disposable, [delivery, dmarc]] = await Promise.all([
    isDisposable(domain, disposable),
    withTimeLimit(timer, dnsLimitMs, (signal) =>
      Promise.all([findMailServers(domain, dns, signal), findDmarc(domain, dns, signal)]),
    ),
  ])
  return { is_disposable, delivery, dmarc }
}

/** The API with the built-in list. */
export const emailvalidator = createEmailvalidator(builtInDisposable)
