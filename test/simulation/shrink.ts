/** Makes the plan of a failing seed smaller, as long as the same oracle finds something. */
import type { Plan } from "./plan.ts"
import type { RunResult } from "./run.ts"

/** Other schedules to try with each smaller plan, which has another schedule anyway. */
const schedules = 4
const anotherSeed = 1_000_003

interface Shrunk {
  readonly plan: Plan
  readonly seed: number
  readonly result: RunResult
  /** How many plans were tried. */
  readonly runs: number
}

/** @param run runs a plan under a seed */
export async function shrink(
  failed: RunResult,
  given: Plan,
  run: (seed: number, plan: Plan) => Promise<RunResult>,
): Promise<Shrunk> {
  let best = { seed: failed.seed, plan: given, result: failed }
  let runs = 0

  async function fails(plan: Plan): Promise<boolean> {
    for (let schedule = 0; schedule < schedules; schedule++) {
      const seed = schedule === 0 ? best.seed : failed.seed + schedule * anotherSeed
      const result = await run(seed, plan)
      runs++
      if (oracleOf(result) !== oracleOf(failed)) continue
      best = { seed, plan, result }
      return true
    }
    return false
  }

  /** Leaves out parts of a list, the largest first, down to single entries (delta debugging). */
  async function reduce<T>(list: readonly T[], toPlan: (list: readonly T[]) => Plan): Promise<void> {
    let kept = list
    for (
      let length = Math.ceil(kept.length / 2);
      length >= 1;
      length = length === 1 ? 0 : Math.ceil(length / 2)
    )
      for (let first = 0; first < kept.length; ) {
        const next = [...kept.slice(0, first), ...kept.slice(first + length)]
        if (await fails(toPlan(next))) kept = next
        else first += length
      }
  }

  const { clients } = given
  await reduce([...clients.keys()], (places) => ({
    ...best.plan,
    clients: clients.map((actions, place) => (places.includes(place) ? actions : [])),
  }))
  await reduce(best.plan.events, (events) => ({ ...best.plan, events }))
  for (const place of clients.keys())
    await reduce(best.plan.clients[place] ?? [], (actions) => ({
      ...best.plan,
      clients: best.plan.clients.map((all, index) => (index === place ? actions : all)),
    }))
  return { ...best, runs }
}

/** The oracle that found a problem. */
export const oracleOf = ({ problem }: Pick<RunResult, "problem">): string | null =>
  problem?.split(":")[0] ?? null
