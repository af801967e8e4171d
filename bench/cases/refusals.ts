import type { Case } from "../case.ts"
import { compare, cpuRatio, toRows } from "../compare.ts"
import { lookUp, lookUpWithBadInput, lookUpWithoutKey, lookUpWithUnknownKey } from "../loads.ts"

/** A refused call must not cost the service more than a paid one, or it would be a cheap way to overload it. */
export const refusals: Case = {
  name: "refusals",
  title: "Refused calls: 401 without a key, 401 with an unknown key, 400",
  async run(bench) {
    const store = await bench.store(1, 1)
    const command = bench.penknife(store)
    const measured = await compare(bench, {
      "paid call": { command, load: lookUp(store.keys) },
      "401 no key": { command, load: lookUpWithoutKey() },
      "401 unknown key": { command, load: lookUpWithUnknownKey() },
      "400 bad input": { command, load: lookUpWithBadInput(store.keys) },
    })
    const refused = [measured["401 no key"], measured["401 unknown key"], measured["400 bad input"]]
    return {
      rows: toRows(measured),
      findings: refused.flatMap((each) => cpuRatio(each, measured["paid call"], null)),
      notes: [],
    }
  },
}
