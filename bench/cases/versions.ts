import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { command } from "../../scripts/exactness/command.ts"
import type { Finding } from "../../scripts/findings.ts"
import type { Case, Row } from "../case.ts"
import { cpuRatio, loadOnce, type Measured, type Round, sumOf, toRows } from "../compare.ts"
import { type Load, runLoad } from "../load.ts"
import { lookUp, query, sign, signMany } from "../loads.ts"
import { startServer, usageOf } from "../processes.ts"
import type { CallKind, Workbench } from "../workbench.ts"

/** The loads, by their names on the command line, and the calls of one request. */
const loads: Readonly<
  Record<CallKind, { readonly toLoad: (keys: readonly string[]) => Load; readonly calls: number }>
> = {
  get: { toLoad: lookUp, calls: 1 },
  post: { toLoad: sign, calls: 1 },
  batch: { toLoad: (keys) => signMany(keys, 20), calls: 20 },
  graphql: { toLoad: (keys) => query(keys, 6), calls: 6 },
}

const plan = `[plans.mega]
monthly_credits = 1000000000000
requests_per_minute = "unlimited"
graphql_apis = "unlimited"
premium = true
`

const names = ["this", "other"] as const
type Name = (typeof names)[number]
type Pair<T> = Readonly<Record<Name, T>>

/**
 * The states in which a process is measured, in this order. Both processes of a pair get the same load at the same time on one
 * core: other work of the machine slows down both alike. At full speed each has the core to itself for a while, in the order
 * this, other, other, this: then a machine that becomes faster or slower favours neither.
 */
const states = ["cold", "warm", "full speed"] as const
const fullSpeedOrder = ["this", "other", "other", "this"] as const

/** Two processes of one executable differ by up to 7 %, so each round starts both anew. */
export const versions: Case = {
  name: "versions",
  title: "Calls beside another executable, --against FILE",
  onRequest: true,
  async run(bench) {
    const { against, binary, directory } = bench
    if (against === undefined) throw new Error("Name the other executable with --against FILE.")
    const config = join(directory, "versions.toml")
    await Bun.write(config, plan)
    const stores = { this: await prepare(binary, config), other: await prepare(against, config) }
    const rows: Row[] = []
    const findings: Finding[] = []
    for (const kind of bench.calls) {
      const pairs: MeasuredPair[] = []
      for (let round = 1; round <= bench.rounds; round++) {
        bench.say(`${kind}: round ${round} of ${bench.rounds}`)
        pairs.push(await measurePair(stores, kind, bench))
      }
      for (const state of states) {
        const toMeasured = (name: Name): Measured => ({
          name: `${kind}, ${state}, ${name}`,
          idleMb: pairs[0]?.idleMb[name] ?? Number.NaN,
          rounds: pairs.map((pair) => pair.rounds[state][name]),
        })
        const [ours, theirs] = [toMeasured("this"), toMeasured("other")]
        rows.push(...toRows({ ours, theirs }))
        findings.push(cpuRatio(ours, theirs, null))
      }
    }
    return { rows, findings, notes: notes(bench) }
  },
}

function notes({ seconds, warm }: Workbench): readonly string[] {
  return [
    `Cold: both executables are loaded at once on one core, in the first ${seconds} s of new processes, in which the runtime compiles.`,
    `Warm: the same after ${warm},000 calls or more, by when the runtime has compiled what is called often.`,
    "Full speed: the same processes, each alone on the core, in the order this, other, other, this.",
  ]
}

interface MeasuredPair {
  readonly idleMb: Pair<number>
  readonly rounds: Readonly<Record<(typeof states)[number], Pair<Round>>>
}

/** Starts one process of each executable and measures both in all states. */
async function measurePair(
  stores: Pair<Awaited<ReturnType<typeof prepare>>>,
  kind: CallKind,
  bench: Workbench,
): Promise<MeasuredPair> {
  const { toLoad, calls } = loads[kind]
  const servers = {
    this: await startServer(stores.this.command),
    other: await startServer(stores.other.command),
  }
  const idleOf = (name: Name) => usageOf(servers[name].pid).residentMb
  const idleMb = { this: idleOf("this"), other: idleOf("other") }
  const loadOne = (name: Name, seconds: number) => {
    const directory = join(bench.directory, name)
    mkdirSync(directory, { recursive: true })
    const load: Workbench["load"] = (one, url) =>
      runLoad(one, { url, connections: bench.connections, seconds, directory })
    return loadOnce({ ...bench, load }, toLoad([stores[name].key]), servers[name])
  }
  const loadBoth = async (seconds: number): Promise<Pair<Round>> => {
    const [ours, theirs] = await Promise.all([loadOne("this", seconds), loadOne("other", seconds)])
    return { this: ours, other: theirs }
  }
  try {
    const cold = await loadBoth(bench.seconds)
    // By calls and not by time: on a busy machine both would still be cold.
    const enough = (bench.warm * 1_000) / calls
    for (let [ours, theirs] = [cold.this.requests, cold.other.requests]; Math.min(ours, theirs) < enough; ) {
      const more = await loadBoth(bench.seconds)
      ours += more.this.requests
      theirs += more.other.requests
    }
    const warm = await loadBoth(bench.seconds)
    const alone: Record<Name, Round[]> = { this: [], other: [] }
    for (const name of fullSpeedOrder) alone[name].push(await loadOne(name, bench.seconds))
    const fullSpeed = { this: sumOf(alone.this), other: sumOf(alone.other) }
    return { idleMb, rounds: { cold, warm, "full speed": fullSpeed } }
  } finally {
    await Promise.all(names.map((name) => servers[name].stop()))
  }
}

/** A data file with one key, made by the executable itself, since versions have other tables. */
async function prepare(binary: string, config: string) {
  const file = `${config}-${Bun.hash(binary)}.db`
  const run = (...argv: string[]) => command({ binary, config }, file, argv)
  const { id } = await run("account", "create", "--name", "bench", "--plan", "mega")
  const key = String((await run("key", "create", "--account", id)).key)
  return { key, command: [binary, "serve", "--port", "0", "--db", file, "--config", config, "--json"] }
}
