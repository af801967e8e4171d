import type { Database } from "bun:sqlite"
import { realpathSync, statSync } from "node:fs"
import { createGuard } from "./open.ts"

/** What operators want to see of a store. Looking takes no lock. */
export interface StoreGauges {
  /** Notices by state, every state. Throws StoreUnavailable. */
  notices(): Readonly<Record<string, number>>
  /** Octets of the data file and of its write-ahead log; for a store in memory those of its pages. */
  bytes(): Readonly<Record<string, number>>
}

export function prepareGauges(database: Database): StoreGauges {
  const countNotices = database.query<{ state: string; count: number }, []>(
    "SELECT state, count(*) AS count FROM notices GROUP BY state",
  )
  const pages = database.query<{ bytes: number }, []>(
    "SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()",
  )
  const guarded = createGuard(database)
  const { filename } = database
  // Where a link leads to the data file, SQLite keeps the log beside the file itself.
  const logFile = filename === ":memory:" ? "" : `${realpathSync(filename)}-wal`

  return {
    notices() {
      const counted = guarded(() => countNotices.all())
      const none = { pending: 0, delivered: 0, failed: 0, unsent: 0 }
      return { ...none, ...Object.fromEntries(counted.map(({ state, count }) => [state, count])) }
    },
    bytes() {
      if (filename === ":memory:") return { main: guarded(() => pages.get()?.bytes ?? 0) }
      return { main: sizeOf(filename), wal: sizeOf(logFile) }
    },
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
