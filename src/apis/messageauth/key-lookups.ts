import type { Dns, DnsAnswer, DnsType, RunContext } from "../contract.ts"
import { isPrivateKey } from "../mail/dkim-key.ts"
import { isDmarc, psdOf, readTags } from "../mail/dmarc-walk.ts"
import type { KeyFault } from "./reasons.ts"

/** Together with those of SPF, at most 130, they stay below the 240 of a call. */
const maxQuestions = 100

/** The questions of DKIM, ARC and DMARC, each asked once, in the form of node:dns that mailauth takes. */
export class KeyLookups {
  readonly #dns: Dns
  readonly #giveWay: RunContext["giveWay"]
  readonly #signal: AbortSignal
  readonly #answers = new Map<string, Promise<DnsAnswer>>()
  /** Names that the DNS gave no answer for. */
  readonly failed = new Set<string>()
  /** The faults of published keys, by the names of the keys: revoked (RFC 6376 §3.6.1), or a private key. */
  readonly faults = new Map<string, KeyFault>()

  constructor({ ports: { dns }, giveWay }: RunContext, signal: AbortSignal) {
    this.#dns = dns
    this.#giveWay = giveWay
    this.#signal = signal
  }

  /** Texts are lists of one string. A name without records, or without an answer, is an error with the code of node:dns. */
  readonly resolve = async (name: string, type: string): Promise<unknown[]> => {
    const answer = await this.#ask(name.toLowerCase(), type)
    // Long records and the checks of long keys take some milliseconds each.
    await this.#giveWay()
    if (answer.kind === "records")
      return type === "TXT" ? this.#texts(name, answer.records) : [...answer.records]
    if (answer.kind === "failure") {
      this.failed.add(name)
      throw failure(answer.reason === "timeout" ? "ETIMEOUT" : "ESERVFAIL")
    }
    throw failure(answer.kind === "nodata" ? "ENODATA" : "ENOTFOUND")
  }

  #texts(name: string, records: readonly unknown[]): unknown[] {
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
      this.faults.set(name.toLowerCase(), isPrivate ? "private key" : "revoked key")
    // The library would take the public half of a private key, by which anybody can sign.
    return isPrivate ? [["p="]] : texts.map((text) => [text])
  }

  async #ask(name: string, type: string): Promise<DnsAnswer> {
    if (!isAskable(name)) return { kind: "nxdomain" }
    const key = `${type} ${name}`
    const known = this.#answers.get(key)
    if (known) return known
    if (this.#signal.aborted || this.#answers.size >= maxQuestions)
      return { kind: "failure", reason: "aborted" }
    const wanted = types.find((one) => one === type)
    if (wanted === undefined) throw new Error(`mailauth asked for ${type}`)
    const over = new Promise<DnsAnswer>((resolve) =>
      this.#signal.addEventListener("abort", () => resolve({ kind: "failure", reason: "aborted" }), {
        once: true,
      }),
    )
    const answer = Promise.race([this.#dns.resolve(name, wanted, this.#signal), over])
    this.#answers.set(key, answer)
    return answer
  }
}

const types: readonly DnsType[] = ["TXT", "A", "AAAA", "MX", "CNAME"]

function failure(code: string): Error {
  return Object.assign(new Error(code), { code })
}

function isAskable(name: string): boolean {
  return (
    name.length <= 253 &&
    /^[!-~]+$/.test(name) &&
    name.split(".").every((label) => label !== "" && label.length <= 63)
  )
}
