/**
 * Sends generated requests to dist/penknife and prints a report: `bun run fuzz --seed 7 --runs 1000000`. Without a seed it takes
 * a random one; the test prints it, so that a failure can be repeated. `bun run fuzz --dns-modes --rounds 5` lets the DNS server
 * of a service play tricks instead, and `bun run fuzz --policy-hosts` the hosts whose policies it reads.
 */
import { join } from "node:path"
import { Command, InvalidArgumentError } from "commander"
import { toCount } from "./findings.ts"

const options = new Command("fuzz")
  .description(
    "Send generated requests to dist/penknife, and print a report. It is built first: bun run build.",
  )
  .option("--seed <NUMBER>", "of the requests; another one each time if it is left out", toWhole)
  .option("--runs <NUMBER>", "requests", toWhole, 100_000)
  .option("--dns-modes", "let the DNS server of a service play tricks instead")
  .option("--rounds <NUMBER>", "rounds of these tricks", toCount, 3)
  .option("--policy-hosts", "let the hosts play tricks whose policies a service reads")
  .parse()
  .opts<{ seed?: number; runs: number; dnsModes?: true; rounds: number; policyHosts?: true }>()
process.chdir(join(import.meta.dir, ".."))
if (options.dnsModes)
  process.exit(await runTests(["./test/fuzz/dns-modes.ts"], { DNS_ROUNDS: `${options.rounds}` }))
if (options.policyHosts) process.exit(await runTests(["./test/fuzz/policy-hosts.ts"], {}))
const seed = options.seed ?? crypto.getRandomValues(new Uint32Array(1))[0]

// Half go to the paths of the OpenAPI document, half to all other surfaces.
const half = `${Math.ceil(options.runs / 2)}`
const files = ["./test/binary/fuzz.test.ts", "./test/binary/fuzz-surfaces.test.ts"]
process.exit(await runTests(files, { FUZZ_SEED: `${seed}`, FUZZ_RUNS: half }))

function runTests(files: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  const child = Bun.spawn([process.execPath, "test", ...files], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...env },
  })
  return child.exited
}

function toWhole(text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text)
  throw new InvalidArgumentError("Write a whole number.")
}
