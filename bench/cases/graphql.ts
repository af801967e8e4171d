import type { Case } from "../case.ts"
import { compare, cpuRatio, toRows } from "../compare.ts"
import { findSunrise, lookUp, query } from "../loads.ts"

export const graphql: Case = {
  name: "graphql",
  title: "One GraphQL query for six APIs",
  async run(bench) {
    const store = await bench.store(1, 1)
    const command = bench.penknife(store)
    const measured = await compare(bench, {
      "bare yoga, 6 APIs": { command: await bench.baseline("bare-yoga"), load: query([], 6) },
      "GraphQL, 6 APIs": { command, load: query(store.keys, 6) },
      "GraphQL, 1 API": { command, load: query(store.keys, 1) },
      "REST, cheapest API": { command, load: lookUp(store.keys) },
      "REST, costliest API": { command, load: findSunrise(store.keys) },
    })
    const six = measured["GraphQL, 6 APIs"]
    return {
      rows: toRows(measured),
      findings: [
        ...cpuRatio(six, measured["bare yoga, 6 APIs"], { atMost: 2 }),
        ...cpuRatio(six, measured["REST, costliest API"], null),
        ...cpuRatio(measured["GraphQL, 1 API"], measured["REST, cheapest API"], null),
      ],
      notes: [],
    }
  },
}
