import { isValid } from "../../values/problems.ts"
import type { RunOf } from "../contract.ts"
import { readBlocks } from "./blocks.ts"
import { chainOf, entryProblems, problem } from "./checks.ts"
import { type Entry, readEntry } from "./describe.ts"
import { findNameOf } from "./host.ts"
import type { certificatedecoder } from "./index.ts"
import { day, lint } from "./lint.ts"

export const run: RunOf<typeof certificatedecoder> = async ({ certificate, host }, { ports }) => {
  const entries: Entry[] = []
  for (const block of readBlocks(certificate)) entries.push(await readEntry(block))
  const [first] = entries
  if (first === undefined) throw new Error("no block was read")
  const now = ports.clock.now()
  const chain = await chainOf(entries)
  const problems = await entryProblems(first, now)
  if (chain.some((one) => !one.is_issuer_of_previous))
    problems.push(problem("chain_order", "chain", "A certificate is not followed by the one that signed it."))
  const matched_name = host === undefined ? null : await findNameOf(host, first.names)
  if (host !== undefined && matched_name === null)
    problems.push(problem("host", "subjectAltName", "The certificate has no name that fits the host."))
  const { der: _, holder: _holder, certificate: _read, serial: _serial, times, mistakes, ...fields } = first
  const { valid_until: end } = first
  return {
    is_valid: isValid(problems),
    problems,
    ...fields,
    matched_name,
    days_left: end === null ? null : Math.floor((Date.parse(end) - now) / day),
    chain,
    lint: lint(first),
  }
}
