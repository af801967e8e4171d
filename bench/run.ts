/**
 * Measures the executable: `bun run bench`. Prints tables to stderr and JSON to stdout. Servers are loaded in turn, so the
 * ratios hold on a slow or busy machine too. A goal that is missed is shown, but does not change the exit code.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { cpus, tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Command, Option } from "commander"
import packageJson from "../package.json" with { type: "json" }
import { toCount, toTable } from "../scripts/findings.ts"
import type { Report, Row } from "./case.ts"
import { cases } from "./cases.ts"
import { coreCount } from "./processes.ts"
import { type CallKind, callKinds, createWorkbench } from "./workbench.ts"

interface Flags {
  case?: string[]
  binary: string
  against?: string
  connections: number
  seconds: number
  rounds: number
  warm: number
  calls: CallKind[]
  millions: number
  out?: string
}

const flags = new Command("bench")
  .description("Measure the executable that 'bun run build' makes.")
  .addOption(new Option("--case <NAMES...>", "measure only these").choices(cases.map(({ name }) => name)))
  .option("--binary <FILE>", "the executable", join(import.meta.dir, "../dist/penknife"))
  .option("--against <FILE>", "another executable, for the case 'versions'")
  .option("--connections <NUMBER>", "connections of the load", toCount, 64)
  .option("--seconds <NUMBER>", "length of a round", toCount, 5)
  .option("--rounds <NUMBER>", "rounds for each server", toCount, 5)
  .option(
    "--warm <NUMBER>",
    "thousands of calls until processes of the case 'versions' are warm",
    toCount,
    200,
  )
  .addOption(
    new Option("--calls <KINDS...>", "kinds of calls of the case 'versions'")
      .choices(callKinds)
      .default([...callKinds], "all"),
  )
  .option("--millions <NUMBER>", "millions of calls of the case 'endurance'", toCount, 10)
  .option("--out <FILE>", "write the JSON to a file instead of stdout")
  .parse()
  .opts<Flags>()

const binary = resolve(flags.binary)
const against = flags.against === undefined ? undefined : resolve(flags.against)
if (!existsSync(binary)) throw new Error(`There is no ${binary}: run 'bun run build' first.`)
if (Bun.which("wrk") === null) throw new Error("The load comes from wrk on Linux: apt-get install wrk.")

const directory = mkdtempSync(join(tmpdir(), "penknife-bench-"))
try {
  const json = `${JSON.stringify(await measure(directory), null, 2)}\n`
  await Bun.write(flags.out ?? Bun.stdout, json)
} finally {
  rmSync(directory, { recursive: true })
}

async function measure(directory: string) {
  const { connections, seconds, rounds, warm, calls, millions } = flags
  const say = (text: string) => process.stderr.write(`${text}\n`)
  const bench = createWorkbench({
    ...{ binary, against, directory, connections, seconds, rounds, warm, calls, millions, say },
  })
  const chosen = cases.filter(({ name, onRequest }) => flags.case?.includes(name) ?? !onRequest)
  const results: object[] = []
  for (const { name, title, run } of chosen) {
    const report = await run(bench)
    say(toText(title, report))
    results.push({ name, title, ...report })
  }
  return {
    penknife: packageJson.version,
    bun: Bun.version,
    processor: cpus()[0]?.model.trim() ?? "unknown",
    cores: coreCount,
    connections,
    seconds,
    rounds,
    warm,
    cases: results,
  }
}

/** A case's figures as text for people. */
function toText(title: string, { rows, findings, notes }: Report): string {
  const parts = [
    `## ${title}`,
    ...(rows.length > 0 ? [rowTable(rows)] : []),
    ...(findings.length > 0 ? [toTable(findings)] : []),
    ...notes.map((note) => `Note: ${note}`),
  ]
  return `\n${parts.join("\n\n")}\n`
}

function rowTable(rows: readonly Row[]): string {
  return Bun.inspect.table(Object.fromEntries(rows.map((row) => [row.subject, rowCells(row)]))).trimEnd()
}

function rowCells(row: Row): Record<string, string> {
  return {
    "CPU µs/request": row.cpuMicroseconds.toFixed(1),
    "requests/s": Math.round(row.requestsPerSecond).toLocaleString("en"),
    "p50 ms": row.p50Ms.toFixed(2),
    "p99 ms": row.p99Ms.toFixed(2),
    "MB idle": row.idleMb.toFixed(0),
    "MB load": row.loadMb.toFixed(0),
  }
}
