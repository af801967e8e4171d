import type { CliParts } from "../parts.ts"
import type { Flags, ReadEntry } from "./read-entry.ts"

/** The user declined a change that cannot be undone. */
export class Declined extends Error {
  override readonly name = "Declined"
}

/**
 * Asks before a change that cannot be undone. Asks only on a terminal, since scripts could not answer.
 * @throws Declined
 */
export async function requireConsent(
  { operation, command, input }: ReadEntry,
  { yes }: Flags,
  { standardInput }: CliParts,
): Promise<void> {
  if (!operation.isFinal || yes || !standardInput.isTerminal) return
  const names = (command.args ?? []).map((name) => input[name]).filter((value) => value !== undefined)
  const subject = [operation.title, ...names].join(" ")
  const answer = await standardInput.ask(`${subject}: this cannot be undone. Go on? [y/N] `, {
    hidden: false,
  })
  if (!/^\s*y(es)?\s*$/i.test(answer ?? "")) throw new Declined("Nothing was changed.")
}
