import fc from "fast-check"
import { run } from "../../src/apis/certificatedecoder/run.ts"
import { portsFor } from "../../test/support/zone-ports.ts"
import { askPython, debianVersion, defineOracle } from "./oracle.ts"

/** The contents of a certificate. */
export interface Facts {
  readonly [name: string]: unknown
}

/** The certificates that were made, by the numbers that they were made from. */
const made = new Map<number, string>()

/** Makes a certificate for each number: as PEM, with what was put into it. */
export async function makeCertificates(seeds: readonly number[]) {
  const all = await askPython<{ readonly pem: string; readonly facts: Facts }>(
    "certificatedecoder.py",
    seeds,
    "python3-cryptography",
  )
  for (const [index, { pem }] of all.entries()) made.set(seeds[index] ?? 0, pem)
  return all
}

/** The API's data for the certificate of a number, which {@link makeCertificates} made. */
export async function readCertificate(seed: number): Promise<Facts> {
  const certificate = made.get(seed) ?? ""
  const context = { ports: portsFor({}), giveWay: () => undefined, premium: true }
  const answer = await run({ certificate }, context)
  const seconds = (text: string | null) => text?.replace(".000Z", "") ?? null
  return {
    subject_parts: answer.subject_parts.map(({ attribute, value }) => [attribute, value]),
    serial_number: String(BigInt(`0x${answer.serial_number}`)),
    not_before: seconds(answer.valid_from),
    not_after: seconds(answer.valid_until),
    is_ca: answer.is_ca,
    path_length: answer.path_length,
    key_usage: answer.key_usage,
    extended_key_usage: answer.extended_key_usage,
    names: answer.names.map(({ kind, value }) => [kind, value]),
    subject_key_id: answer.subject_key_id,
    authority_key_id: answer.authority_key_id,
    ocsp_urls: answer.ocsp_urls,
    crl_urls: answer.crl_urls,
    extensions: answer.extensions.map(({ oid, is_critical }) => [oid, is_critical]),
    sha256: answer.fingerprints.sha256,
    key_sha256: answer.fingerprints.key_sha256,
    bits: answer.key.bits,
    hash: /with (.*)$/.exec(answer.signature_algorithm)?.[1]?.replace("-", "").toLowerCase() ?? null,
  }
}

export const cases = 2_500
/** Hardly any number twice: signatures of the same certificate can differ. */
export const seeds = fc.noBias(fc.nat())

export const oracle = defineOracle<number, Facts>({
  api: "certificatedecoder",
  against: "python3-cryptography",
  cases,
  generate: seeds,
  version: () => debianVersion("python3-cryptography"),
  ours: readCertificate,
  theirs: async (numbers) => (await makeCertificates(numbers)).map(({ facts }) => facts),
  known: [],
})
