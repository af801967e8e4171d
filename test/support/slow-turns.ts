import { afterAll } from "bun:test"
import type { Timer } from "../../src/apis/contract.ts"
import { systemTimer } from "../../src/ports/timer.ts"

/**
 * A timer whose turns last as long as a request while `isSlow` returns true. Hundreds of turns would otherwise be over before the
 * network has moved. Its server stops after the file's tests.
 */
export function createSlowTurns(isSlow: () => boolean): Timer {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() })
  afterAll(() => server.stop(true))
  return {
    ...systemTimer,
    async turn() {
      if (isSlow()) await fetch(server.url)
      await systemTimer.turn()
    },
  }
}
