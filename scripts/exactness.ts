/**
 * Tries on the executable that charges stay exact, with several instances on one PostgreSQL database, over kills and over
 * reloads: `bun run exactness`. Prints tables to stderr and JSON to stdout. The exit code is 1 when something did not hold.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Command, Option } from "commander"
import { writePlans } from "./exactness/books.ts"
import type { Trial } from "./exactness/trial.ts"
import { trials } from "./exactness/trials.ts"
import { type Finding, meets, toCount, toTable } from "./findings.ts"

interface Flags {
  only?: string[]
  binary: string
  rounds?: number
}

const program = new Command("exactness")
  .description("Try that several instances on one PostgreSQL database charge exactly.")
  .argument("[NAMES...]", "try only these, as with --only")
  .addOption(new Option("--only <NAMES...>", "try only these").choices(trials.map(({ name }) => name)))
  .option("--binary <FILE>", "the executable", join(import.meta.dir, "../dist/penknife"))
  .option("--rounds <NUMBER>", "how often each is tried; each trial has a number of its own", toCount)
  .parse()
const flags = program.opts<Flags>()
const only = [...program.args, ...(flags.only ?? [])]
for (const name of only)
  if (!trials.some((trial) => trial.name === name)) program.error(`There is no trial ${name}.`)

const binary = resolve(flags.binary)
if (!existsSync(binary)) throw new Error(`There is no ${binary}: run 'bun run build' first.`)

const directory = mkdtempSync(join(tmpdir(), "penknife-exactness-"))
// PostgreSQL runs as another user.
chmodSync(directory, 0o755)
const config = join(directory, "penknife.toml")
writePlans(config)
try {
  const results: object[] = []
  for (const trial of trials.filter(({ name }) => only.length === 0 || only.includes(name))) {
    const findings = await runTrial(trial)
    say(`\n## ${trial.title}\n\n${toTable(findings)}\n`)
    results.push({ name: trial.name, title: trial.title, findings })
    if (findings.some(({ value, goal }) => goal !== null && !meets(value, goal))) process.exitCode = 1
  }
  await Bun.write(Bun.stdout, `${JSON.stringify(results, null, 2)}\n`)
} finally {
  rmSync(directory, { recursive: true, force: true })
}
// The package of PostgreSQL ends the process with 0 otherwise, whatever the exit code says.
process.exit()

async function runTrial({ name, rounds, run }: Trial): Promise<readonly Finding[]> {
  const ends: (() => Promise<void>)[] = []
  const folder = join(directory, name)
  mkdirSync(folder)
  try {
    return await run({
      binary,
      directory: folder,
      config,
      rounds: flags.rounds ?? rounds,
      say: (text) => say(`${name}: ${text}`),
      cleanUp: (end) => ends.unshift(end),
    })
  } finally {
    for (const end of ends) await end()
  }
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
