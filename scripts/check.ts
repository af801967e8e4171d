/**
 * Everything that must hold before a change is taken: format and lint, types, tests, the build, and the tests of the
 * built executable. The last line is `N passed, N failed`; a step that is not a test counts as one. With `--all` it tries also
 * what has its turn with another commit (test/support/turns.ts).
 */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs"
import { availableParallelism } from "node:os"
import { basename, join, resolve } from "node:path"
import { Glob } from "bun"
import { seedOfDay } from "../test/fuzz/seed.ts"
import { seedOfCommit } from "../test/simulation/seed.ts"

const bun = process.execPath
/** The time limit is only there for a test that hangs: a busy machine may be ten times slower. */
const runner = [bun, "test", "--timeout=300000"]
/** One checker each: several check the same files again, and take twice the processor time together. */
const tsc = [bun, "node_modules/typescript/bin/tsc", "--checkers", "1"]
/** Files of test/binary that take longest. They start first, so that no process waits for one of them at the end. */
const slowest = ["web", "web-customers", "mock", "package", "own-apis-workers", "jobs", "fuzz"]
/** Files of test/binary that mostly wait for time limits of the executable. They need little of a processor. */
const waiting = ["workers", "failing-store", "slow-clients", "observe"]
/**
 * Files of src and test in a process. One that has run hundreds of them takes twice the time for each, since all that they left
 * behind is looked at again and again.
 */
const filesInProcess = 24
/** Tests wait for half of their time, so more processes than processors run. */
const processes = availableParallelism() + 2
/**
 * Most code of a test runs a few times. So the runtime compiles only what runs twenty times as often as it would wait for
 * otherwise: a seventh of the processor time goes to its compilers. Tests of the executable have them as they are served.
 */
const compiledLater = {
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "20000",
  BUN_JSC_thresholdForOptimizeAfterLongWarmUp: "20000",
  BUN_JSC_thresholdForOptimizeSoon: "20000",
  BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: "1000000",
  BUN_JSC_thresholdForFTLOptimizeSoon: "1000000",
  // PostgreSQL as WebAssembly runs for seconds, and compiling it for speed took more than that gained.
  BUN_JSC_useOMGJIT: "0",
}
/** Test files that take two seconds of a processor or more, and rarely fail: a commit tries a third of them, `--all` all. */
const inThirds = [
  "src apis/barcodegenerator/barcodegenerator apis/dataconverter/refusals apis/ipcalculator/ipcalculator app/scheduled-backups",
  "src ports/dns/zone-file",
  "test account-import account-trouble awkward-input blanks code-examples config-put dead-resolver dns-modes hosts landing-page",
  "test library-texts mail-kills many-apis metrics mock-bad-receivers mock-client mock-journal mock-latency mock-like mock-page",
  "test mock-seed mock-sessions mock-states mock-verify mock-webhooks one-question-unanswered openapi-client own-apis-cli",
  "test own-apis-refused postgres-differences postgres-instances request-log same-everywhere served-examples webhook-listen",
  "test/admin histories many-statements",
  "test/admin-api backups client",
  "test/store differential move rate-processes schema-steps sorted-lists",
  "test/binary backup business clients config-reload failing-store fuzz fuzz-surfaces jobs mcp-conformance",
  "test/binary own-apis-faults own-apis-workers package tls web-customers workers",
].flatMap((line) => {
  const [folder, ...names] = line.split(" ")
  return names.map((name) => `${folder}/${name}.test.ts`)
})
/** Several times what the temporary files of all tests take. */
const neededBytes = 6e9
let passed = 0
let failed = 0
/** Parts that tests could not try on this machine, in their own words. */
const leftOut: string[] = []

process.chdir(join(import.meta.dir, ".."))
const turn = process.argv.includes("--all") ? undefined : String(await seedOfCommit())
const env: NodeJS.ProcessEnv = { ...process.env, ...foldersInMemory(), PENKNIFE_TEST_TURN: turn }
const files = ["src", "test"].flatMap((folder) => [...new Glob(`${folder}/**/*.test.ts`).scanSync()]).sort()
const named = [...inThirds, ...[...slowest, ...waiting].map((name) => `test/binary/${name}.test.ts`)]
const missing = named.filter((file) => !files.includes(file))
if (missing.length > 0) throw new Error(`scripts/check.ts names files that do not exist: ${missing}`)
// Tests of the npm package's own code start the executable when there is one, so none runs beside the build.
const build = step("build", [bun, "scripts/build.ts"])
const steps = [
  step("format and lint", [bun, "node_modules/@biomejs/biome/bin/biome", "ci", "."]),
  step("types", [...tsc, "-p", "."]),
  step("types of the front end", [...tsc, "-p", "src/web"]),
]
const isBuilt = await build
if (isBuilt) env.PENKNIFE_TEST_PROGRAM = resolve(`dist/penknife${process.platform === "win32" ? ".exe" : ""}`)
const runs = [...groupsInProcess(), ...(isBuilt ? filesOfExecutable() : [])]
const waits = runs.filter(({ waits }) => waits)
const queue = runs.filter(({ waits }) => !waits).sort((a, b) => a.rank - b.rank)
await Promise.all([
  ...steps,
  testInTurn(waits),
  ...Array.from({ length: processes }, () => testInTurn(queue)),
])

