/**
 * Measures the executable: `bun run bench`. Figures for people go to stderr, the same as JSON to stdout. Every ratio is
 * of servers that were loaded in turn in the same run, so that it holds on a slow or busy machine too.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { cpus, tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Command, InvalidArgumentError } from "commander"
import packageJson from "../package.json" with { type: "json" }
import type { Case } from "./case.ts"
import { cases } from "./cases.ts"
import { generator } from "./load.ts"
import { coreCount } from "./processes.ts"
import { toText } from "./table.ts"
import { createWorkbench } from "./workbench.ts"

interface Flags {
  case?: Case[]
  binary: string
  connections: number
  seconds: number
  rounds: number
  millions: number
  out?: string
}

const flags = new Command("bench")
  .description("Measure the executable that 'bun run build' makes.")
  .option(
    "--case <NAME>",
    `only this one; repeatable: ${cases.map(({ name }) => name).join(", ")}`,
    collectCase,
  )
  .option("--binary <FILE>", "the executable", join(import.meta.dir, "../dist/penknife"))
  .option("--connections <NUMBER>", "connections that are kept busy", toCount, 64)
  .option("--seconds <NUMBER>", "of one round", toCount, 5)
  .option("--rounds <NUMBER>", "how often each server is loaded", toCount, 5)
  .option("--millions <NUMBER>", "millions of calls of the case 'endurance'", toCount, 10)
  .option("--out <FILE>", "write the JSON to a file instead")
  .parse()
  .opts<Flags>()

const binary = resolve(flags.binary)
if (!existsSync(binary)) throw new Error(`There is no ${binary}: run 'bun run build' first.`)

const directory = mkdtempSync(join(tmpdir(), "penknife-bench-"))
try {
  const json = `${JSON.stringify(await measure(directory), null, 2)}\n`
  await Bun.write(flags.out ?? Bun.stdout, json)
} finally {
  rmSync(directory, { recursive: true })
}

async function measure(directory: string) {
  const { connections, seconds, rounds, millions } = flags
  const say = (text: string) => process.stderr.write(`${text}\n`)
  const bench = createWorkbench({ binary, directory, connections, seconds, rounds, millions, say })
  if (generator !== "wrk")
    say("wrk is not installed: autocannon tells whole milliseconds and may be slower than a server.")
  const results: object[] = []
  for (const { name, title, run } of flags.case ?? cases.filter(({ onRequest }) => !onRequest)) {
    const report = await run(bench)
    say(toText(title, report))
    results.push({ name, title, ...report })
  }
  return {
    penknife: packageJson.version,
    bun: Bun.version,
    processor: cpus()[0]?.model.trim() ?? "unknown",
    cores: coreCount,
    generator,
    connections,
    seconds,
    rounds,
    cases: results,
  }
}

function collectCase(name: string, before: Case[] = []): Case[] {
  const found = cases.find((one) => one.name === name)
  if (!found) throw new InvalidArgumentError(`The cases are ${cases.map((one) => one.name).join(", ")}.`)
  return [...before, found]
}

function toCount(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("Write a whole number, 1 or more.")
  return Number(text)
}
