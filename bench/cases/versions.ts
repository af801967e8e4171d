import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Finding } from "../../scripts/findings.ts"
import type { Case, Row } from "../case.ts"
import { cpuRatio, loadOnce, type Measured, type Round, toRows } from "../compare.ts"
import { type Load, runLoad } from "../load.ts"
import { lookUp, query, sign, signMany } from "../loads.ts"
import { startServer, usageOf } from "../processes.ts"
import type { Workbench } from "../workbench.ts"

const kinds: Readonly<Record<string, (keys: readonly string[]) => Load>> = {
  GET: lookUp,
  POST: sign,
  "batch of 20": (keys) => signMany(keys, 20),
  "GraphQL of 6": (keys) => query(keys, 6),
}

const plan = `[plans.mega]
monthly_credits = 1000000000000
requests_per_minute = "unlimited"
graphql_apis = "unlimited"
premium = true
`

const names = ["this", "other"] as const

/**
 * Two processes of one executable differ by up to 7 %, so each round starts both anew. Both are loaded at the same time on one
 * core: whatever else the machine does slows down both alike. In turn, the ratios of rounds differed by a fifth on a busy machine.
 */
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
    for (const [kind, toLoad] of Object.entries(kinds)) {
      const rounds: Pair<Round>[] = []
      let idleMb: Pair<number | null> | null = null
      for (let round = 1; round <= bench.rounds; round++) {
        bench.say(`${kind}: round ${round} of ${bench.rounds}`)
        const measured = await loadBoth(stores, toLoad, bench)
        idleMb ??= measured.idleMb
        rounds.push(measured.rounds)
      }
      const toMeasured = (name: (typeof names)[number]): Measured => ({
        name: `${kind}, ${name}`,
        idleMb: idleMb?.[name] ?? null,
        rounds: rounds.map((pair) => pair[name]),
      })
      const [ours, theirs] = [toMeasured("this"), toMeasured("other")]
      rows.push(...toRows({ ours, theirs }))
      findings.push(...cpuRatio(ours, theirs, null))
    }
    const notes = ["Each round starts new processes. Both are loaded at the same time on one core."]
    return { rows, findings, notes }
  },
}

type Pair<T> = Readonly<Record<(typeof names)[number], T>>

/** Starts both, loads both once as a warm-up and once for the figures. */
async function loadBoth(
  stores: Pair<Awaited<ReturnType<typeof prepare>>>,
  toLoad: (keys: readonly string[]) => Load,
  bench: Workbench,
): Promise<{ readonly rounds: Pair<Round>; readonly idleMb: Pair<number | null> }> {
  const servers = {
    this: await startServer(stores.this.command),
    other: await startServer(stores.other.command),
  }
  const idleOf = (name: (typeof names)[number]) => usageOf(servers[name].pid)?.residentMb ?? null
  const idleMb = { this: idleOf("this"), other: idleOf("other") }
  const loadOne = (name: (typeof names)[number]) => {
    const directory = join(bench.directory, name)
    mkdirSync(directory, { recursive: true })
    const { connections, seconds } = bench
    const load: Workbench["load"] = (one, url) => runLoad(one, { url, connections, seconds, directory })
    return loadOnce({ ...bench, load }, toLoad([stores[name].key]), servers[name])
  }
  const loadAll = () => Promise.all([loadOne("this"), loadOne("other")])
  try {
    await loadAll()
    const [ours, theirs] = await loadAll()
    return { rounds: { this: ours, other: theirs }, idleMb }
  } finally {
    await Promise.all(names.map((name) => servers[name].stop()))
  }
}

/** A data file with one key, made by the executable itself, since versions have other tables. */
async function prepare(executable: string, config: string) {
  const file = `${config}-${Bun.hash(executable)}.db`
  const run = async (...argv: string[]) => {
    const child = Bun.spawn([executable, ...argv, "--db", file, "--config", config, "--json"], {
      stderr: "inherit",
    })
    const [out, code] = await Promise.all([child.stdout.text(), child.exited])
    if (code !== 0) throw new Error(`${executable} ${argv.join(" ")} ended with ${code}`)
    return JSON.parse(out) as Record<string, string>
  }
  const { id = "" } = await run("account", "create", "--name", "bench", "--plan", "mega")
  const { key = "" } = await run("key", "create", "--account", id)
  return { key, command: [executable, "serve", "--port", "0", "--db", file, "--config", config, "--json"] }
}
