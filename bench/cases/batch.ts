import type { Case } from "../case.ts"
import { compare, cpuRatio, toRows } from "../compare.ts"
import { sign, signMany } from "../loads.ts"

export const batch: Case = {
  name: "batch",
  title: "A batch of 200 hmac inputs",
  async run(bench) {
    const store = await bench.store(1, 1)
    const command = bench.penknife(store)
    const measured = await compare(bench, {
      "1 call": { command, load: sign(store.keys) },
      "batch of 1": { command, load: signMany(store.keys, 1) },
      "batch of 200": { command, load: signMany(store.keys, 200) },
    })
    return {
      rows: toRows(measured),
      findings: [
        ...cpuRatio(measured["batch of 200"], measured["batch of 1"], { atMost: 4 }),
        ...cpuRatio(measured["batch of 200"], measured["1 call"], null),
      ],
      notes: [],
    }
  },
}
