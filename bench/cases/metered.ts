import type { Case } from "../case.ts"
import { compare, cpuRatio, memoryDifference, tailRatio, toRows } from "../compare.ts"
import type { Load } from "../load.ts"
import { lookUp, sign } from "../loads.ts"

export const get = metered("get", "A metered GET: bluetoothlookup", lookUp, "bare-elysia", 1 / 0.75)
export const post = metered("post", "A metered POST: hmac", sign, "bare", 2)

/**
 * One successful call, and the same of a server that meters nothing. That server writes no log, so penknife also runs without
 * request lines.
 */
function metered(
  name: string,
  title: string,
  toLoad: (keys: readonly string[]) => Load,
  baseline: "bare" | "bare-elysia",
  atMost: number,
): Case {
  return {
    name,
    title,
    async run(bench) {
      const store = await bench.store(1, 1)
      const load = toLoad(store.keys)
      const measured = await compare(bench, {
        bare: { command: await bench.baseline(baseline), load },
        penknife: { command: bench.penknife(store), load },
        "penknife, no request lines": { command: bench.penknife(store, "--log-sample", "0"), load },
      })
      const { bare, penknife, "penknife, no request lines": quiet } = measured
      return {
        rows: toRows(measured),
        findings: [
          cpuRatio(quiet, bare, { atMost }),
          cpuRatio(penknife, bare, null),
          tailRatio(quiet, { atMost: 4 }),
          memoryDifference(penknife, bare, { atMost: 60 }),
        ],
        notes: [],
      }
    },
  }
}

export const accounts: Case = {
  name: "accounts",
  title: "1 account, 10,000 and 100,000 accounts, and 10,000 accounts in a store of 1,000,000 keys",
  async run(bench) {
    const one = await bench.store(1, 1)
    const many = await bench.store(10_000, 1)
    const most = await bench.store(100_000, 1)
    const full = await bench.store(10_000, 100)
    const measured = await compare(bench, {
      bare: { command: await bench.baseline("bare"), load: lookUp(one.keys) },
      "1 account": { command: bench.penknife(one), load: lookUp(one.keys) },
      "10,000 accounts": { command: bench.penknife(many), load: lookUp(many.keys) },
      "100,000 accounts": { command: bench.penknife(most), load: lookUp(most.keys) },
      "1,000,000 keys": { command: bench.penknife(full), load: lookUp(full.keys) },
    })
    const single = measured["1 account"]
    const million = measured["1,000,000 keys"]
    return {
      rows: toRows(measured),
      findings: [
        cpuRatio(measured["10,000 accounts"], single, { atMost: 1.11 }),
        cpuRatio(measured["100,000 accounts"], single, { atMost: 1.3 }),
        cpuRatio(million, single, { atMost: 1.11 }),
        tailRatio(million, { atMost: 4 }),
        memoryDifference(million, measured.bare, { atMost: 60 }),
      ],
      notes: ["Each request uses the key of the next account, all in turn."],
    }
  },
}
