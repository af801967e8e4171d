/** Runs a plan under a seed from its start to its rest. */
import { checkAtRest, checkStatements } from "./checks.ts"
import { runClient } from "./clients.ts"
import { connect, copyTemplate } from "./data-file.ts"
import { happen } from "./events.ts"
import { openFileStore } from "./file-store.ts"
import { startInstance } from "./instance.ts"
import { makePlan, type Plan } from "./plan.ts"
import { createWorld, type World } from "./world.ts"

/** A run that needs more steps never ends. */
const mostSteps = 40_000
/** Waiting for a notice or a mail that failed takes hours. */
const mostRestMs = 3 * 3_600_000
const leastRestMs = 120_000

export interface RunOptions {
  /** A data file that is made by `makeTemplate`. */
  readonly template: string
  /** Where the run has its own. */
  readonly file: string
  readonly plan?: Plan
  readonly trace?: ((line: string) => void) | undefined
}

export interface RunResult {
  readonly seed: number
  /** The oracle that failed, with its finding; null if none did. */
  readonly problem: string | null
  /** A hash of all steps. */
  readonly hash: string
  readonly steps: number
  readonly counts: ReadonlyMap<string, number>
}

/** Runs a seed. It is one synchronous function: nothing else happens meanwhile. */
export function runSeed(
  seed: number,
  { template, file, plan = makePlan(seed), trace }: RunOptions,
): RunResult {
  copyTemplate(template, file)
  const world = createWorld(seed, file, openFileStore, trace)
  return inSteps(world, () => {
    try {
      work(world, plan)
      if (world.violation() === null) rest(world)
    } finally {
      for (const instance of world.instances) {
        instance.isDead = true
        instance.close()
      }
    }
  })
}

/** Runs something all of whose waits are steps of the world. */
export function inSteps({ seed, kernel, counts, violation }: World, run: () => void): RunResult {
  // Writing a mail waits for turns of the event loop, which there are none of.
  const { setImmediate } = globalThis
  const inStep = (later: (...of: unknown[]) => void, ...of: unknown[]) => {
    kernel.later(null, "immediate", 0, () => later(...of))
  }
  Object.assign(globalThis, { setImmediate: inStep })
  try {
    run()
  } finally {
    Object.assign(globalThis, { setImmediate })
  }
  const problem = violation()?.message ?? null
  return { seed, problem, hash: kernel.hash(), steps: kernel.steps(), counts }
}

/** Runs something, and then lets the runtime tell which promises were rejected and had nobody to take it. */
export async function watched(run: () => RunResult): Promise<RunResult> {
  const unhandled: unknown[] = []
  const keep = (cause: unknown) => void unhandled.push(cause)
  process.on("unhandledRejection", keep)
  try {
    const result = run()
    await new Promise((resolve) => setImmediate(resolve))
    const [cause] = unhandled
    if (result.problem !== null || cause === undefined) return result
    return { ...result, problem: `unhandled: ${cause instanceof Error ? cause.stack : cause}` }
  } finally {
    process.off("unhandledRejection", keep)
  }
}

/** Until every client has done all it wanted. */
export function work(world: World, { clients, events }: Plan): void {
  const { kernel } = world
  startInstance(world, 0, 0)
  startInstance(world, 1, 0)
  let running = clients.length
  for (const [place, actions] of clients.entries())
    void runClient(world, place, actions)
      .catch((thrown: unknown) => world.fail(`thrown: ${thrown instanceof Error ? thrown.stack : thrown}`))
      .finally(() => running--)
  for (const event of events)
    kernel.later(null, `event ${event.kind}`, event.atMs, () => happen(event, world))
  while (running > 0 && world.violation() === null && kernel.steps() < mostSteps) if (!kernel.step()) break
  if (running > 0 && world.violation() === null)
    world.fail(`stuck: ${running} clients have no end after ${kernel.steps()} steps`)
}

/** Nothing fails any more. Everything that waits has its turn, then all is compared. */
function rest(world: World): void {
  const { kernel, instances } = world
  kernel.faults = 0
  for (const index of [0, 1]) startInstance(world, index, 0)
  for (const instance of instances) instance.skewMs = 0
  const database = connect(world.file)
  const waiting = database.query<{ count: number }, []>(
    `SELECT (SELECT count(*) FROM notices WHERE state = 'pending')
      + (SELECT count(*) FROM mails WHERE state = 'pending') AS count`,
  )
  try {
    const [leastMs, endMs] = [kernel.now() + leastRestMs, kernel.now() + mostRestMs]
    for (let step = 0; world.violation() === null && kernel.step(endMs); step++)
      if (step % 20 === 0 && kernel.now() > leastMs && waiting.get()?.count === 0) break
    if (world.violation() === null) world.check(() => checkAtRest(world, database))
    let isRead = false
    void checkStatements(world)
      .catch((thrown: unknown) => world.fail(`statement: ${thrown instanceof Error ? thrown.stack : thrown}`))
      .finally(() => {
        isRead = true
      })
    while (!isRead && world.violation() === null) if (!kernel.step()) break
    if (!isRead && world.violation() === null) world.fail("statement: they are not read")
  } finally {
    database.close()
  }
}
