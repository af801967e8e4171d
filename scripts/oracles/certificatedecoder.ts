/** Checks certificates that Python makes, against what it puts into them, and public ones, against what openssl reads in them. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Glob } from "bun"
import fc from "fast-check"
import { run } from "../../src/apis/certificatedecoder/run.ts"
import { parseIpv4, parseIpv6 } from "../../src/values/ip.ts"
import { portsFor } from "../../test/support/zone-ports.ts"
import {
  askPython,
  debianVersion,
  defineOracle,
  type Result,
  run as runProgram,
  type Suite,
  unlessRefused,
} from "./oracle.ts"

/** The contents of a certificate. */
type Facts = Readonly<Record<string, unknown>>

/** The certificates that were made, by the numbers that they were made from. */
const made = new Map<number, string>()
const context = { ports: portsFor({}), giveWay: () => undefined, premium: true }

function factsOf(answer: Awaited<ReturnType<typeof run>>) {
  const seconds = (text: string | null) => text?.replace(/(?:\.000)?Z$/, "") ?? null
  return {
    serial_number: String(BigInt(`0x${answer.serial_number}`)),
    not_before: seconds(answer.valid_from),
    not_after: seconds(answer.valid_until),
    is_ca: answer.is_ca,
    path_length: answer.path_length,
    key_usage: answer.key_usage,
    extended_key_usage: answer.extended_key_usage,
    names: answer.names.map(({ kind, value }): [string, string] => [kind, value]),
    subject_key_id: answer.subject_key_id,
    authority_key_id: answer.authority_key_id,
    ocsp_urls: answer.ocsp_urls,
    crl_urls: answer.crl_urls,
    extensions: answer.extensions.map(({ oid, is_critical }): [string, boolean] => [oid, is_critical]),
    sha256: answer.fingerprints.sha256,
    key_sha256: answer.fingerprints.key_sha256,
  }
}

export const oracle = defineOracle<number, Facts>({
  api: "certificatedecoder",
  against: "python3-cryptography",
  cases: 2_500,
  // Hardly any number twice: signatures of the same certificate can differ.
  generate: fc.noBias(fc.nat()),
  version: () => debianVersion("python3-cryptography"),
  async ours(number) {
    const answer = await run({ certificate: made.get(number) ?? "" }, context)
    return {
      ...factsOf(answer),
      subject_parts: answer.subject_parts.map(({ attribute, value }) => [attribute, value]),
      bits: answer.key.bits,
      hash: /with (.*)$/.exec(answer.signature_algorithm)?.[1]?.replace("-", "").toLowerCase() ?? null,
    }
  },
  async theirs(numbers) {
    const all = await askPython<{ readonly pem: string; readonly facts: Facts }>(
      "certificatedecoder.py",
      numbers,
      "python3-cryptography",
    )
    for (const [index, { pem }] of all.entries()) made.set(numbers[index] ?? 0, pem)
    return all.map(({ facts }) => facts)
  },
  known: [],
})

const command = [
  ..."openssl x509 -noout -text -pubkey -serial -startdate -enddate -dateopt iso_8601 -fingerprint -sha256".split(
    " ",
  ),
  ..."-certopt no_header,no_version,no_serial,no_validity,no_subject,no_issuer,no_sigdump".split(" "),
]

