import type { Case } from "../case.ts"
import { compare, efficiencyRatio, throughputRatio, toRow } from "../compare.ts"
import { lookUp, lookUpAsStranger, lookUpBadly, lookUpWithoutKey, toBare } from "../loads.ts"

/** Whoever floods the service with refused calls must not get more work out of it than a customer does. */
export const refusals: Case = {
  name: "refusals",
  title: "Refused calls: 401 without a key, 401 with an unknown one, 400",
  async run(bench) {
    const store = await bench.store(1, 1)
    const command = bench.penknife(store)
    const measured = await compare(bench, [
      { name: "bare", command: await bench.bare(), load: toBare(lookUp(store.keys)) },
      { name: "200", command, load: lookUp(store.keys) },
      { name: "401 no key", command, load: lookUpWithoutKey() },
      { name: "401 unknown key", command, load: lookUpAsStranger() },
      { name: "400", command, load: lookUpBadly(store.keys) },
    ])
    const [bare, success, ...refused] = measured
    if (!bare || !success) throw new Error("a server was not measured")
    return {
      rows: measured.map(toRow),
      findings: refused.flatMap((each) => [
        throughputRatio(each, bare, null),
        throughputRatio(each, success, null),
        ...efficiencyRatio(each, success, null),
      ]),
      notes: [],
    }
  },
}
