import { existsSync } from "node:fs"
import { join } from "node:path"
import { MissingTool, run } from "./oracle.ts"

/** A public suite of tests that is too large for this repository. */
export interface Suite {
  readonly api: string
  /** As docs/correctness.md names it, and the name of its folder. */
  readonly name: string
  /** The command that makes its folder. */
  readonly get: string
  /** Runs its tests. */
  run(folder: string): Promise<readonly SuiteResult[]>
}

export interface SuiteResult {
  readonly test: string
  readonly isRight: boolean
  /** Why the answer is another one: one sentence that says who is right. Without it the difference is a failure. */
  readonly reason?: string | undefined
}

/**
 * Runs a suite and prints its row. Returns whether all differences are explained.
 * @param parent the folder that has the suite's folder in it
 * @throws MissingTool when it has not
 */
export async function runSuite({ api, name, get, run: runTests }: Suite, parent: string): Promise<boolean> {
  const folder = join(parent, name)
  if (!existsSync(folder)) throw new MissingTool(`The suite ${name}`, `cd ${parent} && ${get}`)
  const results = await runTests(folder)
  const different = results.filter(({ isRight }) => !isRight)
  const wrong = different.filter(({ reason }) => reason === undefined)
  const equal = results.length - different.length
  const explained = different.length - wrong.length
  console.log(
    `| ${api} | ${name} ${await versionOf(folder)} | ${results.length} | ${equal} | ${explained} | ${wrong.length} |`,
  )
  for (const [reason, tests] of Map.groupBy(different, (one) => one.reason))
    if (reason !== undefined) console.error(`${api}: ${tests.length} × ${reason}`)
  for (const { test } of wrong.slice(0, 10)) console.error(`${api}: ${name}: ${test}`)
  return wrong.length === 0
}

/** The commit of a copy from git, otherwise the version of the package. */
async function versionOf(folder: string): Promise<string> {
  if (existsSync(join(folder, ".git")))
    return (await run(["git", "-C", folder, "rev-parse", "--short=8", "HEAD"], "")).out.trim()
  return String((await Bun.file(join(folder, "package.json")).json()).version)
}
