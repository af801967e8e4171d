/**
 * Bugs that are planted to try the oracles of the simulation. The check of a commit tries two of them, a run of this file all.
 */
import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import { inTurn } from "../../support/turns.ts"
import { type PlantedBug, plantedBugs } from "./bugs.ts"

const root = join(import.meta.dir, "../../..")
/** Bugs are found by chance: a rare one may need as many seeds. */
const mostSeeds = 300

const chosen = inTurn(plantedBugs, Math.ceil(plantedBugs.length / 2))

/** Simulates the service with a bug, and returns what was found. */
async function simulateWith({ name, options = [], seed = 1 }: PlantedBug): Promise<string> {
  const script = ["--preload", join(import.meta.dir, "plant.ts"), "scripts/simulate.ts"]
  const flags = ["--seed", String(seed), "--seeds", String(mostSeeds), ...options]
  const run = Bun.spawn([process.execPath, ...script, ...flags], {
    cwd: root,
    env: { ...process.env, PENKNIFE_PLANT: name },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const [out, errors] = await Promise.all([run.stdout.text(), run.stderr.text()])
  return /^Seed \d+: (.*)$/m.exec(out)?.[1] ?? `nothing was found: ${errors}${out}`
}

test("the code that each bug changes stands once in its file", async () => {
  for (const { name, file, changes } of plantedBugs) {
    // A later change may be of what an earlier one planted.
    let text = await Bun.file(join(root, "src", file)).text()
    for (const [before, after] of Object.entries(changes)) {
      expect([name, text.split(before)]).toEqual([name, expect.objectContaining({ length: 2 })])
      text = text.replace(before, () => after)
    }
  }
})

describe("a planted bug is found", () => {
  for (const bug of chosen)
    test(bug.name, async () => {
      const found = await simulateWith(bug)
      const isFound = bug.oracles.includes(found.split(":")[0] ?? "")
      expect({ found, isFound }).toEqual({ found, isFound: true })
    })
})

test("each oracle has a bug that it finds", async () => {
  const sources = ["model", "checks", "clients", "run", "ports", "start"].map((name) =>
    join(import.meta.dir, `../${name}.ts`),
  )
  const texts = await Promise.all(sources.map((file) => Bun.file(file).text()))
  const oracles = texts.flatMap((text) =>
    [...text.matchAll(/(?:fail\(|Violation\(|problem:)\s*`([a-z0-9 -]+): /g)].map(
      ([, oracle]) => oracle ?? "",
    ),
  )
  expect(oracles.length).toBeGreaterThan(20)
  const found = new Set(plantedBugs.flatMap(({ oracles: [first = ""] }) => first))
  expect([...new Set(oracles)].filter((oracle) => !found.has(oracle)).sort()).toEqual([])
})
