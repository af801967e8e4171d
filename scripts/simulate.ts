/**
 * Simulates the ledger under seeds: `bun run simulate`. Each seed lets clients, faults and kills happen in another order; a seed
 * that failed gives the same steps again. The exit code is 1 when something did not hold.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Command, InvalidArgumentError, Option } from "commander"
import { makeTemplate } from "../test/simulation/data-file.ts"
import { describePlan, makePlan, type Plan } from "../test/simulation/plan.ts"
import { makePostgresPlan, runPostgresSeed } from "../test/simulation/postgres-run.ts"
import { type RunResult, runSeed, watched } from "../test/simulation/run.ts"
import { seedOfCommit } from "../test/simulation/seed.ts"
import { oracleOf, shrink } from "../test/simulation/shrink.ts"
import { prepareStarts, runStart } from "../test/simulation/start.ts"

/** The steps before a violation that are shown. */
const lastSteps = 40
const progressMs = 10_000

interface Flags {
  seed?: number
  seeds?: number
  minutes?: number
  clients?: number
  plan?: string
  store: "file" | "pglite"
  starts: boolean
  shrink: boolean
  trace: boolean
}

const flags = new Command("simulate")
  .description(
    "Simulate the ledger under seeds: clients, faults, kills and clocks in an order that the seed decides.",
  )
  .option("--seed <NUMBER>", "the first seed; by default one of the commit's hash", toNumber)
  .addOption(
    new Option("--seeds <NUMBER>", "how many seeds; 200 by default, 1 with --seed").argParser(toNumber),
  )
  .addOption(new Option("--minutes <NUMBER>", "how long instead").argParser(toNumber).conflicts("seeds"))
  .addOption(
    new Option("--store <STORE>", "where accounts are: a data file, or PostgreSQL in this process (slower)")
      .choices(["file", "pglite"])
      .default("file"),
  )
  .option(
    "--clients <NUMBER>",
    "how many clients a plan has, up to 20; by default 20 and 5 in turn, and 6 on PostgreSQL",
    toNumber,
  )
  .option("--plan <FILE>", "run this plan, such as one of test/simulation/found, instead of that of the seed")
  .option("--starts", "only start and stop the service under each seed", false)
  .option("--shrink", "make the plan of the first seed that fails smaller, and write it to a file", false)
  .option("--trace", "print every step", false)
  .parse()
  .opts<Flags>()

/** One way to run a seed. */
interface Way {
  /** The command line that repeats it. */
  readonly flags: string
  readonly run: (seed: number, plan: Plan, trace?: (line: string) => void) => Promise<RunResult>
}

const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "penknife-simulate-"))
const template = join(folder, "template.db")
const file = join(folder, "run.db")
try {
  await makeTemplate(template)
  const ways = await openWays()
  const kept: { readonly seed: number; readonly plan: Plan } | null = flags.plan
    ? await Bun.file(flags.plan).json()
    : null
  const first = flags.seed ?? kept?.seed ?? (await seedOfCommit())
  const makeUsualPlan = flags.store === "file" ? makePlan : makePostgresPlan
  const planOf = (seed: number) => kept?.plan ?? makeUsualPlan(seed, flags.clients)
  const isOne = flags.seed !== undefined || kept !== null
  const seeds = flags.minutes === undefined ? (flags.seeds ?? (isOne ? 1 : 200)) : Number.POSITIVE_INFINITY
  const found = await simulate(ways, first, seeds, planOf)
  if (found) {
    process.exitCode = 1
    await report(found.way, found.failed, planOf(found.failed.seed))
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function openWays(): Promise<readonly Way[]> {
  if (flags.store === "pglite") {
    const { startPglite } = await import("../test/simulation/pglite.ts")
    const server = await startPglite()
    return [
      {
        flags: " --store pglite",
        run: (seed, plan, trace) => runPostgresSeed(seed, server, { plan, trace }),
      },
    ]
  }
  await prepareStarts(file)
  const start: Way = {
    flags: " --starts",
    run: (seed, _plan, trace) => watched(() => runStart(seed, { template, file, trace })),
  }
  const clients: Way = {
    flags: "",
    run: (seed, plan, trace) => watched(() => runSeed(seed, { template, file, plan, trace })),
  }
  return flags.starts ? [start] : [clients, start]
}

/** Runs seeds until one fails, which is returned. */
async function simulate(
  ways: readonly Way[],
  first: number,
  seeds: number,
  planOf: (seed: number) => Plan,
): Promise<{ readonly way: Way; readonly failed: RunResult } | null> {
  const startMs = performance.now()
  const endMs = startMs + (flags.minutes ?? Number.POSITIVE_INFINITY) * 60_000
  const counts = new Map<string, number>()
  let steps = 0
  let hash = 0n
  let shownMs = startMs
  let done = 0
  let found: { readonly way: Way; readonly failed: RunResult } | null = null
  for (; done < seeds && found === null && performance.now() < endMs; done++) {
    const seed = first + done
    const plan = planOf(seed)
    for (const way of ways) {
      const result = await way.run(seed, plan, flags.trace ? say : undefined)
      steps += result.steps
      hash = Bun.hash.xxHash64(result.hash, hash)
      for (const [name, count] of result.counts) counts.set(name, (counts.get(name) ?? 0) + count)
      if (result.problem !== null) found ??= { way, failed: result }
    }
    if (performance.now() < shownMs + progressMs) continue
    shownMs = performance.now()
    say(`${done + 1} seeds, ${steps} steps`)
  }
  const { user, system } = process.cpuUsage()
  say(
    `${done} seeds from ${first}, ${steps} steps, ${((user + system) / 1e6).toFixed(1)} s of processor time, ` +
      `hash ${hash.toString(16)}: ${found ? "FAILED" : "all held"}`,
  )
  say(JSON.stringify(Object.fromEntries([...counts].sort(([a], [b]) => a.localeCompare(b)))))
  return found
}

async function report({ flags: which, run }: Way, failed: RunResult, plan: Plan): Promise<void> {
  const lines: string[] = []
  await run(failed.seed, plan, (line) => {
    lines.push(line)
    if (lines.length > lastSteps) lines.shift()
  })
  say(`\nThe last steps:\n${lines.join("\n")}\n\nSeed ${failed.seed}: ${failed.problem}`)
  const again = `bun run simulate --seed ${failed.seed}${which}${flags.plan ? ` --plan ${flags.plan}` : ""}`
  say(`${describePlan(plan)}\nRun it again: ${again}`)
  if (!flags.shrink) {
    say("Make its plan smaller: the same command with --shrink")
    return
  }
  const small = await shrink(failed, plan, run)
  const name = join(tmpdir(), `penknife-plan-${small.seed}.json`)
  const kept = { seed: small.seed, found: oracleOf(failed), plan: small.plan }
  await Bun.write(name, `${JSON.stringify(kept)}\n`)
  say(`\nShrunk in ${small.runs} runs to ${describePlan(small.plan)}:\n${JSON.stringify(small.plan)}`)
  say(`${small.result.problem}\nRun it again: bun run simulate${which} --plan ${name}`)
  say("When it is mended, keep the file in test/simulation/found with what it found.")
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

function toNumber(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new InvalidArgumentError("Write a whole number.")
  return Number(text)
}
