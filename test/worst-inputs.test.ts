/**
 * The worst inputs of each isolated API, against a service in another process: other calls are answered, and memory is bounded.
 * In the check, the two that take longest.
 */
import { expect, test } from "bun:test"
import { catalog } from "../src/app/prepare.ts"
import { isAll } from "./support/turns.ts"
import {
  memoryOf,
  startWatchedService,
  strain,
  type WatchedService,
  type WorstInputs,
} from "./support/worst-inputs.ts"

const isolated = catalog.filter((api) => api.isolated)
/** The system of this machine tells the processor time of threads to other programs. */
const isWatchable = process.platform === "linux"

interface Worst {
  readonly worst: WorstInputs
  readonly inCheck: readonly string[]
}

const service: WatchedService | null = isWatchable ? await startWatchedService(1) : null
const idleMb = service ? memoryOf(service.pid).nowMb : 0

const lists = isolated.map(async ({ id }) => {
  const { worst, inCheck }: Worst = await import(`./worst/${id}.ts`)
  const chosen = Object.entries(worst).filter(([what]) => isAll || inCheck.includes(what))
  expect(inCheck.filter((what) => what in worst)).toHaveLength(2)
  return chosen.map(([what, input]) => [id, what, input] as const)
})
const worst = (await Promise.all(lists)).flat()

test.skipIf(!service).each(worst)("%s: %s", async (id, _what, input) => {
  const api = isolated.find((one) => one.id === id)
  if (!service || !api) return
  // The longest turns, of 25 to 42 ms, are those of jsondiff with 90,000 different texts: the runtime takes up to 30 ms to parse
  // this body in one piece, and collecting the values of earlier bodies can fall into the same turn. So only a turn that is long
  // twice is the input's.
  let longestMs = Number.POSITIVE_INFINITY
  for (let times = 0; times < 2 && longestMs >= 50; times++) {
    const strained = await strain(service, api, input)
    const { status, error, charged, answers, inThreadsMs } = strained
    expect([200, 400]).toContain(status)
    // A run is ended after a second, and its garbage is collected. More would be a native call that nothing can end.
    expect(inThreadsMs).toBeLessThan(3_000)
    if (status === 400) expect(error).toMatch(/^The '\w+' parameter /)
    expect(charged).toBe(status === 200 ? api.credits : 0)
    expect(answers).toBeGreaterThan(0)
    longestMs = Math.min(longestMs, strained.longestMs)
  }
  expect(longestMs).toBeLessThan(50)
})

/** Inputs of those that take most memory, of which a body has room for eight. The first takes the most. */
const largest = ["tags of YAML", "a list of TOML", "a key of TOML with 100,000 parts"].slice(0, isAll ? 3 : 1)

test.skipIf(!service).each(largest)("a batch of eight runs that take much memory: %s", async (name) => {
  if (!service) return
  // The check runs others.
  const { worst: known }: Worst = await import("./worst/dataconverter.ts")
  const input = known[name]
  if (!input) throw new Error(`there is no input '${name}'`)
  const answer = await fetch(`${service.url}/v1/dataconverter/batch`, {
    method: "POST",
    headers: { "x-api-key": service.key, "content-type": "application/json" },
    body: JSON.stringify({ inputs: Array(8).fill(input) }),
  })
  expect(answer.status).toBe(200)
  expect((await answer.json()) as object).toMatchObject({ data: { count: 8 } })
})

/**
 * In MB: a run may take 192 MiB, and two threads may each keep 64 MiB of an earlier one, which they also keep when a busy machine
 * leaves the runtime no time to give memory back. The libraries that the service itself has loaded meanwhile take some 40.
 */
const mostGrowthMb = 201 + 2 * 67 + 40

test.skipIf(!service)("the memory of the process stays within that of a run", async () => {
  if (!service) return
  const { mostMb } = memoryOf(service.pid)
  expect(mostMb - idleMb).toBeLessThan(mostGrowthMb)
})
