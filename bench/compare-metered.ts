import type { Report } from "./case.ts"
import { compare, efficiencyRatio, memoryDifference, tailRatio, throughputRatio, toRow } from "./compare.ts"
import type { Load } from "./load.ts"
import { toBare } from "./loads.ts"
import type { Workbench } from "./workbench.ts"

/** One successful call, metered, against the same with metering off and against the bare server. */
export async function compareMetered(
  bench: Workbench,
  toLoad: (keys: readonly string[]) => Load,
): Promise<Report> {
  const store = await bench.store(1, 1)
  const load = toLoad(store.keys)
  const measured = await compare(bench, [
    { name: "bare", command: await bench.bare(), load: toBare(load) },
    { name: "unmetered", command: await bench.unmetered(), load },
    { name: "metered", command: bench.penknife(store), load },
  ])
  const [bare, unmetered, metered] = measured
  if (!bare || !unmetered || !metered) throw new Error("a server was not measured")
  return {
    rows: measured.map(toRow),
    findings: [
      throughputRatio(metered, bare, { atLeast: 0.5 }),
      throughputRatio(metered, unmetered, { atLeast: 0.8 }),
      ...efficiencyRatio(metered, bare, { atLeast: 0.5 }),
      ...efficiencyRatio(metered, unmetered, { atLeast: 0.8 }),
      tailRatio(metered, { atMost: 4 }),
      ...memoryDifference(metered, bare, { atMost: 60 }),
    ],
    notes: [],
  }
}
