import { shortenKeys } from "../accounts/key.ts"
import { invalid } from "./fault.ts"

/** The name of a parameter can be as long as a body. */
const maxNameShown = 100

/** @throws AdminFault for the first name that is not known */
export function requireKnownNames(known: readonly string[], given: readonly string[]): void {
  const unknown = given.find((name) => !known.includes(name))
  if (unknown === undefined) return
  const names = known.length === 0 ? "There are none." : `Known are: ${known.join(", ")}.`
  // A key may have been sent instead of a name.
  const shown = shortenKeys(unknown.slice(0, maxNameShown))
  throw invalid(shown, `There is no parameter '${shown}'. ${names}`)
}
