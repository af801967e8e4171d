/**
 * Everything that must hold before a change is taken: format and lint, types, tests, the build, and the tests of the
 * built executable. The last line is `N passed, N failed`; a step that is not a test counts as one.
 */
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs"
import { join } from "node:path"
import { Glob } from "bun"
import { seedOfDay } from "../test/fuzz/seed.ts"

const bun = process.execPath
/** The time limit is only there for a test that hangs: a busy machine may be ten times slower. */
const runner = [bun, "test", "--timeout=300000"]
/** One checker each: several check the same files again, and take twice the processor time together. */
const tsc = [bun, "node_modules/typescript/bin/tsc", "--checkers", "1"]
/** Files of test/binary that take longest. They start first, so that no process waits for one of them at the end. */
const slowest = ["web", "own-apis-workers", "package", "mock", "fuzz", "own-apis-faults", "backup"]
/** Files of test/binary that mostly wait for time limits of the executable. They need little of a processor. */
const waiting = ["workers", "failing-store", "slow-clients", "observe"]
/** Several times what the temporary files of all tests take. */
const neededBytes = 6e9
let passed = 0
let failed = 0
/** Parts that tests could not try on this machine, in their own words. */
const leftOut: string[] = []

process.chdir(join(import.meta.dir, ".."))
const env = { ...process.env, ...foldersInMemory() }
// Tests of the npm package's own code start the executable when there is one, so none runs beside the build.
const [isBuilt] = await Promise.all([
  step("build", [bun, "scripts/build.ts"]),
  step("format and lint", [bun, "node_modules/@biomejs/biome/bin/biome", "ci", "."]),
  step("types", [...tsc, "-p", "."]),
  step("types of the front end", [...tsc, "-p", "src/web"]),
])
const files = isBuilt ? filesOfExecutable() : { waiting: [], busy: [] }
await Promise.all([
  testInTurn(files.waiting),
  // One of them runs beside the tests in process, since the browser's tests wait for half of their time; two at a time after
  // those.
  testInTurn(files.busy),
  testInProcess().then(() => testInTurn(files.busy)),
])

for (const line of leftOut) console.log(`\n${line}\n`)
console.log(`seed of the generated requests: ${seedOfDay()}`)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)

/**
 * Where tests have their temporary files: in memory, if there is room for them. On a disk the check waits a tenth of its time
 * until small files are on it.
 */
function foldersInMemory(): { readonly TMPDIR?: string } {
  const memory = "/dev/shm"
  if (process.env.TMPDIR || !existsSync(memory)) return {}
  const { bavail, bsize } = statfsSync(memory)
  if (bavail * bsize < neededBytes) return {}
  const folder = mkdtempSync(join(memory, "penknife-check-"))
  // PostgreSQL runs as a user of its own, who must reach its files.
  chmodSync(folder, 0o755)
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1))
  return { TMPDIR: folder }
}

/** Runs a command beside others, and prints what it wrote when it has ended. */
async function step(name: string, command: string[]): Promise<boolean> {
  const run = Bun.spawn(command, { stdio: ["ignore", "pipe", "pipe"], env })
  const [out, err, code] = await Promise.all([run.stdout.text(), run.stderr.text(), run.exited])
  console.log(`\n== ${name}\n${out}${err}`)
  if (code === 0) passed++
  else failed++
  return code === 0
}

/** Runs the files of src and test in two processes, with a dot per test and the whole of every failure. */
async function testInProcess(): Promise<void> {
  console.log("\n== tests")
  const paths = ["./src", "./test", "--path-ignore-patterns=test/binary/**"]
  const run = Bun.spawn([...runner, "--parallel=2", "--no-isolate", "--dots", ...paths], {
    stdio: ["ignore", "inherit", "pipe"],
    env,
  })
  let output = ""
  const decoder = new TextDecoder()
  for await (const chunk of run.stderr) {
    process.stderr.write(chunk)
    output += decoder.decode(chunk, { stream: true })
  }
  count(await run.exited, output)
}

/**
 * The files of test/binary: those that mostly wait, which run one by one beside all other tests, and those that keep a processor
 * busy.
 */
function filesOfExecutable(): { waiting: string[]; busy: string[] } {
  const rank = (file: string) =>
    slowest.findIndex((name) => nameOf(file).startsWith(name)) + 1 || slowest.length + 1
  const files = [...new Glob("*.test.ts").scanSync("test/binary")].sort((a, b) => rank(a) - rank(b))
  const isWaiting = (file: string) => waiting.includes(nameOf(file))
  return { waiting: files.filter(isWaiting), busy: files.filter((file) => !isWaiting(file)) }
}

function nameOf(file: string): string {
  return file.replace(".test.ts", "")
}

/**
 * Runs the files of a list, which others may share, until none is left. Prints a line for each, and the output of one that
 * failed.
 */
async function testInTurn(files: string[]): Promise<void> {
  for (let file = files.shift(); file !== undefined; file = files.shift()) await testFile(file)
}

async function testFile(file: string): Promise<void> {
  const startMs = performance.now()
  const run = Bun.spawn([...runner, "--only-failures", `./test/binary/${file}`], {
    stdio: ["ignore", "pipe", "pipe"],
    env,
  })
  const [out, err, code] = await Promise.all([run.stdout.text(), run.stderr.text(), run.exited])
  const seconds = ((performance.now() - startMs) / 1_000).toFixed(1)
  const counted = count(code, err)
  console.log(`${seconds.padStart(6)} s  ${counted.passed} passed, ${counted.failed} failed  ${file}`)
  if (counted.failed > 0) console.log(out + err)
}

/** Adds up what the closing lines of the runner say. */
function count(code: number, output: string) {
  const counted = { passed: countOf(output, "pass"), failed: countOf(output, "fail") }
  const reasons = [...output.matchAll(/^!! LEFT OUT.*$/gm)].map(([line]) => line)
  const isEmpty = counted.passed + counted.failed === 0
  // A runner that crashes, or that finds no test and does not say why, counts as one failure.
  if (counted.failed === 0 && (isEmpty ? reasons.length === 0 : code !== 0)) counted.failed++
  passed += counted.passed
  failed += counted.failed
  leftOut.push(...reasons)
  return counted
}

function countOf(output: string, word: "pass" | "fail"): number {
  const lines = [...output.matchAll(new RegExp(`^\\s*(\\d+) ${word}$`, "gm"))]
  return Number(lines.at(-1)?.[1] ?? 0)
}
