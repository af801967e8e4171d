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
          ...cpuRatio(quiet, bare, { atMost }),
          ...cpuRatio(penknife, bare, null),
          tailRatio(quiet, { atMost: 4 }),
          ...memoryDifference(penknife, bare, { atMost: 60 }),
        ],
        notes: [],
      }
    },
  }
}
