import type { Instance } from "./instance.ts"
import type { Call } from "./traffic.ts"
import type { Lab } from "./trial.ts"

/** Log lines of an instance that explain failed calls, by number; a trial whose database is down has thousands. */
const maxLines = 20

/** Prints how calls failed, with the time that each took, and what the instances logged about it since the last time. */
export type SayFailures = (calls: readonly Call[]) => void

/** Prepares {@link SayFailures} for the instances of a trial. */
export function prepareFailures({ say }: Pick<Lab, "say">, instances: readonly Instance[]): SayFailures {
  const seen = instances.map(({ log }) => log.length)
  return (calls) => {
    const byText = Map.groupBy(
      calls,
      ({ status, instance, failure }) => `${status} of instance ${instance}: ${failure}`,
    )
    for (const [text, alike] of byText) {
      const times = alike.map(({ startMs, endMs }) => Math.round(endMs - startMs))
      say(`${alike.length} × ${text} (${Math.min(...times)} to ${Math.max(...times)} ms)`)
    }
    instances.forEach(({ log }, number) => {
      const lines =
        calls.length > 0 ? log.slice(seen[number]).filter((line) => !/"status":429/.test(line)) : []
      for (const line of lines.slice(0, maxLines)) say(`instance ${number} logged ${line}`)
      seen[number] = log.length
    })
  }
}
