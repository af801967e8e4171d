/**
 * Tries the clients of the test double in all languages with `dist/penknife`: `bun run clients`, after `bun run build`. It
 * installs nothing: what a machine lacks is named and counted. The exit code is 1 when a run failed.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Command } from "commander"
import { canRun, checkedRuns, otherRuns, runClient } from "./clients/runs.ts"

new Command("clients")
  .description("Try the clients of the test double in all languages with dist/penknife.")
  .parse()
const executable = join(import.meta.dir, "../dist/penknife")
if (!existsSync(executable)) throw new Error("There is no dist/penknife: run 'bun run build' first.")

const counts = { passed: 0, failed: 0, leftOut: 0 }
for (const run of [...checkedRuns, ...otherRuns]) {
  if (!canRun(run)) {
    counts.leftOut++
    console.log(`!! LEFT OUT: ${run.name}. ${run.install}`)
    continue
  }
  const failure = await runClient(run, executable)
  counts[failure === null ? "passed" : "failed"]++
  console.log(
    failure === null
      ? `passed: ${run.name}`
      : `FAILED: ${run.name}: ended with ${failure.code}\n${failure.text}`,
  )
}
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.leftOut} LEFT OUT`)
process.exit(counts.failed === 0 ? 0 : 1)
