import type { Instance } from "./instance.ts"
import type { Call } from "./traffic.ts"
import type { Lab } from "./trial.ts"

/** Prints failed calls with the time that they took, and the causes that the instances have logged since the last time. */
export type SayFailures = (calls: readonly Call[]) => void

/** Prepares {@link SayFailures} for the instances of a trial. */
export function prepareFailures(
  { say }: Pick<Lab, "say">,
  instances: readonly Pick<Instance, "log">[],
): SayFailures {
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
      const lines = log.slice(seen[number])
      seen[number] = log.length
      const causes = Map.groupBy(calls.length > 0 ? lines.flatMap(causeOf) : [], (cause) => cause)
      for (const [cause, alike] of causes) say(`instance ${number} logged ${alike.length} × ${cause}`)
    })
  }
}

/** The cause of an error in the log, without the lines of its stack. */
function causeOf(line: string): readonly string[] {
  const { level, message, cause } = JSON.parse(line) as { level: string; message: string; cause?: string }
  return level === "error" ? [`${message}: ${cause?.split("\n")[0] ?? "no cause"}`] : []
}
