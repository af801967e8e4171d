import { generateKeyPairSync } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { parseAllDocuments } from "yaml"
import type { DnsZone } from "../../src/apis/contract.ts"
import { maxAskingMs } from "../../src/apis/isolated-runs.ts"
import { readAddresses } from "../../src/apis/messageauth/mailboxes.ts"
import { createRun } from "../../src/apis/messageauth/run.ts"
import { checkSender } from "../../src/apis/spfvalidator/check-host.ts"
import { type MailboxList, mailboxLists } from "../../test/support/mailboxes.ts"
import { portsFor } from "../../test/support/zone-ports.ts"
import { askPython, debianVersion, defineOracle, type Result, type Suite, unlessRefused } from "./oracle.ts"

const debianPackage = "python3-dkim"
const seed = 20_261_123
const now = "2026-11-23T12:00:00Z"

/** A message and the keys that the DNS has, by their names. Each character is a byte. */
interface Case {
  readonly message: string
  readonly keys: Readonly<Record<string, string>>
}
/** Which signatures are valid, in their order, and the result of ARC. */
interface Answer {
  readonly signatures: readonly boolean[]
  readonly arc: string
}

const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 })
const ed25519 = generateKeyPairSync("ed25519")
const rsaPem = String(rsa.privateKey.export({ type: "pkcs1", format: "pem" }))
const edSeed = ed25519.privateKey.export({ type: "pkcs8", format: "der" }).subarray(-32).toString("base64")
const rsaRecord = `v=DKIM1; k=rsa; p=${rsa.publicKey.export({ type: "spki", format: "der" }).toString("base64")}`
const edRecord = `v=DKIM1; k=ed25519; p=${ed25519.publicKey.export({ type: "spki", format: "der" }).subarray(-32).toString("base64")}`
const keys = {
  "s._domainkey.a.test": rsaRecord,
  "ed._domainkey.a.test": edRecord,
  "s._domainkey.list.test": rsaRecord,
}

const word = fc.constantFrom(
  ...["Lunch", "a b", "  two  blanks ", "\ttab", "=?UTF-8?Q?=C3=A9?=", "x;y=z", "\xc3\xa9", "end "],
)
const line = fc.oneof(
  word,
  fc.constantFrom("", " ", "\t ", ".", "From here", "--b"),
  fc.stringMatching(/^[ -~]{0,30}$/),
)
const value = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join("\r\n "))
const field = fc.tuple(fc.constantFrom("Subject", "To", "Cc", "X-One", "Received", "subject"), value)
const plain = fc
  .tuple(fc.array(field, { maxLength: 5 }), fc.array(line, { maxLength: 6 }), fc.nat(5))
  .map(([fields, lines, place]) => {
    const header = fields.map(([name, text]) => `${name}: ${text}`)
    header.splice(place, 0, "From: Ann <ann@a.test>")
    return `${header.join("\r\n")}\r\n\r\n${lines.map((one) => `${one}\r\n`).join("")}`
  })
const signing = fc.record({
  canonicalization: fc.constantFrom("simple/simple", "simple/relaxed", "relaxed/simple", "relaxed/relaxed"),
  isEd25519: fc.boolean(),
  headers: fc.constantFrom(
    ["from"],
    ["from", "subject", "to"],
    ["from", "from", "subject", "subject", "x-one"],
  ),
  length: fc.boolean(),
})

/** Messages that dkimpy has signed once or twice, and sealed up to three times. */
async function signMessages(count: number): Promise<readonly string[]> {
  const bases = fc.sample(fc.tuple(plain, fc.array(signing, { minLength: 0, maxLength: 2 }), fc.nat(3)), {
    seed,
    numRuns: count,
  })
  let messages = bases.map(([message]) => message)
  const apply = async (jobOf: (index: number) => object | null) => {
    const jobs = messages.map((_, index) => jobOf(index))
    const answers = await askPython<string>(
      "messageauth.py",
      jobs.flatMap((job, index) => (job ? [{ work: "sign", message: messages[index], ...job }] : [])),
      debianPackage,
    )
    messages = messages.map((message, index) => (jobs[index] ? (answers.shift() ?? "") : message))
  }
  for (const round of [0, 1])
    await apply((index) => {
      const options = bases[index]?.[1][round]
      if (!options) return null
      const { isEd25519, ...more } = options
      const algorithm = isEd25519 ? "ed25519-sha256" : "rsa-sha256"
      return {
        kind: "dkim",
        selector: isEd25519 ? "ed" : "s",
        key: isEd25519 ? edSeed : rsaPem,
        algorithm,
        ...more,
      }
    })
  for (const round of [0, 1, 2])
    await apply((index) => ((bases[index]?.[2] ?? 0) > round ? { kind: "arc", key: rsaPem } : null))
  return messages
}

