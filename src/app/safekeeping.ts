import type { Config } from "../config/load.ts"
import { systemClock } from "../ports/clock.ts"
import { keepAliveTimer } from "../ports/timer.ts"
import { move } from "../store/move.ts"
import { isPostgresUrl, requireStoreName } from "../store/open.ts"
import { backUp, inspectBackup, type OnStep } from "../store/sqlite/backup.ts"
import { compact } from "../store/sqlite/compact.ts"
import { restore } from "../store/sqlite/restore.ts"
import { StoreUnusable } from "../store/store.ts"
import { pruneAudit } from "./prune-audit.ts"

/** Copies, compacts and moves stores. */
export const safekeeping = {
  backUp({ db }: Config, file: string, onStep: OnStep) {
    requireFiles(db, file)
    return backUp(db, file, onStep)
  },
  checkBackup: inspectBackup,
  restore({ db }: Config, file: string, onStep: OnStep) {
    requireFiles(db, file)
    return restore(file, db, systemClock.now(), onStep)
  },
  compact({ db }: Config) {
    requireStoreName(db)
    if (isPostgresUrl(db)) throw new StoreUnusable(compactsItself)
    return compact(db)
  },
  pruneAudit,
  move({ dbLogin }: Config, from: string, to: string) {
    return move(from, to, { timer: keepAliveTimer, clock: systemClock, login: dbLogin })
  },
}

const compactsItself =
  "'compact' works on data files. PostgreSQL uses the space of deleted rows again by itself (autovacuum). To give it back to the disk, run " +
  "VACUUM FULL on a table as its owner, with all services stopped, since it locks the table; see docs/scaling.md."

/** PostgreSQL has its own tools for backups, which may read everything. */
function requireFiles(...names: readonly string[]): void {
  for (const name of names) requireStoreName(name)
  if (!names.some(isPostgresUrl)) return
  throw new StoreUnusable(
    "'backup' and 'restore' work on data files. Copy a PostgreSQL server with pg_basebackup, and restore it with " +
      "point-in-time recovery, or with a managed database's own backups; see docs/backup.md.",
  )
}
