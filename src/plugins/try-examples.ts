import { isDeepStrictEqual } from "node:util"
import { ApiMistake, type Ports, type Timer } from "../apis/contract.ts"
import { compileInput } from "../call/input.ts"
import { createZoneDns } from "../ports/dns/zone.ts"
import { encodeTexts } from "../ports/dns/zone-entry.ts"
import { createMockClock, prepareMockWeb } from "../ports/mock-ports.ts"
import { createSeededRandom } from "../ports/random.ts"
import { messageOf } from "../values/message-of.ts"
import type { DefinitionData } from "./definition-text.ts"

/** For all examples of an API together: a service waits for them before it serves a new version. */
const limitMs = 30_000

/** The time in examples that name none. */
const defaultNow = "2025-01-01T00:00:00Z"

/**
 * Runs every example of an API. Returns the first one whose output differs, with the difference; null if there is none.
 * @param run runs the API on an input that was checked
 */
export async function wrongExample(
  { input, examples }: DefinitionData,
  run: (input: unknown, ports: Ports) => Promise<Record<string, unknown>>,
  timer: Timer,
): Promise<{ readonly name: string; readonly problem: string } | null> {
  const readInput = compileInput(input)
  let isLate = false
  const cancel = timer.after(limitMs, () => {
    isLate = true
  })
  using _ = { [Symbol.dispose]: cancel }
  for (const { name, input: given, output: expected, given: conditions = {}, varying = [] } of examples) {
    if (isLate) return { name, problem: `it and those before it take more than ${limitMs / 1_000} s` }
    try {
      const ports: Ports = {
        clock: createMockClock(Date.parse(conditions.now ?? defaultNow)),
        random: createSeededRandom("penknife"),
        dns: createZoneDns(encodeTexts(conditions.dns ?? {})),
        web: prepareMockWeb(conditions.web ?? {})(),
        timer,
      }
      const output = await run(readInput({ kind: "typed", values: given }), ports)
      const difference = firstDifference(expected, output, varying)
      if (difference !== null) return { name, problem: difference }
    } catch (thrown) {
      return { name, problem: thrown instanceof ApiMistake ? thrown.detail : messageOf(thrown) }
    }
  }
  return null
}

function firstDifference(
  expected: Readonly<Record<string, unknown>>,
  output: Readonly<Record<string, unknown>>,
  varying: readonly string[],
): string | null {
  const names = new Set([...Object.keys(expected), ...Object.keys(output)])
  for (const name of names) {
    if (varying.includes(name) || isDeepStrictEqual(expected[name], output[name])) continue
    return `'${name}' should be ${show(expected[name])} and is ${show(output[name])}`
  }
  return null
}

const maxShown = 200

function show(value: unknown): string {
  if (value === undefined) return "absent"
  const text = JSON.stringify(value)
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text
}
