/**
 * Steps of action.yml, in JavaScript since Node runs on every kind of runner: `package` says what npm shall install and where,
 * `start` starts the test double, `audit` checks the mail set-up of domains.
 */
import { spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { appendFileSync, existsSync, openSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { createInterface } from "node:readline"

/** How long the test double may take to start, in milliseconds. A runner may scan a new executable first. */
const startTimeoutMs = 60_000

const { env } = process
const [, , step] = process.argv
if (step === "package") findPackage()
else if (step === "start") start()
else if (step === "audit") audit()
else fail(`there is no step '${step}'`)

/** Puts out the package, the folder for it, and a key that is another for each package and kind of machine. */
function findPackage() {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
  const given = env.PACKAGE || `penknife@${version}`
  const file = existsSync(given) ? resolve(given) : null
  const hash = createHash("sha256").update(given)
  if (file !== null) hash.update(readFileSync(file))
  const digest = hash.digest("hex").slice(0, 16)
  // Without this, a report may look up names of the network first.
  process.report.excludeNetwork = true
  // The package has another executable for each libc.
  const libc = process.report.getReport().header.glibcVersionRuntime === undefined ? "other" : "glibc"
  output({
    package: file ?? given,
    folder: join(env.RUNNER_TEMP, `penknife-${digest}`),
    "cache-key": `penknife-${process.platform}-${process.arch}-${libc}-${digest}`,
  })
}

/** Starts the test double and ends when it listens. The runner ends it with the job, by a variable of its environment. */
function start() {
  const settings = ["--port", env.PORT, "--plan", env.PLAN, "--seed-time", env.SEED_TIME]
  const [command, ...args] = [...program(), "mock", "--json", ...settings]
  const log = join(env.RUNNER_TEMP, `penknife-${process.pid}.log`)
  // The step would wait for its own output to be closed, so the test double must not inherit it.
  const stdio = ["ignore", "pipe", openSync(log, "a")]
  const child = spawn(command, args, { detached: true, windowsHide: true, stdio, env: withoutNpm() })
  const failWithLog = (problem) => fail(`${command} ${problem}\n${readFileSync(log, "utf8")}`)
  child.once("error", ({ message }) => failWithLog(`cannot be run: ${message}`))
  child.once("exit", (code) => failWithLog(`ended with ${code}`))
  setTimeout(() => failWithLog(`did not start in ${startTimeoutMs / 1_000} seconds`), startTimeoutMs)
  createInterface({ input: child.stdout }).once("line", (line) => {
    const { url, key, pid } = JSON.parse(line)
    output({ url, key, pid, log })
    console.log(`penknife listening on ${url}`)
    process.exit(0)
  })
}

/** Under npm the test double would end with this step. */
function withoutNpm() {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^npm_/i.test(name)))
}

/** Prints the report of each domain, also on the page of the job, and fails if one has too bad a grade. */
function audit() {
  const domains = env.DOMAINS.split(/\s+/).filter((domain) => domain !== "")
  const grades = []
  let isFailed = false
  for (const domain of domains) {
    const [command, ...args] = [...program(), "audit-mail", "--fail-below", env.FAIL_BELOW, "--", domain]
    const { status, stdout, error } = spawnSync(command, args, {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    })
    if (error) fail(`${command} cannot be run: ${error.message}`)
    console.log(stdout)
    const grade = / {2}grade ([A-F]),/.exec(stdout.split("\n", 1)[0])?.[1]
    if (grade !== undefined) grades.push(grade)
    if (env.GITHUB_STEP_SUMMARY && stdout !== "") {
      // Longer than any line of backticks in it, which would end the block.
      const fence = "`".repeat(1 + Math.max(2, ...(stdout.match(/`+/g) ?? []).map(({ length }) => length)))
      appendFileSync(env.GITHUB_STEP_SUMMARY, `${fence}text\n${stdout}${fence}\n`)
    }
    isFailed ||= status !== 0
  }
  output({ grade: grades.sort().at(-1) ?? "" })
  if (isFailed) process.exit(1)
}

/** The command line of penknife. */
function program() {
  if (env.EXECUTABLE) return [resolve(env.EXECUTABLE)]
  return [process.execPath, join(env.FOLDER, "node_modules/penknife/cli.js")]
}

function output(values) {
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}\n`)
  appendFileSync(env.GITHUB_OUTPUT, lines.join(""))
}

function fail(problem) {
  console.error(`penknife: ${problem}`)
  process.exit(1)
}
