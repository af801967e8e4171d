import { toALabels } from "../../values/idna.ts"
import { parseAddress } from "../../values/ip.ts"
import { verdictOf } from "../../values/problems.ts"
import { type RunOf, reject } from "../contract.ts"
import { readBlocks } from "./blocks.ts"
import { chainOf, chainProblems, entryProblems, problem } from "./checks.ts"
import { type Entry, readEntry } from "./describe.ts"
import type { certificatedecoder } from "./index.ts"
import { day, lint } from "./lint.ts"

/**
 * Finds the name that a host fits (RFC 9525 §6.3 and 6.5); null if it fits none. The common name does not count (§6.3).
 * @throws InputRejected for `host`
 */
async function findNameOf(
  host: string,
  names: readonly { readonly kind: string; readonly value: string }[],
): Promise<string | null> {
  const address = parseAddress(host)?.toString()
  if (address !== undefined)
    return (
      names.find(({ kind, value }) => kind === "ip" && parseAddress(value)?.toString() === address)?.value ??
      null
    )
  const wanted = (await toALabels(host.toLowerCase()))?.replace(/\.$/, "") ?? ""
  if (wanted.length > 253 || !/^(?:[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?(?:\.|$))+$/.test(wanted))
    reject(
      "host",
      "must be the name of a server, such as www.example.com, or an IP address, without https:// and port",
    )
  const isFit = (pattern: string) =>
    // A star is a whole first label, and stands for exactly one.
    pattern === wanted || (pattern.startsWith("*.") && pattern.slice(1) === wanted.replace(/^[^.]+/, ""))
  return names.find(({ kind, value }) => kind === "dns" && isFit(value.toLowerCase()))?.value ?? null
}

export const run: RunOf<typeof certificatedecoder> = async ({ certificate, host }, { ports }) => {
  const entries: Entry[] = []
  for (const block of readBlocks(certificate)) entries.push(await readEntry(block))
  const [first] = entries
  if (first === undefined) throw new Error("no block was read")
  const now = ports.clock.now()
  const chain = await chainOf(entries)
  const problems = [...(await entryProblems(first, now)), ...chainProblems(entries, chain, now)]
  const matched_name = host === undefined ? null : await findNameOf(host, first.names)
  if (host !== undefined && matched_name === null)
    problems.push(problem("host", "subjectAltName", "The certificate has no name that fits the host."))
  const { der: _, holder: _holder, certificate: _read, serial: _serial, times, mistakes, ...fields } = first
  const { valid_until: end } = first
  return {
    ...verdictOf(problems),
    ...fields,
    matched_name,
    days_left: end === null ? null : Math.floor((Date.parse(end) - now) / day),
    chain,
    lint: lint(first),
  }
}
