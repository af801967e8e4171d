/**
 * Sends generated requests to dist/penknife and prints a report: `bun run fuzz --seed 7 --runs 1000000`. Without a seed it
 * takes a random one; the test prints it, so that a failure can be repeated.
 */
import { join } from "node:path"
import { parseArgs } from "node:util"

const { values } = parseArgs({ options: { seed: { type: "string" }, runs: { type: "string" } } })
const seed = wholeNumber("seed", values.seed ?? String(crypto.getRandomValues(new Uint32Array(1))[0] ?? 0))
const runs = wholeNumber("runs", values.runs ?? "100000")

process.chdir(join(import.meta.dir, ".."))
// Half go to the paths of the OpenAPI document, half to all other surfaces.
const half = String(Math.ceil(Number(runs) / 2))
const files = ["./test/binary/fuzz.test.ts", "./test/binary/fuzz-surfaces.test.ts"]
const child = Bun.spawn([process.execPath, "test", ...files], {
  stdio: ["ignore", "inherit", "inherit"],
  env: { ...process.env, FUZZ_SEED: seed, FUZZ_RUNS: half },
})
process.exit(await child.exited)

function wholeNumber(name: string, text: string): string {
  if (/^\d{1,10}$/.test(text)) return text
  console.error(`--${name} must be a whole number, not '${text}'.`)
  process.exit(2)
}
