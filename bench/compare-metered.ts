import type { Report } from "./case.ts"
import { compare, efficiencyRatio, memoryDifference, tailRatio, throughputRatio, toRow } from "./compare.ts"
import type { Load } from "./load.ts"
import { toBare } from "./loads.ts"
import type { Workbench } from "./workbench.ts"

/**
 * One successful call, metered, against the same with metering off, and against the bare server, which logs nothing: so
 * there is the service without a line for every request, too. The unmetered one writes them, as the metered one does.
 */
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
    { name: "metered, no request lines", command: bench.penknife(store, "--log-sample", "0"), load },
  ])
  const [bare, unmetered, metered, quiet] = measured
  if (!bare || !unmetered || !metered || !quiet) throw new Error("a server was not measured")
  return {
    rows: measured.map(toRow),
    findings: [
      throughputRatio(quiet, bare, { atLeast: 0.5 }),
      throughputRatio(metered, unmetered, { atLeast: 0.8 }),
      ...efficiencyRatio(quiet, bare, { atLeast: 0.5 }),
      ...efficiencyRatio(metered, unmetered, { atLeast: 0.8 }),
      tailRatio(quiet, { atMost: 4 }),
      ...memoryDifference(metered, bare, { atMost: 60 }),
    ],
    notes: [],
  }
}
