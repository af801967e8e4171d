import type { Case, Row } from "../case.ts"
import { loadOnce, type Round, toRow } from "../compare.ts"
import { lookUp } from "../loads.ts"
import { startServer, usageOf } from "../processes.ts"

/** Memory over many calls: one row per million. */
export const endurance: Case = {
  name: "endurance",
  title: "Memory over millions of calls",
  onRequest: true,
  async run(bench) {
    const store = await bench.store(100, 1)
    const load = lookUp(store.keys)
    const server = await startServer(bench.penknife(store))
    const idleMb = usageOf(server.pid).residentMb
    const rows: Row[] = []
    try {
      let rounds: Round[] = []
      let calls = 0
      while (rows.length < bench.millions) {
        const round = await loadOnce(bench, load, server)
        rounds.push(round)
        calls += round.requests
        if (calls >= (rows.length + 1) * 1_000_000) {
          const name = `up to ${(calls / 1_000_000).toFixed(1)} million calls`
          bench.say(name)
          rows.push(toRow({ name, idleMb, rounds }))
          rounds = []
        }
      }
    } finally {
      await server.stop()
    }
    // In the first million caches fill and code is compiled.
    const [early, late] = [rows[Math.min(1, rows.length - 1)], rows.at(-1)]
    const growth = (late?.loadMb ?? 0) - (early?.loadMb ?? 0)
    const what = "MB, last million − second"
    return { rows, findings: [{ what, value: growth, range: null, goal: { atMost: 10 } }], notes: [] }
  },
}