let pool: readonly string[] = []

interface Change {
  readonly how: string
  readonly at: number
  readonly text: string
}
const change = fc.record({
  how: fc.constantFrom(
    ..."none none body cut append fold case top drop repeat tag untag swap key".split(" "),
  ),
  at: fc.nat(10_000),
  text: fc.constantFrom(
    ...["x", " ", "\t", "\r\n"],
    ..."i=2; v=2; l=3; x=1; t=9999999999; c=relaxed; q=dns/txt; h=to; z=a; cv=fail; ".split(/(?<= )(?=.)/),
  ),
})

function changed({ message, keys: known }: Case, { how, at, text }: Change): Case {
  const end = message.indexOf("\r\n\r\n")
  const fields = message.slice(0, end).split(/\r\n(?![ \t])/)
  const body = message.slice(end + 4)
  const lines = body.split("\r\n")
  const index = at % fields.length
  const own = fields[index] ?? ""
  const same = { message, keys: known }
  const withFields = (...all: readonly string[]) => ({
    ...same,
    message: `${all.join("\r\n")}\r\n\r\n${body}`,
  })
  const replaced = (...all: readonly string[]) => withFields(...fields.toSpliced(index, 1, ...all))
  const withBody = (all: string) => ({ ...same, message: `${message.slice(0, end + 4)}${all}` })
  const isTagged = /^(?:DKIM|ARC)-S|^ARC-M/i.test(own)
  switch (how) {
    case "body": {
      const place = at % lines.length
      const more = /^[ -~\t]/.test(text) ? text : ""
      return withBody(lines.with(place, `${lines[place]}${more}`).join("\r\n"))
    }
    case "cut":
      return withBody(
        lines
          .slice(0, at % lines.length)
          .map((one) => `${one}\r\n`)
          .join(""),
      )
    case "append":
      return withBody(`${body}\r\n\r\n${text.trim() === "" ? "" : `${text}\r\n`}`)
    case "fold":
      return replaced(own.replace(/: /, ":\r\n "))
    case "case":
      return replaced(own.replace(/^[^:]*/, (name) => name.toUpperCase()))
    case "top":
      return withFields(`Subject: ${/\w/.test(text) ? text : "x"}`, ...fields)
    case "drop":
      return /^from:/i.test(own) ? same : replaced()
    case "repeat":
      return replaced(own, own)
    case "tag":
      return isTagged ? replaced(own.replace(/: */, `: ${/=/.test(text) ? text : ""}`)) : same
    case "untag":
      return isTagged ? replaced(own.replace(new RegExp(`\\b${"vacdshqtb"[at % 9]}=[^;]*;?`), "")) : same
    case "swap":
      return withFields(...fields.slice(0, index), ...fields.slice(index).reverse())
    case "key":
      return { message, keys: { ...known, "s._domainkey.a.test": otherRecords[at % 7] ?? "" } }
    default:
      return same
  }
}

/** Records in the place of the key. */
const otherRecords = [
  ...[rsaRecord.replace("k=rsa; ", ""), `${rsaRecord}; t=s`, rsaRecord.replace("rsa;", "rsa; h=sha1;")],
  ...["v=DKIM1; p=", rsaRecord.replace("DKIM1", "DKIM2"), edRecord, rsaRecord.replace(/p=..../, "p=AAAA")],
]

const headerOf = (message: string): string => message.slice(0, message.indexOf("\r\n\r\n"))

const run = createRun(checkSender, maxAskingMs)

function contextOf(records: Readonly<Record<string, string>>, clock: { readonly now?: string } = {}) {
  const dns: DnsZone = Object.fromEntries(Object.entries(records).map(([name, TXT]) => [name, [{ TXT }]]))
  return { ports: portsFor({ given: { ...clock, dns } }), giveWay: () => undefined, premium: false }
}

async function answerOf({ message, keys: records }: Case): Promise<Answer> {
  const text = Buffer.from(message, "latin1").toString("base64")
  const { results } = await run({ message: text }, contextOf(records, { now }))
  const signatures = results.filter(({ method, domain }) => method === "dkim" && domain !== null)
  return {
    signatures: signatures.map(({ result }) => result === "pass"),
    arc: results.find(({ method }) => method === "arc")?.result ?? "none",
  }
}