/** The words of openssl for what has other names in the API. */
const names: Readonly<Record<string, string>> = {
  ...{ DNS: "dns", "IP Address": "ip", email: "email", URI: "url", "Registered ID": "id" },
  ...{ DirName: "dn", EdiPartyName: "edi_party", othername: "other", X400Name: "x400" },
}
/** Kinds of names without a text, which openssl writes in forms of its own. */
const untold = new Set(["dn", "edi_party", "other", "x400"])
const usages: Readonly<Record<string, string>> = {
  "Digital Signature": "digitalSignature",
  "Non Repudiation": "nonRepudiation",
  "Key Encipherment": "keyEncipherment",
  "Data Encipherment": "dataEncipherment",
  "Key Agreement": "keyAgreement",
  "Certificate Sign": "keyCertSign",
  "CRL Sign": "cRLSign",
  "Encipher Only": "encipherOnly",
  "Decipher Only": "decipherOnly",
}
const purposes: Readonly<Record<string, string>> = {
  "TLS Web Server Authentication": "serverAuth",
  "TLS Web Client Authentication": "clientAuth",
  "Code Signing": "codeSigning",
  "E-mail Protection": "emailProtection",
  "Time Stamping": "timeStamping",
  "OCSP Signing": "OCSPSigning",
  "Microsoft Smartcard Login": "1.3.6.1.4.1.311.20.2.2",
  "Any Extended Key Usage": "anyExtendedKeyUsage",
  "Signing KDC Response": "1.3.6.1.5.2.3.5",
  "CT Precertificate Signer": "1.3.6.1.4.1.11129.2.4.4",
  "ipsec Internet Key Exchange": "1.3.6.1.5.5.7.3.17",
}
/** The contents of a certificate, as openssl prints them. */
function readFacts(out: string): Facts {
  const line = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(out)?.[1] ?? ""
  const seconds = (name: string) =>
    line(name)
      .padStart(20, "0")
      .replace(/^ +/, (blanks) => "0".repeat(blanks.length))
      .replace(" ", "T")
      .replace("Z", "")
  const [key = ""] = /-----BEGIN PUBLIC KEY-----\n([^-]+)/.exec(out)?.slice(1) ?? []
  const extensions = [...out.matchAll(/^ {12}(\S[^\n]*?): ?(critical)?\n((?: {16}[^\n]*\n|\n)*)/gm)]
  const textOf = (called: string) => extensions.find(([, name]) => name === called)?.[3]?.trim() ?? null
  const hexOf = (name: string) =>
    textOf(name)
      ?.replace(/^keyid:/, "")
      .replaceAll(":", "")
      .toLowerCase() ?? null
  const listOf = (name: string, words: Readonly<Record<string, string>>) =>
    textOf(name)
      ?.split(", ")
      .map((word) => words[word] ?? word) ?? null
  const urlsOf = (name: string, pattern: RegExp) =>
    [...(textOf(name) ?? "").matchAll(pattern)].map(([, url]) => url)
  const pathLength = /pathlen:(\d+)/.exec(textOf("X509v3 Basic Constraints") ?? "")?.[1]
  return {
    serial_number: toNumber(line("serial")),
    not_before: seconds("notBefore"),
    not_after: seconds("notAfter"),
    is_ca: /CA:TRUE/.test(textOf("X509v3 Basic Constraints") ?? ""),
    path_length: pathLength === undefined ? null : Number(pathLength),
    key_usage: listOf("X509v3 Key Usage", usages),
    extended_key_usage: listOf("X509v3 Extended Key Usage", purposes),
    names: (textOf("X509v3 Subject Alternative Name") ?? "").split(", ").flatMap((one) => {
      const [, kind = "", value = ""] = /^([^:]+):(.*)$/.exec(one) ?? []
      const type = names[kind] ?? kind
      return kind === "" ? [] : [[type, untold.has(type) ? "" : type === "ip" ? toAddress(value) : value]]
    }),
    subject_key_id: hexOf("X509v3 Subject Key Identifier"),
    authority_key_id: /^(?:[\da-f]{2})+/.exec(hexOf("X509v3 Authority Key Identifier") ?? "")?.[0] ?? null,
    ocsp_urls: urlsOf("Authority Information Access", /OCSP - URI:(\S+)/g),
    crl_urls: urlsOf("X509v3 CRL Distribution Points", /URI:(\S+)/g),
    extensions: extensions.map(([, , critical]) => critical !== undefined),
    sha256: line("sha256 Fingerprint").replaceAll(":", "").toLowerCase(),
    key_sha256: createHash("sha256").update(Buffer.from(key, "base64")).digest("hex"),
  }
}

