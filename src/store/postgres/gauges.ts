import type { StoreActivity } from "../activity.ts"
import type { StoreGauges } from "../open-store.ts"
import type { AccessCache } from "./access-cache.ts"
import type { Connection } from "./connection.ts"

export function prepareGauges(
  { run }: Connection,
  { activity, access }: { readonly activity: StoreActivity; readonly access: Pick<AccessCache, "ageMs"> },
): StoreGauges {
  return {
    activity,
    cacheAgeSeconds: () => access.ageMs() / 1_000,
    async notices() {
      const rows = await run<{ state: string; count: number }>(
        "SELECT state, count(*)::float8 AS count FROM notices GROUP BY state",
        [],
      )
      const counts = rows.map(({ state, count }) => [state, count])
      return { pending: 0, delivered: 0, failed: 0, unsent: 0, ...Object.fromEntries(counts) }
    },
    async bytes() {
      const [row] = await run<{ bytes: number }>(
        "SELECT pg_database_size(current_database())::float8 AS bytes",
        [],
      )
      return { main: row?.bytes ?? 0 }
    },
  }
}
