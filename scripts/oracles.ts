/**
 * Compares APIs with independent implementations on generated inputs, and with large public suites: `bun run oracles`, or
 * `bun run oracles --only jsonpath`. Prints a row for each and the known differences with their reasons. The exit code is 1
 * when an answer differs without a reason, or when an implementation is missing.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Glob } from "bun"
import { Command } from "commander"
import fc from "fast-check"
import { MissingTool, type Oracle, type Result, run, type Suite } from "./oracles/oracle.ts"

const shownDifferences = 10
const files = [...new Glob("*.ts").scanSync(join(import.meta.dir, "oracles"))].sort()
const names = files.map((file) => file.replace(".ts", "")).filter((name) => name !== "oracle")

const flags = new Command("oracles")
  .description("Compare APIs with independent implementations.")
  .option("--only <NAMES...>", `only these of ${names.join(", ")}`)
  .option("--suites <DIR>", "the folder with the folders of public suites", "suites")
  .option("--seed <NUMBER>", "another seed for the generated inputs", Number, 20_261_123)
  .parse()
  .opts<{ only?: string[]; suites: string; seed: number }>()

const unknown = flags.only?.filter((name) => !names.includes(name)) ?? []
if (unknown.length > 0) throw new Error(`There is no ${unknown.join(", ")}, only ${names.join(", ")}.`)

console.log("| API | against | cases | equal | explained | not explained |\n|---|---|---|---|---|---|")
for (const name of names.filter((one) => flags.only?.includes(one) ?? true)) {
  const file = (await import(`./oracles/${name}.ts`)) as Readonly<Partial<OracleFile>>
  const { oracle: only = [], oracles = [only].flat(), suites = [] } = file
  for (const oracle of oracles) await attempt(oracle.api, () => compare(oracle))
  for (const suite of suites) await attempt(suite.api, () => runSuite(suite))
}

/** The exports of a file in oracles. */
interface OracleFile {
  readonly oracle: Oracle
  readonly oracles: readonly Oracle[]
  readonly suites: readonly Suite[]
}

async function attempt(api: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof MissingTool)) throw error
    console.error(`${api}: nothing was compared. ${error.message}`)
    process.exitCode = 1
  }
}

async function compare({ api, against, generate, fixed = [], cases, version, ours, theirs, known }: Oracle) {
  const versionText = await version(flags.suites)
  const tests = [...fixed, ...fc.sample(generate, { seed: flags.seed, numRuns: cases })]
  const their = await theirs(tests, flags.suites)
  const results: Result[] = []
  for (const [index, one] of tests.entries()) {
    const [our, other] = [await ours(one), their[index]]
    const isRight = Bun.deepEquals(our, other)
    results.push({
      isRight,
      reason: isRight ? undefined : known.find(({ fits }) => fits(one, our, other))?.reason,
      test: isRight
        ? ""
        : `${JSON.stringify(one)}\n  ours   ${JSON.stringify(our)}\n  theirs ${JSON.stringify(other)}`,
    })
  }
  print(api, `${against} ${versionText}`, results)
}

/** @throws MissingTool when the parent folder does not have the suite's folder in it */
async function runSuite({ api, name, get, run: runTests }: Suite): Promise<void> {
  const folder = join(flags.suites, name)
  if (!existsSync(folder)) throw new MissingTool(`The suite ${name}`, `cd ${flags.suites} && ${get}`)
  print(api, `${name} ${await versionOf(folder)}`, await runTests(folder))
}

/** The commit of a copy from git, otherwise the version of the package. */
async function versionOf(folder: string): Promise<string> {
  if (existsSync(join(folder, ".git")))
    return (await run(["git", "-C", folder, "rev-parse", "--short=8", "HEAD"], "")).out.trim()
  return String((await Bun.file(join(folder, "package.json")).json()).version)
}

function print(api: string, against: string, results: readonly Result[]): void {
  const different = results.filter(({ isRight }) => !isRight)
  const wrong = different.filter(({ reason }) => reason === undefined)
  const counts = [results.length, results.length - different.length, different.length - wrong.length]
  console.log(`| ${api} | ${against} | ${counts.join(" | ")} | ${wrong.length} |`)
  for (const [reason, tests] of Map.groupBy(different, (one) => one.reason))
    if (reason !== undefined) console.error(`${api}: ${tests.length} × ${reason}`)
  for (const { test } of wrong.slice(0, shownDifferences)) console.error(`${api}: ${test}`)
  if (wrong.length > 0) process.exitCode = 1
}