/** Hexadecimal digits, perhaps with a sign, as decimal ones. */
function toNumber(hex: string): string {
  const number = BigInt(`0x${hex.replace("-", "")}`)
  return String(hex.startsWith("-") ? -number : number)
}

/** openssl writes all parts of an IPv6 address. */
const toAddress = (text: string): string => String(parseIpv4(text) ?? parseIpv6(text.toLowerCase()) ?? text)

const emptyName = "an issuer with an empty part, which openssl cannot read, as the file itself says"

/** The test certificates of zlint, most of which break a rule of RFC 5280, against what openssl reads in them. */
const zlint: Suite = {
  api: "certificatedecoder",
  name: "zlint",
  get: "git clone https://github.com/zmap/zlint",
  async run(folder) {
    const results: Result[] = []
    const parent = join(folder, "v3/testdata")
    for (const file of [...new Glob("**/*").scanSync(parent)].sort()) {
      const text = readFileSync(join(parent, file), "latin1")
      const [pem] = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/.exec(text) ?? []
      if (pem === undefined) continue
      const result = await compare(file, pem)
      results.push(/errors when fed through OpenSSL/.test(text) ? { ...result, reason: emptyName } : result)
    }
    return results
  },
}

async function compare(test: string, pem: string): Promise<Result> {
  const { code, out } = await runProgram(command, pem)
  const answer = await unlessRefused(() => run({ certificate: pem }, context))
  if (code !== 0 || answer === null)
    return {
      test: `${test}: openssl ${code}, here ${answer === null ? "refused" : "read"}`,
      isRight: (code !== 0) === (answer === null),
      reason:
        answer !== null && /^(?:unknown|ml)/.test(answer.key.algorithm)
          ? "openssl 3.0 does not know the kind of key, and then prints nothing"
          : undefined,
    }
  const theirs = readFacts(out)
  const facts = factsOf(answer)
  const ours: Facts = {
    ...facts,
    names: facts.names.map(([kind, value]) => [kind, untold.has(kind) ? "" : value]),
    extensions: facts.extensions.map(([, isCritical]) => isCritical),
  }
  const different = Object.keys(ours).filter((name) => !Bun.deepEquals(ours[name], theirs[name]))
  const show = (name: string) =>
    `${name}: ${JSON.stringify(ours[name])}, openssl ${JSON.stringify(theirs[name])}`
  const reasons = different.map((name) => reasonOf(name, JSON.stringify(ours[name])))
  return {
    test: `${test}: ${different.map(show).join("; ")}`,
    isRight: different.length === 0,
    reason: reasons.every((reason) => reason !== undefined) ? reasons[0] : undefined,
  }
}

/** Why openssl prints another value of a field. The certificates are made to break the rules that these are about. */
function reasonOf(field: string, ours: string): string | undefined {
  if (field === "names" && /[\x80-\xff]/.test(ours))
    return "names beyond ASCII, which are no IA5String (RFC 5280 §4.2.1.6): bytes here, with a problem, and UTF-8 in openssl"
  if (field.endsWith("urls") || (field === "names" && /\\n|\\u0000|" "/.test(ours)))
    return "texts that are empty or have blanks, line breaks or zeros, which the text of openssl does not show"
  if (field === "names" && ours.includes("unknown"))
    return "names of a kind that GeneralName does not have: a problem here, and no name in openssl"
  if (field === "path_length" && ours.startsWith("-"))
    return "a path length below 0: a problem here, and left out in openssl"
  if (field.endsWith("key_usage") && ours === "[]")
    return "lists without a member, which openssl prints as their bytes"
  if (field === "serial_number") return "numbers below 0: their bytes here, with a problem"
  if (field === "key_sha256")
    return "parameters of an RSA key that are missing or not NULL: openssl writes the key anew, and here its bytes count"
  return undefined
}

export const suites = [zlint]
