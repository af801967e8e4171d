import { createId } from "../accounts/key.ts"
import { createAuditRecords } from "../admin/audit/record.ts"
import type { Config } from "../config/load.ts"
import { ConfigError } from "../config/setting-name.ts"
import { systemClock } from "../ports/clock.ts"
import { currentOperator } from "../ports/machine.ts"
import { keepAliveTimer } from "../ports/timer.ts"
import { move } from "../store/move.ts"
import { isPostgresUrl, openStore, requireStoreName } from "../store/open.ts"
import { backUp, compact, inspectBackup, type OnStep, restore } from "../store/sqlite/backup.ts"
import { StoreUnusable } from "../store/store.ts"
import { livePorts, storePorts } from "./live-ports.ts"

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

const dayMs = 86_400_000
/** Records that are deleted in one step, and the pause after it: a service may work on the store. */
const rowsPerStep = 200
const pauseMs = 10

/**
 * Deletes audit records that are older than `--keep-audit`. An audit record says so before the first one is deleted, with the
 * user of the operating system. No service can do this: it needs the data file, or the owner of the tables of a database.
 * @throws ConfigError without `--keep-audit`
 */
async function pruneAudit(config: Config) {
  if (config.keepAudit === null)
    throw new ConfigError(
      "All audit records are kept. Say how many days with --keep-audit, to delete older ones.",
    )
  const ports = livePorts(config)
  const { clock, random } = ports
  const { admin, retention, store } = await openStore(config.db, {
    ...storePorts(ports, config),
    mustExist: true,
  })
  await using _ = { [Symbol.asyncDispose]: store.close }
  if (!(await retention.mayDeleteAudit()))
    throw new StoreUnusable(
      "This user of the database must not delete audit records. Name the owner of the tables in --db, such as penknife_owner.",
    )
  const nowMs = clock.now()
  const beforeMs = nowMs - config.keepAudit * dayMs
  const before = new Date(beforeMs).toISOString()
  const { user, host } = currentOperator()
  await admin.apply({
    mutations: [],
    audit: createAuditRecords(random)(
      "audit.prune",
      {
        target: { kind: "audit", id: before, accountId: null },
        after: { keep_audit: config.keepAudit, deleted_before: before },
      },
      { id: `cli:${user()}`, name: user(), source: host, requestId: createId("req", random) },
      nowMs,
    ),
  })
  await retention.setAuditFromMs(beforeMs)
  let deleted = 0
  for (let rows = rowsPerStep; rows === rowsPerStep; ) {
    rows = await retention.deleteAudit(rowsPerStep)
    deleted += rows
    // With PostgreSQL nothing else keeps the process running meanwhile.
    await new Promise<void>((resolve) => keepAliveTimer.after(pauseMs, resolve))
  }
  return { before, deleted }
}
