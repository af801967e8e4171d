/**
 * Everything that has to hold before a change is taken: format and lint, types, tests, the build, and the tests of the
 * built executable. The last line is `N passed, N failed`; a step that is not a test counts as one.
 */
import { join } from "node:path"

interface Tally {
  passed: number
  failed: number
}

const bun = process.execPath
const tally: Tally = { passed: 0, failed: 0 }
/** What tests say that they could not try here. */
const leftOut: string[] = []

process.chdir(join(import.meta.dir, ".."))
await step("format and lint", [bun, "node_modules/@biomejs/biome/bin/biome", "ci", "."])
await step("types", [bun, "node_modules/typescript/bin/tsc", "-p", "."])
await tests("tests", ["./src", "./test", "--path-ignore-patterns=test/binary/**"])
if (await step("build", [bun, "scripts/build.ts"])) await tests("tests of the executable", ["./test/binary"])

for (const line of leftOut) console.log(`\n${line}\n`)
console.log(`${tally.passed} passed, ${tally.failed} failed`)
process.exit(tally.failed === 0 ? 0 : 1)

async function step(name: string, command: string[]): Promise<boolean> {
  console.log(`\n== ${name}`)
  const code = await Bun.spawn(command, { stdio: ["ignore", "inherit", "inherit"] }).exited
  if (code === 0) tally.passed++
  else tally.failed++
  return code === 0
}

/** Runs test files in two processes and counts what the runner's closing lines say. */
async function tests(name: string, paths: string[]): Promise<void> {
  console.log(`\n== ${name}`)
  const run = Bun.spawn([bun, "test", "--parallel=2", "--only-failures", ...paths], {
    stdio: ["ignore", "inherit", "pipe"],
  })
  let output = ""
  const decoder = new TextDecoder()
  for await (const chunk of run.stderr) {
    process.stderr.write(chunk)
    output += decoder.decode(chunk, { stream: true })
  }
  leftOut.push(...[...output.matchAll(/^!! LEFT OUT.*$/gm)].map(([line]) => line))
  const code = await run.exited
  const passed = countOf(output, "pass")
  const failed = countOf(output, "fail")
  tally.passed += passed
  tally.failed += failed
  // A runner that crashes, or that finds nothing to run, has shown nothing.
  if ((code !== 0 && failed === 0) || passed + failed === 0) tally.failed++
}

function countOf(output: string, word: "pass" | "fail"): number {
  const lines = [...output.matchAll(new RegExp(`^\\s*(\\d+) ${word}$`, "gm"))]
  return Number(lines.at(-1)?.[1] ?? 0)
}
