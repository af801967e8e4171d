/**
 * Writes the signed zones of test/data/dnssec: `bun run data:dnssec-zones`. It needs Debian's bind9-utils and ldnsutils. Keys are
 * made anew and thrown away, so that every run changes all signatures; times are fixed, from December 2024, before the test
 * double's time, to the end of 2035. Also writes the examples of dnssecvalidator anew.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Command } from "commander"
import { plans, signingOf, type ZonePlan } from "./dnssec-zones/plans.ts"

new Command("dnssec-zones")
  .description("Write the signed zones of test/data/dnssec anew, with new keys.")
  .parse()
const folder = resolve(import.meta.dir, "../test/data/dnssec")
const work = mkdtempSync(join(tmpdir(), "dnssec-zones-"))
/** The DS records that each parent has to have, and its delegations. */
const delegations = new Map<string, string[]>()

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (const plan of plans) {
  const lines = makeZone(plan)
  const file = plan.name === "." ? "root.zone" : `${plan.name}zone`
  writeFileSync(join(folder, file), `${lines.join("\n")}\n`)
}
const anchors = delegations.get("") ?? []
writeFileSync(join(folder, "anchor.txt"), `${anchors.filter((line) => / DS /.test(line)).join("\n")}\n`)
rmSync(work, { recursive: true })
console.log(`${folder}: ${plans.length} zones`)
// Reads the zones when it is loaded.
const { writeExamples } = await import("./dnssec-zones/examples.ts")
await writeExamples()

function makeZone(plan: ZonePlan): readonly string[] {
  const { name, algorithm } = plan
  const ns = name === "." ? "ns." : `ns.${name}`
  const lines = [
    `$ORIGIN ${name}`,
    "$TTL 300",
    `@ SOA ${ns} hostmaster.${name === "." ? "" : name} 2026112300 3600 900 604800 300`,
    `@ NS ${ns}`,
    `${ns} A 127.0.0.1`,
    ...plan.records.split("\n").filter((line) => line !== ""),
    ...(delegations.get(name) ?? []),
  ]
  const delegation = [`${name} NS ${ns}`, `${ns} A 127.0.0.1`]
  if (algorithm === undefined) {
    addToParent(name, delegation)
    return toLines(checked(lines, name))
  }
  const keys = makeKeys(plan)
  const keyLines = keys.map((key) => readLines(`${key}.key`).find((line) => / DNSKEY /.test(line)) ?? "")
  const source = join(work, "zone")
  writeFileSync(source, `${[...lines, ...keyLines, ...(plan.prepare?.(keyLines) ?? [])].join("\n")}\n`)
  const signed = sign(plan, source, keys)
  addToParent(name, [...delegation, ...dsOf(plan, keys[0] ?? "")])
  return plan.change?.(signed) ?? signed
}

/** The base names of the files of a zone's keys; the first one is that of its keys. */
function makeKeys({ name, algorithm, hasTwoKeys }: ZonePlan): string[] {
  const options = ["-q", "-K", work, "-a", String(algorithm)]
  if ([5, 8, 10].includes(algorithm ?? 0)) options.push("-b", "2048")
  const first = run(["dnssec-keygen", ...options, "-f", "KSK", name]).trim()
  return hasTwoKeys ? [first, run(["dnssec-keygen", ...options, name]).trim()] : [first]
}

function sign(plan: ZonePlan, source: string, keys: readonly string[]): readonly string[] {
  const target = join(work, "signed")
  if (plan.iterations !== undefined) {
    const times = ["-i", "20241201000000", "-e", "20351231235959"]
    const hashing = ["-n", "-t", String(plan.iterations), "-s", "AABB"]
    const names = ["-f", target, "-o", plan.name]
    run(["ldns-signzone", ...times, ...hashing, ...names, source, join(work, keys[0] ?? "")])
    return toLines(readFileSync(target, "utf8"))
  }
  // One key signs everything, unless there is another for the data.
  const one = plan.hasTwoKeys ? ["-x"] : ["-z"]
  const options = ["-q", "-P", ...one, "-O", "full", "-K", work, ...signingOf(plan)]
  run(["dnssec-signzone", ...options, "-o", plan.name, "-f", target, source])
  return toLines(readFileSync(target, "utf8"))
}

function dsOf(
  { digests = ["SHA-256"], changeDs = (lines) => lines }: ZonePlan,
  key: string,
): readonly string[] {
  const lines = digests.flatMap((digest) =>
    toLines(run(["dnssec-dsfromkey", "-a", digest, join(work, `${key}.key`)])),
  )
  return changeDs(lines.map(withJoinedDigest))
}

function withJoinedDigest(line: string): string {
  return line.replace(
    /( DS \d+ \d+ \d+) (.*)$/,
    (_, head: string, digest: string) => `${head} ${digest.replaceAll(" ", "")}`,
  )
}

function addToParent(name: string, lines: readonly string[]): void {
  const parent =
    name === "."
      ? ""
      : (plans
          .map((plan) => plan.name)
          .filter((zone) => isBelow(name, zone))
          .sort((one, other) => other.length - one.length)[0] ?? "")
  delegations.set(parent, [...(delegations.get(parent) ?? []), ...lines])
}

function isBelow(name: string, zone: string): boolean {
  return name !== zone && (zone === "." || name.endsWith(`.${zone}`))
}

/** An unsigned zone, as dnssec-signzone would write it. */
function checked(lines: readonly string[], name: string): string {
  const source = join(work, "zone")
  writeFileSync(source, `${lines.join("\n")}\n`)
  return run(["named-compilezone", "-q", "-i", "none", "-s", "full", "-o", "-", name, source])
}

/** One record a line: `owner TTL IN TYPE data`, without comments. */
function toLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) =>
      line
        .replace(/\s*;.*$/, "")
        .replace(/\s+/g, " ")
        .trim(),
    )
    .filter((line) => line !== "")
}

function readLines(file: string): string[] {
  return toLines(readFileSync(join(work, file), "utf8"))
}

function run(command: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: work })
  if (exitCode !== 0) throw new Error(`${command.join(" ")}\n${stderr}`)
  return stdout.toString()
}