const messages = defineOracle<Case, Answer>({
  api: "messageauth",
  against: "python3-dkim (dkimpy: DKIM and ARC)",
  cases: 3_000,
  generate: fc
    .tuple(fc.nat(499), fc.array(change, { minLength: 0, maxLength: 2 }))
    .map(([index, changes]) => changes.reduce(changed, { message: pool[index] ?? "", keys })),
  async version() {
    pool = await signMessages(500)
    return debianVersion(debianPackage)
  },
  ours: answerOf,
  theirs: (cases) =>
    askPython(
      "messageauth.py",
      cases.map(({ message, ...rest }) => {
        const header = message.slice(0, message.indexOf("\r\n\r\n"))
        return {
          work: "verify",
          message,
          ...rest,
          signatures: header.match(/^DKIM-Signature[ \t]*:/gim)?.length ?? 0,
        }
      }),
      debianPackage,
    ),
  known: [
    {
      reason:
        "relaxed bodies that end in lines of blanks, which RFC 6376 §3.4.4 leaves out and python3-dkim does not",
      fits: ({ message }, ours, theirs) =>
        /c=relaxed\/relaxed|c=simple\/relaxed/.test(headerOf(message)) &&
        /\r\n[ \t]+(?:\r\n)*$/.test(message) &&
        theirs.signatures.every((isValid, index) => !isValid || ours.signatures[index]),
    },
    {
      reason:
        "a message with several fields From: python3-dkim checks no signature of it; here DMARC refuses it (RFC 9989 §5.3.1)",
      fits: ({ message }, ours, theirs) =>
        (headerOf(message).match(/^From[ \t\r\n]*:/gim)?.length ?? 0) > 1 &&
        !theirs.signatures.includes(true) &&
        ours.arc === theirs.arc,
    },
    {
      reason:
        "a key that is for SHA-1 alone (`h=sha1`), which python3-dkim uses for SHA-256 against RFC 6376 §6.1.2",
      fits: ({ keys: records }, ours, theirs) =>
        Object.values(records).some((record) => record.includes("h=sha1")) &&
        ours.signatures.every((isValid, index) => !isValid || theirs.signatures[index]),
    },
  ],
})

/** Each address as its local part, a line feed and its domain; null for a field that cannot be read, or the name of an error. */
type Addresses = readonly string[] | string | null

const addresses = defineOracle<MailboxList, Addresses>({
  api: "messageauth",
  against: "Python email (the addresses of a field From)",
  cases: 5_000,
  generate: mailboxLists,
  version: () => debianVersion("python3"),
  async ours({ text }) {
    return (
      readAddresses(text)?.map((address) => {
        const domain = address.slice(address.lastIndexOf("@") + 1)
        const local = address.slice(0, -domain.length - 1)
        const isQuoted = local.startsWith('"')
        return `${isQuoted ? local.slice(1, -1).replace(/\\(.)/g, "$1") : local}\n${domain}`
      }) ?? null
    )
  },
  theirs: (cases) =>
    askPython(
      "messageauth-addresses.py",
      cases.map(({ text }) => text.replaceAll("\r\n", "")),
      "python3",
    ),
  known: [
    {
      reason:
        "an empty group (RFC 5322 §3.4), at which the parser of Python 3.11 ends with an AttributeError",
      fits: ({ text }, ours, theirs) => theirs === "AttributeError" && /;/.test(text) && Array.isArray(ours),
    },
  ],
})

export const oracles = [messages, addresses]

interface Scenario {
  readonly tests: Readonly<Record<string, { readonly message: string; readonly cv?: string | null }>>
  readonly "txt-records"?: Readonly<Record<string, string>>
}

/** Why tests have another result. */
const knownTests: Readonly<Record<string, string>> = {
  ams_fields_c_na:
    "a signature without `c=` is simple/simple (RFC 8617 §4.1.2, RFC 6376 §3.5); that of the suite is made as relaxed",
  ams_fields_h_empty:
    "a signature that covers no field, From neither: RFC 6376 §3.5 and §5.4 forbid it, and the suite takes it",
}

/** Tests of the validation of ARC chains, by ValiMail. Keys and messages are of 2017. */
const arc: Suite = {
  api: "messageauth, ARC",
  name: "arc_test_suite",
  get: "git clone https://github.com/ValiMail/arc_test_suite",
  async run(folder) {
    const text = readFileSync(join(folder, "tests", "arc-draft-validation-tests.yml"), "utf8")
    const results: Result[] = []
    for (const document of parseAllDocuments(text)) {
      const scenario = document.toJS() as Scenario | null
      for (const [test, { message, cv }] of Object.entries(scenario?.tests ?? {})) {
        // A test without an expected status takes any.
        const wanted = cv?.toLowerCase()
        const status = await statusOf(message, scenario?.["txt-records"] ?? {})
        const isRight = !wanted || status === wanted
        results.push({ test: `${test} is ${status} instead of ${wanted}`, isRight, reason: knownTests[test] })
      }
    }
    return results
  },
}

export const suites: readonly Suite[] = [arc]

async function statusOf(message: string, records: Readonly<Record<string, string>>): Promise<string> {
  const answer = await unlessRefused(() => run({ message }, contextOf(records)))
  // Text that is no message has no chain.
  return answer?.results.find(({ method }) => method === "arc")?.result ?? "none"
}
