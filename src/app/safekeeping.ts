import type { Config } from "../config/load.ts"
import { systemClock } from "../ports/clock.ts"
import { keepAliveTimer } from "../ports/timer.ts"
import { move } from "../store/move.ts"
import { isPostgresUrl, requireStoreName } from "../store/open.ts"
import { backUp, inspectBackup, type OnStep } from "../store/sqlite/backup.ts"
import { restore } from "../store/sqlite/restore.ts"
import { StoreUnusable } from "../store/store.ts"

/** Copies the data file to a backup, and back. */
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
  move({ dbLogin }: Config, from: string, to: string) {
    return move(from, to, { timer: keepAliveTimer, clock: systemClock, login: dbLogin })
  },
}

/** PostgreSQL has its own tools for backups, which may read everything. */
function requireFiles(...names: readonly string[]): void {
  for (const name of names) requireStoreName(name)
  if (!names.some(isPostgresUrl)) return
  throw new StoreUnusable(
    "'backup' and 'restore' work on data files. Copy a PostgreSQL server with pg_basebackup, and restore it with " +
      "point-in-time recovery, or with a managed database's own backups; see docs/backup.md.",
  )
}
