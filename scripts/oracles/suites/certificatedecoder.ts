import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Glob } from "bun"
import { run as readCertificate } from "../../../src/apis/certificatedecoder/run.ts"
import { InputRejected } from "../../../src/apis/contract.ts"
import { portsFor } from "../../../test/support/zone-ports.ts"
import { command, readFacts } from "../certificatedecoder-openssl.ts"
import { run } from "../oracle.ts"
import type { Suite, SuiteResult } from "../suite.ts"

const context = { ports: portsFor({}), giveWay: () => undefined, premium: true }

const emptyName = "an issuer with an empty part, which openssl cannot read, as the file itself says"

/** The test certificates of zlint, most of which break a rule of RFC 5280, against what openssl reads in them. */
const zlint: Suite = {
  api: "certificatedecoder",
  name: "zlint",
  get: "git clone https://github.com/zmap/zlint",
  async run(folder) {
    const results: SuiteResult[] = []
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

/** The words of openssl for what the API names otherwise. */
const purposes: Readonly<Record<string, string>> = {
  "Any Extended Key Usage": "anyExtendedKeyUsage",
  "Signing KDC Response": "1.3.6.1.5.2.3.5",
  "CT Precertificate Signer": "1.3.6.1.4.1.11129.2.4.4",
  "ipsec Internet Key Exchange": "1.3.6.1.5.5.7.3.17",
}
const kinds: Readonly<Record<string, string>> = {
  "Registered ID": "id",
  DirName: "dn",
  EdiPartyName: "edi_party",
  othername: "other",
  X400Name: "x400",
}
type Pairs = readonly (readonly [string, string])[]

async function compare(test: string, pem: string): Promise<SuiteResult> {
  const { code, out } = await run([...command], pem)
  const answer = await read(pem)
  if (code !== 0 || answer === null)
    return {
      test: `${test}: openssl ${code}, here ${answer === null ? "refused" : "read"}`,
      isRight: (code !== 0) === (answer === null),
      reason:
        answer !== null && /^(?:unknown|ml)/.test(answer.key.algorithm)
          ? "openssl 3.0 does not know the kind of key, and then prints nothing"
          : undefined,
    }
  const facts = readFacts(out)
  const names = facts.names as Pairs
  const wanted = {
    ...facts,
    extended_key_usage:
      (facts.extended_key_usage as string[] | null)?.map((one) => purposes[one] ?? one) ?? null,
    // openssl writes the names that have no text in forms of its own.
    names: names.map(([kind, value]) =>
      kinds[kind] === undefined || kind === "Registered ID"
        ? [kinds[kind] ?? kind, value]
        : [kinds[kind], ""],
    ),
    authority_key_id:
      /^(?:[\da-f]{2})+/.exec(String(facts.authority_key_id).split("\n")[0] ?? "")?.[0] ?? null,
    extensions: (facts.extensions as [string, boolean][]).map(([, isCritical]) => isCritical),
  }
  const seconds = (time: string | null) => time?.replace(/(?:\.000)?Z$/, "") ?? null
  const ours: Record<string, unknown> = {
    serial_number: String(BigInt(`0x${answer.serial_number}`)),
    not_before: seconds(answer.valid_from),
    not_after: seconds(answer.valid_until),
    is_ca: answer.is_ca,
    path_length: answer.path_length,
    key_usage: answer.key_usage,
    extended_key_usage: answer.extended_key_usage,
    names: answer.names.map(({ kind: type, value }) => [
      type,
      Object.values(kinds).includes(type) && type !== "id" ? "" : value,
    ]),
    subject_key_id: answer.subject_key_id,
    authority_key_id: answer.authority_key_id,
    ocsp_urls: answer.ocsp_urls,
    crl_urls: answer.crl_urls,
    extensions: answer.extensions.map(({ is_critical }) => is_critical),
    sha256: answer.fingerprints.sha256,
    key_sha256: answer.fingerprints.key_sha256,
  }
  const theirs: Readonly<Record<string, unknown>> = wanted
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

/** The API's data; null if it refuses the certificate. */
async function read(certificate: string) {
  try {
    return await readCertificate({ certificate }, context)
  } catch (error) {
    if (error instanceof InputRejected) return null
    throw error
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
