import type { Case } from "../case.ts"
import { compare, efficiencyRatio, memoryDifference, tailRatio, throughputRatio, toRow } from "../compare.ts"
import { lookUp, toBare } from "../loads.ts"

export const accounts: Case = {
  name: "accounts",
  title: "1 account, 10,000 accounts, and 10,000 accounts in a store of 1,000,000 keys",
  async run(bench) {
    const [one, many, full] = [
      await bench.store(1, 1),
      await bench.store(10_000, 1),
      await bench.store(10_000, 100),
    ]
    const measured = await compare(bench, [
      { name: "bare", command: await bench.bare(), load: toBare(lookUp(one.keys)) },
      { name: "1 account", command: bench.penknife(one), load: lookUp(one.keys) },
      { name: "10,000 accounts", command: bench.penknife(many), load: lookUp(many.keys) },
      { name: "1,000,000 keys", command: bench.penknife(full), load: lookUp(full.keys) },
    ])
    const [bare, single, wide, deep] = measured
    if (!bare || !single || !wide || !deep) throw new Error("a server was not measured")
    return {
      rows: measured.map(toRow),
      findings: [
        throughputRatio(wide, single, { atLeast: 0.9 }),
        throughputRatio(deep, single, { atLeast: 0.9 }),
        ...efficiencyRatio(wide, single, { atLeast: 0.9 }),
        ...efficiencyRatio(deep, single, { atLeast: 0.9 }),
        tailRatio(deep, { atMost: 4 }),
        ...memoryDifference(deep, bare, { atMost: 60 }),
      ],
      notes: ["Each request comes with the key of another account, all 10,000 in turn."],
    }
  },
}
