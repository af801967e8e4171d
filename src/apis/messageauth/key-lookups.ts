import type { DnsAnswer, DnsType, RunContext } from "../contract.ts"
import { isPrivateKey } from "../mail/dkim-key.ts"
import { isDmarc, psdOf, readTags } from "../mail/dmarc-walk.ts"
import { createLookups } from "../mail/look-up.ts"
import type { KeyFault } from "./reasons.ts"

/** Together with those of SPF, at most 130, they stay below the 240 of a call. */
const maxQuestions = 100

export type KeyLookups = ReturnType<typeof createKeyLookups>

/** The questions of DKIM, ARC and DMARC, each asked once, in the form of node:dns that mailauth takes. */
export function createKeyLookups({ ports: { dns }, giveWay }: RunContext, signal: AbortSignal) {
  const { ask } = createLookups(dns, signal, maxQuestions)
  /** Names that the DNS gave no answer for. */
  const failed = new Set<string>()
  /** The faults of published keys, by the names of the keys: revoked (RFC 6376 §3.6.1), or a private key. */
  const faults = new Map<string, KeyFault>()

  function toTexts(name: string, records: readonly unknown[]): unknown[] {
    const texts = records.map(String)
    // Records of DMARC are read as dmarcvalidator reads them, so that both say the same of a record.
    if (name.startsWith("_dmarc."))
      return texts.filter(isDmarc).map((text) => {
        const tags = readTags(text)
        const psd = psdOf({ domain: name.slice("_dmarc.".length), text, tags })
        const written = [...new Map([...tags, ["psd", psd]])].map((tag) => tag.join("="))
        return [["v=DMARC1", ...written].join("; ")]
      })
    const keys = texts.map((text) => /(?:^|;)\s*p\s*=([^;]*)/.exec(text)?.[1]?.trim())
    const isPrivate = keys.some((key) => key !== undefined && isPrivateKey(Buffer.from(key, "base64")))
    if (isPrivate || keys.includes(""))
      faults.set(name.toLowerCase(), isPrivate ? "private key" : "revoked key")
    // The library would take the public half of a private key, by which anybody can sign.
    return isPrivate ? [["p="]] : texts.map((text) => [text])
  }

  return {
    failed,
    faults,
    /** Texts are lists of one string. A name without records, or without an answer, is an error with the code of node:dns. */
    async resolve(name: string, type: string): Promise<unknown[]> {
      const wanted = types.find((one) => one === type)
      if (wanted === undefined) throw new Error(`mailauth asked for ${type}`)
      const isName = !name.includes(" ")
      const answer: DnsAnswer = isName ? await ask(name.toLowerCase(), wanted) : { kind: "nxdomain" }
      // Long records and the checks of long keys take some milliseconds each.
      await giveWay()
      if (answer.kind === "records")
        return type === "TXT" ? toTexts(name, answer.records) : [...answer.records]
      if (answer.kind === "failure") {
        failed.add(name)
        throw failure(answer.reason === "timeout" ? "ETIMEOUT" : "ESERVFAIL")
      }
      throw failure(answer.kind === "nodata" ? "ENODATA" : "ENOTFOUND")
    },
  }
}

const types: readonly DnsType[] = ["TXT", "A", "AAAA", "MX", "CNAME"]

function failure(code: string): Error {
  return Object.assign(new Error(code), { code })
}
