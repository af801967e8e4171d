import type { Database } from "bun:sqlite"
import { statSync } from "node:fs"
import type { StoreActivity, StoreGauges } from "../open-store.ts"
import { prepareCounts } from "../outbox-reads.ts"
import { logFileOf } from "./checkpoints.ts"
import { createRead } from "./read-write.ts"
import { createRun } from "./statement.ts"

/** Prepares the measurements of a data file, or of a store in memory. */
export function prepareGauges(database: Database, activity: StoreActivity): StoreGauges {
  const { filename } = database
  const read = createRead(database)
  const countBytes = database.query<{ bytes: number }, []>(
    "SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()",
  )
  const isInMemory = filename === ":memory:"
  const log = isInMemory ? "" : logFileOf(filename)

  return {
    activity,
    cacheAgeSeconds: () => 0,
    ...prepareCounts(createRun(database, read)),
    async bytes() {
      if (isInMemory) return { main: read(() => countBytes.get()?.bytes ?? 0) }
      return { main: sizeOf(filename), wal: sizeOf(log) }
    },
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
