import type { Case } from "../case.ts"
import { compare, cpuRatio, throughputRatio, toRow } from "../compare.ts"
import type { Load } from "../load.ts"
import { sign } from "../loads.ts"

export const batch: Case = {
  name: "batch",
  title: "A batch of 200 hmac inputs",
  async run(bench) {
    const store = await bench.store(1, 1)
    const command = bench.penknife(store)
    const measured = await compare(bench, [
      { name: "1 call", command, load: sign(store.keys) },
      { name: "batch of 1", command, load: signMany(store.keys, 1) },
      { name: "batch of 200", command, load: signMany(store.keys, 200) },
    ])
    const [call, one, many] = measured
    if (!call || !one || !many) throw new Error("a server was not measured")
    return {
      rows: measured.map(toRow),
      findings: [
        throughputRatio(one, many, { atMost: 4 }),
        throughputRatio(call, many, null),
        ...cpuRatio(many, one),
        ...cpuRatio(many, call),
      ],
      notes: ["Of requests per second the inverse ratio is that of the time that one takes."],
    }
  },
}

function signMany(keys: readonly string[], count: number): Load {
  const load = sign(keys)
  const input: unknown = JSON.parse(load.body ?? "")
  return { ...load, path: `${load.path}/batch`, body: JSON.stringify({ inputs: Array(count).fill(input) }) }
}
