import type { Case } from "../case.ts"
import { compare, throughputRatio, toRows } from "../compare.ts"
import { lookUp } from "../loads.ts"
import { coreCount } from "../processes.ts"

export const workers: Case = {
  name: "workers",
  title: "1 and 2 workers",
  async run(bench) {
    const [one, two] = [await bench.store(100, 1), await bench.store(100, 1)]
    const measured = await compare(bench, {
      "1 worker": { command: bench.penknife(one, "--workers", "1"), load: lookUp(one.keys) },
      "2 workers": {
        command: bench.penknife(two, "--workers", "2"),
        load: lookUp(two.keys),
        cores: [0, 1],
      },
    })
    return {
      rows: toRows(measured),
      findings: [throughputRatio(measured["2 workers"], measured["1 worker"], { atLeast: 1.6 })],
      notes:
        coreCount < 3
          ? ["The load shares a core with the second worker, so the ratio is lower than on a larger machine."]
          : [],
    }
  },
}
