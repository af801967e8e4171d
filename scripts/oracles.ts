/**
 * Compares APIs with independent implementations on generated inputs, and with large public suites: `bun run oracles`, or
 * `bun run oracles --only ibanvalidator`. Prints a row for each and the known differences with their reasons. The exit code is 1
 * when an answer differs without a reason, or when an implementation is missing.
 */
import { join } from "node:path"
import { Glob } from "bun"
import { Command } from "commander"
import fc from "fast-check"
import { MissingTool, type Oracle } from "./oracles/oracle.ts"
import { runSuite, type Suite } from "./oracles/suite.ts"

const shownDifferences = 10
const files = [...new Glob("*.ts").scanSync(join(import.meta.dir, "oracles"))].sort()
const names = files
  .map((file) => file.replace(".ts", ""))
  .filter((name) => name !== "oracle" && name !== "suite")

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
  const { oracle, suites = [] } = (await import(`./oracles/${name}.ts`)) as {
    oracle?: Oracle
    suites?: Suite[]
  }
  if (oracle) await attempt(oracle.api, () => compare(oracle))
  for (const suite of suites)
    await attempt(suite.api, async () => {
      if (!(await runSuite(suite, flags.suites))) process.exitCode = 1
    })
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
  const generated = fc.sample(generate, { seed: flags.seed, numRuns: cases })
  const tests = [...fixed, ...generated]
  const their = await theirs(tests, flags.suites)
  const counts = known.map(() => 0)
  const wrong: string[] = []
  let equal = 0
  for (const [index, test] of tests.entries()) {
    const our = await ours(test)
    if (Bun.deepEquals(our, their[index])) {
      equal++
      continue
    }
    const judgement = known.findIndex(({ fits }) => fits(test, our, their[index]))
    if (judgement !== -1) counts[judgement] = (counts[judgement] ?? 0) + 1
    else
      wrong.push(
        `${JSON.stringify(test)}\n  ours   ${JSON.stringify(our)}\n  theirs ${JSON.stringify(their[index])}`,
      )
  }
  const explained = tests.length - equal - wrong.length
  console.log(
    `| ${api} | ${against} ${versionText} | ${tests.length} | ${equal} | ${explained} | ${wrong.length} |`,
  )
  for (const [index, { reason }] of known.entries())
    if (counts[index]) console.error(`${api}: ${counts[index]} × ${reason}`)
  for (const line of wrong.slice(0, shownDifferences)) console.error(`${api}: ${line}`)
  if (wrong.length > 0) process.exitCode = 1
}
