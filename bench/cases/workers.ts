import type { Case } from "../case.ts"
import { compare, throughputRatio, toRow } from "../compare.ts"
import { lookUp } from "../loads.ts"
import { coreCount } from "../processes.ts"

export const workers: Case = {
  name: "workers",
  title: "1 and 2 workers",
  async run(bench) {
    if (!(await bench.serveHas("--workers"))) {
      return { rows: [], findings: [], notes: ["This executable has no 'serve --workers'."] }
    }
    const [one, two] = [await bench.store(100, 1), await bench.store(100, 1)]
    const measured = await compare(bench, [
      { name: "1 worker", command: bench.penknife(one, "--workers", "1"), load: lookUp(one.keys) },
      {
        name: "2 workers",
        command: bench.penknife(two, "--workers", "2"),
        load: lookUp(two.keys),
        cores: [0, 1],
      },
    ])
    const [single, double] = measured
    if (!single || !double) throw new Error("a server was not measured")
    return {
      rows: measured.map(toRow),
      findings: [throughputRatio(double, single, { atLeast: 1.6 })],
      notes:
        coreCount < 3
          ? [
              "There is no core left for the load: it shares one with the second worker, so the ratio is too low.",
            ]
          : [],
    }
  },
}
