import fc from "fast-check"
import { run } from "../../src/apis/certificatedecoder/run.ts"
import { portsFor } from "../../test/support/zone-ports.ts"
import { askPython, debianVersion, defineOracle } from "./oracle.ts"

interface Case {
  readonly pem: string
  readonly facts: Facts
}
interface Facts {
  readonly [name: string]: unknown
}

const count = 2_500
const seed = 20_261_123
let made: Promise<readonly Case[]> | null = null

function makeCases(): Promise<readonly Case[]> {
  made ??= askPython<readonly Case[]>("certificatedecoder.py", [[count, seed]], "python3-cryptography").then(
    ([cases = []]) => cases,
  )
  return made
}

export const oracle = defineOracle<number, Facts | null>({
  api: "certificatedecoder",
  against: "python3-cryptography",
  cases: 0,
  fixed: Array.from({ length: count }, (_, index) => index),
  generate: fc.nat(count - 1),
  version: () => debianVersion("python3-cryptography"),
  async ours(index) {
    const certificate = (await makeCases())[index]?.pem ?? ""
    const context = { ports: portsFor({}), giveWay: () => undefined, premium: true }
    const answer = await run({ certificate }, context)
    const seconds = (text: string | null) => text?.replace(".000Z", "") ?? null
    return {
      subject_parts: answer.subject_parts.map(({ type, value }) => [type, value]),
      serial_number: String(BigInt(`0x${answer.serial_number}`)),
      not_before: seconds(answer.not_before),
      not_after: seconds(answer.not_after),
      is_ca: answer.is_ca,
      path_length: answer.path_length,
      key_usage: answer.key_usage,
      extended_key_usage: answer.extended_key_usage,
      names: answer.names.map(({ type, value }) => [type, value]),
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
  },
  theirs: async (indexes) => {
    const cases = await makeCases()
    return indexes.map((index) => cases[index]?.facts ?? null)
  },
  known: [],
})