for (const line of leftOut) console.log(`\n${line}\n`)
console.log(`seed of the generated requests: ${seedOfDay()}`)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)

/** Whether this commit tries a file. It looks at another digit than turns within files, or some of these would never come. */
function hasTurn(file: string): boolean {
  const place = inThirds.indexOf(file)
  return place < 0 || turn === undefined || (place + Math.floor(Number(turn) / 64)) % 3 === 0
}

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

/** Test files that one process runs. */
interface Run {
  readonly name: string
  readonly files: readonly string[]
  /** Runs with a lower rank start first. */
  readonly rank: number
  /** Whether it mostly waits: such runs go one by one beside all others. */
  readonly waits: boolean
  /** Whether it runs the executable, whose code is compiled as always. */
  readonly isServed: boolean
}

/** The files of test/binary, each in a process of its own. */
function filesOfExecutable(): readonly Run[] {
  const own = files.filter((file) => file.startsWith("test/binary/") && hasTurn(file))
  return own.map((file) => {
    const name = basename(file, ".test.ts")
    const place = slowest.indexOf(name)
    const rank = place < 0 ? slowest.length + 2 : place
    return {
      name,
      files: [`./${file}`],
      rank,
      waits: waiting.includes(name),
      isServed: true,
    }
  })
}

/**
 * The files of src and test in groups that take about as long as one another. Those that need PostgreSQL share few groups, since
 * each of these starts a server.
 */
function groupsInProcess(): readonly Run[] {
  const isSimulation = (file: string) => file.startsWith("test/simulation/")
  const own = files.filter((file) => !file.startsWith("test/binary/") && !isSimulation(file))
  const isOnPostgres = (file: string) =>
    /useStoreKinds|usePostgres|startPostgres/.test(readFileSync(file, "utf8"))
  const [onPostgres, others] = [own.filter(isOnPostgres), own.filter((file) => !isOnPostgres(file))]
  return [
    ...dealt(files.filter(isSimulation), "files of the simulation", 0),
    ...dealt(onPostgres, "files with PostgreSQL", slowest.length),
    ...dealt(others, "files", slowest.length + 1),
  ]
}

/** Deals files out to the same groups with each commit. Neighbours, which take about as long, are in different ones. */
function dealt(files: readonly string[], kind: string, rank: number): readonly Run[] {
  const count = Math.ceil(files.length / filesInProcess)
  return Array.from({ length: count }, (_, group) => {
    const own = files
      .filter((file, index) => index % count === group && hasTurn(file))
      .map((file) => `./${file}`)
    return {
      name: `${own.length} ${kind}, group ${group + 1} of ${count}`,
      files: own,
      rank,
      waits: false,
      isServed: false,
    }
  })
}

/**
 * Runs what is in a list, which others may share, until nothing is left. Prints a line for each, and the output of one that
 * failed.
 */
async function testInTurn(runs: Run[]): Promise<void> {
  for (let run = runs.shift(); run !== undefined; run = runs.shift()) await testRun(run)
}

async function testRun({ name, files, isServed }: Run): Promise<void> {
  const startMs = performance.now()
  const run = Bun.spawn([...runner, "--no-isolate", "--only-failures", ...files], {
    stdio: ["ignore", "pipe", "pipe"],
    env: isServed ? env : { ...env, ...compiledLater },
  })
  const [out, err, code] = await Promise.all([run.stdout.text(), run.stderr.text(), run.exited])
  const seconds = ((performance.now() - startMs) / 1_000).toFixed(1)
  const processorSeconds = (Number(run.resourceUsage()?.cpuTime.total ?? 0) / 1e6).toFixed(1)
  const counted = count(code, err)
  const counts = `${counted.passed} passed, ${counted.failed} failed`
  console.log(`${seconds.padStart(6)} s, processor ${processorSeconds.padStart(5)} s  ${counts}  ${name}`)
  if (counted.failed > 0) console.log(out + err)
}

/** Adds up what the closing lines of the runner say. */
function count(code: number, output: string) {
  const counted = { passed: countOf(output, "pass"), failed: countOf(output, "fail") }
  const reasons = [...output.matchAll(/^!! LEFT OUT.*$/gm)].map(([line]) => line)
  const isEmpty = counted.passed + counted.failed + countOf(output, "skip") === 0
  // A runner that crashes, or that finds no test and does not say why, counts as one failure.
  if (counted.failed === 0 && (isEmpty ? reasons.length === 0 : code !== 0)) counted.failed++
  passed += counted.passed
  failed += counted.failed
  leftOut.push(...reasons)
  return counted
}

function countOf(output: string, word: "pass" | "fail" | "skip"): number {
  const lines = [...output.matchAll(new RegExp(`^\\s*(\\d+) ${word}$`, "gm"))]
  return Number(lines.at(-1)?.[1] ?? 0)
}
