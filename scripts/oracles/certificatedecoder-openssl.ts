import { createHash } from "node:crypto"
import { parseIpv4, parseIpv6 } from "../../src/values/ip.ts"
import { cases, type Facts, makeCertificates, readCertificate, seeds } from "./certificatedecoder.ts"
import { debianVersion, defineOracle, run } from "./oracle.ts"

const processes = 4
export const command = [
  ..."openssl x509 -noout -text -pubkey -serial -startdate -enddate -dateopt iso_8601 -fingerprint -sha256 -subject".split(
    " ",
  ),
  ..."-nameopt sep_multiline,utf8,sname -certopt no_header,no_version,no_serial,no_validity,no_subject,no_issuer,no_sigdump".split(
    " ",
  ),
]

/** The words of openssl for what has other names in the API. */
const parts: Readonly<Record<string, string>> = { serialNumber: "2.5.4.5", emailAddress: "E" }
const names: Readonly<Record<string, string>> = { DNS: "dns", "IP Address": "ip", email: "email", URI: "url" }
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
}
const extensionIds: Readonly<Record<string, string>> = {
  "X509v3 Subject Alternative Name": "2.5.29.17",
  "X509v3 Basic Constraints": "2.5.29.19",
  "X509v3 Key Usage": "2.5.29.15",
  "X509v3 Extended Key Usage": "2.5.29.37",
  "X509v3 Subject Key Identifier": "2.5.29.14",
  "X509v3 Authority Key Identifier": "2.5.29.35",
  "Authority Information Access": "1.3.6.1.5.5.7.1.1",
  "X509v3 CRL Distribution Points": "2.5.29.31",
}

/** An extension as openssl prints it. */
interface Extension {
  readonly oid: string
  readonly isCritical: boolean
  readonly text: string
}

function readExtensions(text: string): Extension[] {
  return [...text.matchAll(/^ {12}(\S[^\n]*?): ?(critical)?\n((?: {16}[^\n]*\n|\n)*)/gm)].map(
    ([, name = "", critical, body = ""]) => ({
      oid: extensionIds[name] ?? name,
      isCritical: critical !== undefined,
      text: body.trim(),
    }),
  )
}

export function readFacts(out: string): Facts {
  const line = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(out)?.[1] ?? ""
  const seconds = (name: string) =>
    line(name)
      .padStart(20, "0")
      .replace(/^ +/, (blanks) => "0".repeat(blanks.length))
      .replace(" ", "T")
      .replace("Z", "")
  const [key = ""] = /-----BEGIN PUBLIC KEY-----\n([^-]+)/.exec(out)?.slice(1) ?? []
  const extensions = readExtensions(out)
  const textOf = (oid: string) => extensions.find((one) => one.oid === oid)?.text ?? null
  const hexOf = (oid: string) =>
    textOf(oid)
      ?.replace(/^keyid:/, "")
      .replaceAll(":", "")
      .toLowerCase() ?? null
  const listOf = (oid: string, words: Readonly<Record<string, string>>) =>
    textOf(oid)
      ?.split(", ")
      .map((word) => words[word] ?? word) ?? null
  const urlsOf = (oid: string, pattern: RegExp) =>
    [...(textOf(oid) ?? "").matchAll(pattern)].map(([, url]) => url)
  const pathLength = /pathlen:(\d+)/.exec(textOf("2.5.29.19") ?? "")?.[1]
  const isRsa = /Public Key Algorithm: rsaEncryption/.test(out)
  return {
    subject_parts: [
      ...(/^subject=\n?((?: {4}[^\n]*\n)*)/m.exec(out)?.[1] ?? "").matchAll(/^ {4}(\w+) ?= ?(.*)$/gm),
    ].map(([, type = "", value]) => [parts[type] ?? type, value]),
    serial_number: toNumber(line("serial")),
    not_before: seconds("notBefore"),
    not_after: seconds("notAfter"),
    is_ca: /CA:TRUE/.test(textOf("2.5.29.19") ?? ""),
    path_length: pathLength === undefined ? null : Number(pathLength),
    key_usage: listOf("2.5.29.15", usages),
    extended_key_usage: listOf("2.5.29.37", purposes),
    names: (textOf("2.5.29.17") ?? "").split(", ").flatMap((one) => {
      const [, kind = "", value = ""] = /^([^:]+):(.*)$/.exec(one) ?? []
      return kind === "" ? [] : [[names[kind] ?? kind, kind === "IP Address" ? toAddress(value) : value]]
    }),
    subject_key_id: hexOf("2.5.29.14"),
    authority_key_id: hexOf("2.5.29.35"),
    ocsp_urls: urlsOf("1.3.6.1.5.5.7.1.1", /OCSP - URI:(\S+)/g),
    crl_urls: urlsOf("2.5.29.31", /URI:(\S+)/g),
    extensions: extensions.map(({ oid, isCritical }) => [oid, isCritical]),
    sha256: line("sha256 Fingerprint").replaceAll(":", "").toLowerCase(),
    key_sha256: createHash("sha256").update(Buffer.from(key, "base64")).digest("hex"),
    bits: isRsa ? Number(/Public-Key: \((\d+) bit\)/.exec(out)?.[1]) : null,
    hash: /Signature Algorithm: \S*?(sha\d+)/i.exec(out)?.[1]?.toLowerCase() ?? null,
  }
}

/** Hexadecimal digits, perhaps with a sign, as decimal ones. */
function toNumber(hex: string): string {
  const number = BigInt(`0x${hex.replace("-", "")}`)
  return String(hex.startsWith("-") ? -number : number)
}

/** openssl writes all parts of an IPv6 address. */
function toAddress(text: string): string {
  return String(parseIpv4(text) ?? parseIpv6(text.toLowerCase()) ?? text)
}

async function askOpenssl(pems: readonly string[]): Promise<Facts[]> {
  const answers: Facts[] = []
  for (let from = 0; from < pems.length; from += processes)
    answers.push(
      ...(await Promise.all(
        pems.slice(from, from + processes).map(async (pem) => {
          const { code, out, err } = await run(command, pem)
          if (code !== 0) throw new Error(`openssl failed: ${err}`)
          return readFacts(out)
        }),
      )),
    )
  return answers
}

export const oracle = defineOracle<number, Facts>({
  api: "certificatedecoder",
  against: "openssl",
  cases,
  generate: seeds,
  version: () => debianVersion("openssl"),
  ours: readCertificate,
  theirs: async (numbers) => askOpenssl((await makeCertificates(numbers)).map(({ pem }) => pem)),
  known: [],
})

export { suites } from "./suites/certificatedecoder.ts"
