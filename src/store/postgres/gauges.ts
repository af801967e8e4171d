import type { StoreActivity, StoreGauges } from "../open-store.ts"
import { countNotices } from "../outbox-reads.ts"
import type { AccessCache } from "./access-cache.ts"
import type { Connection } from "./connection.ts"

export function prepareGauges(
  { run }: Connection,
  { activity, access }: { readonly activity: StoreActivity; readonly access: Pick<AccessCache, "ageMs"> },
): StoreGauges {
  return {
    activity,
    cacheAgeSeconds: () => access.ageMs() / 1_000,
    notices: () => countNotices(run),
    async bytes() {
      const [row] = await run<{ bytes: number }>(
        "SELECT pg_database_size(current_database())::float8 AS bytes",
        [],
      )
      return { main: row?.bytes ?? 0 }
    },
  }
}
