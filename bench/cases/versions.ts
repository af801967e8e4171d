import { join } from "node:path"
import type { Finding } from "../../scripts/findings.ts"
import type { Case, Row } from "../case.ts"
import { compare, cpuRatio, type Measured, type Round, toRows } from "../compare.ts"
import type { Load } from "../load.ts"
import { lookUp, query, sign, signMany } from "../loads.ts"

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

/** Two processes of one executable differ by up to 7 %, so each round starts both executables anew. */
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
      const rounds = { this: [] as Round[], other: [] as Round[] }
      const idleMb: Record<string, number | null> = {}
      for (let round = 0; round < bench.rounds; round++) {
        const measured = await compare(
          { ...bench, rounds: 1 },
          {
            this: { command: stores.this.command, load: toLoad([stores.this.key]) },
            other: { command: stores.other.command, load: toLoad([stores.other.key]) },
          },
        )
        for (const name of ["this", "other"] as const) {
          rounds[name].push(...measured[name].rounds)
          idleMb[name] = measured[name].idleMb
        }
      }
      const toMeasured = (name: "this" | "other"): Measured => ({
        name: `${kind}, ${name}`,
        idleMb: idleMb[name] ?? null,
        rounds: rounds[name],
      })
      const [ours, theirs] = [toMeasured("this"), toMeasured("other")]
      rows.push(...toRows({ ours, theirs }))
      findings.push(...cpuRatio(ours, theirs, null))
    }
    return { rows, findings, notes: ["Each round starts new processes."] }
  },
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
