/**
 * Sends generated requests to dist/penknife and prints a report: `bun run fuzz --seed 7 --runs 1000000`. Without a seed it takes
 * a random one; the test prints it, so that a failure can be repeated. `bun run fuzz --dns-modes --rounds 5` lets the DNS server
 * of a service play tricks instead, and `bun run fuzz --policy-hosts` the hosts whose policies it reads.
 */
import { join } from "node:path"
import { parseArgs } from "node:util"

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    runs: { type: "string" },
    "dns-modes": { type: "boolean" },
    rounds: { type: "string" },
    "policy-hosts": { type: "boolean" },
  },
})
process.chdir(join(import.meta.dir, ".."))
if (values["dns-modes"]) {
  const rounds = wholeNumber("rounds", values.rounds ?? "3")
  process.exit(await runTests(["./test/fuzz/dns-modes.ts"], { DNS_ROUNDS: rounds }))
}
if (values["policy-hosts"]) process.exit(await runTests(["./test/fuzz/policy-hosts.ts"], {}))
const seed = wholeNumber("seed", values.seed ?? String(crypto.getRandomValues(new Uint32Array(1))[0] ?? 0))
const runs = wholeNumber("runs", values.runs ?? "100000")

// Half go to the paths of the OpenAPI document, half to all other surfaces.
const half = String(Math.ceil(Number(runs) / 2))
const files = ["./test/binary/fuzz.test.ts", "./test/binary/fuzz-surfaces.test.ts"]
process.exit(await runTests(files, { FUZZ_SEED: seed, FUZZ_RUNS: half }))

function runTests(files: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  const child = Bun.spawn([process.execPath, "test", ...files], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...env },
  })
  return child.exited
}

function wholeNumber(name: string, text: string): string {
  if (/^\d{1,10}$/.test(text)) return text
  console.error(`--${name} must be a whole number, not '${text}'.`)
  process.exit(2)
}
