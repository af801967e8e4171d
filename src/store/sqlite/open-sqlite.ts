import type { Database } from "bun:sqlite"
import { existsSync } from "node:fs"
import { prepareMailOutbox } from "../mail-outbox.ts"
import type { NoticeRecord } from "../outbox.ts"
import { prepareCounts } from "../outbox-reads.ts"
import { type AccessRow, type Run, selectAccess, selectNotice, toAccess } from "../rows.ts"
import type { SchemaStep } from "../schema-step.ts"
import { type Store, StoreUnavailable } from "../store.ts"
import {
  type AnyStoreOptions,
  createActivity,
  type OpenStore,
  type StoreActivity,
  type StoreGauges,
  type StoreListeners,
  type StoreOptions,
} from "../store-options.ts"
import { prepareStoreReads } from "../store-reads.ts"
import { prepareTimedEvents } from "../timed-events.ts"
import { createAccessCache } from "./access-cache.ts"
import { prepareCharges, prepareLedger } from "./charge.ts"
import {
  createCheckpoints,
  type FlushOptions,
  logFileOf,
  noCheckpoints,
  sizeOf,
  withWalFlush,
} from "./checkpoints.ts"
import { lockForReplacing, lockForServing, openDatabase } from "./database-file.ts"
import { noWatch, unflushed, watchFile } from "./file-watch.ts"
import { isOutdated, schemaSteps } from "./migrations.ts"
import { prepareRates } from "./rates.ts"
import { createReads } from "./read.ts"
import { createRead, createWrite } from "./read-write.ts"
import { prepareAdminStore } from "./sqlite-admin.ts"
import { prepareHistory } from "./sqlite-history.ts"
import { prepareOutbox } from "./sqlite-outbox.ts"
import { prepareRequests } from "./sqlite-requests.ts"
import { prepareRetention } from "./sqlite-retention.ts"
import { addAlive, createRun, runStep, toSqlite } from "./statement.ts"

type OpenOptions = StoreOptions &
  Pick<AnyStoreOptions, "mustExist" | "log"> &
  Pick<FlushOptions, "sync"> & { readonly steps?: readonly SchemaStep[]; readonly database?: Database }

/**
 * Opens a data file as a store, or makes it unless `mustExist`. `:memory:` is a store in memory.
 * @param options.database a database in memory that is open already, and that the store will close
 * @throws StoreUnusable when the file is missing, belongs to another program, or has a newer schema
 */
export function openSqliteStore(file: string, options: OpenOptions): OpenStore {
  const isNew = !existsSync(file)
  const activity = createActivity()
  const { database, watch, unlock } = open(file, options, () => void reads?.renew())
  // A command writes and reads little, and no calls wait for it.
  const isShared = options.serving !== undefined && file !== ":memory:"
  const thread = isShared ? createCheckpoints(database, { ...options, onFailedFlush: watch.failFlush }) : null
  const checkpoints = thread ?? noCheckpoints
  const reads = isShared ? createReads(file, { ...options, watch }) : null
  let onRaised: StoreListeners["onRaised"] = () => {}
  const stores = createSqliteStores(database, options, {
    ...{ watch, checkpoints, readApart: reads?.read },
    onRaised: (raised) => onRaised(raised),
  })
  const flushed = { ...stores, store: counted(stores.store, activity) }
  let failure: unknown = null
  const { store, admin, stop } = withWalFlush(flushed, file, {
    ...options,
    isServed: isShared,
    onFailed(cause) {
      failure = cause
      watch.failFlush(cause)
    },
  })
  return {
    store: {
      ...store,
      async close() {
        await Promise.all([stop(), thread?.stop(), reads?.stop()])
        await watch.stop()
        await store.close().finally(() => {
          thread?.release()
          unlock()
        })
        if (failure !== null) throw new StoreUnavailable(unflushed(file, failure), { cause: failure })
      },
    },
    admin,
    mails: stores.mails,
    timedEvents: stores.timedEvents,
    history: stores.history,
    requests: stores.requests,
    retention: stores.retention,
    outbox: prepareOutbox(database, options.timer, watch, checkpoints),
    gauges: prepareGauges(database, activity),
    instances: null,
    listen(listeners) {
      onRaised = listeners.onRaised
      const { notices } = options
      if (notices) watch.each(createLookForOthers(database, notices.now, () => onRaised([])))
    },
    isNew,
  }
}

/** Returns a function that calls `onRaised` if another process has raised a notice or mail: a file tells nobody of changes. */
function createLookForOthers(database: Database, now: () => number, onRaised: () => void): () => void {
  const version = database.query<{ data_version: number }, []>("PRAGMA data_version")
  const isDue = "state = 'pending' AND next_attempt_ms <= ?1"
  const due = database.query<unknown, [number]>(
    `SELECT 1 FROM notices WHERE ${isDue} UNION ALL SELECT 1 FROM mails WHERE ${isDue} LIMIT 1`,
  )
  let seen = version.get()?.data_version
  return () => {
    try {
      const found = version.get()?.data_version
      if (found === seen) return
      seen = found
      if (due.get(now()) !== null) onRaised()
    } catch {
      // The delivery reads the file too: it logs the cause, and tries again.
      onRaised()
    }
  }
}

/** Counts the charges of a store. */
function counted(store: Store, activity: StoreActivity): Store {
  return {
    ...store,
    async charge(charges, onDecided) {
      const outcomes = await store.charge(charges, onDecided)
      activity.batches++
      activity.charges += charges.length
      for (const outcome of outcomes) if (!outcome.charged && !outcome.cause) activity.refusals++
      return outcomes
    },
  }
}

/** @param onChange called when the file was replaced or is back */
function open(file: string, options: OpenOptions, onChange: () => void) {
  const { mustExist = false, timer, serving, steps = schemaSteps } = options
  if (options.database) return { database: options.database, watch: noWatch, unlock() {} }
  update(file, steps)
  if (!serving || file === ":memory:")
    return { database: openDatabase(file, { mustExist, steps }), watch: noWatch, unlock() {} }
  // Before the file is opened, so that no restore replaces it between opening and locking.
  const unlock = lockForServing(file)
  let database: Database | null = null
  try {
    database = openDatabase(file, { mustExist, isServed: true, steps })
    const watch = watchFile(file, timer, {
      ...serving,
      onChange(problem) {
        onChange()
        serving.onChange(problem)
      },
    })
    return { database, watch, unlock }
  } catch (cause) {
    database?.close()
    unlock()
    throw cause
  }
}

/**
 * Brings the tables of an older file to this version while no server works on it: one of an older version would refuse the file
 * from then on, so that its reads, backups and commands would fail.
 */
function update(file: string, steps: readonly SchemaStep[]): void {
  const isOlder = () => isOutdated(file, steps.length + 1)
  if (!isOlder()) return
  try {
    const unlock = lockForReplacing(file, "start this version, which changes the tables")
    openDatabase(file, { mustExist: true, steps }).close()
    unlock()
  } catch (cause) {
    // Another process of this version may have changed them, and serve them already.
    if (isOlder()) throw cause
  }
}

/** The parts that a store kept open by a server has more of. */
interface StoreParts {
  readonly watch?: typeof noWatch
  readonly checkpoints?: typeof noCheckpoints
  /** Runs reads that may look at many rows; on the same connection by default. */
  readonly readApart?: Run | undefined
  readonly onRaised?: StoreListeners["onRaised"]
}

/** The store and its administration on one SQLite connection, which the store owns and closes. */
export function createSqliteStores(
  database: Database,
  { timer, notices, mostRequests: most }: StoreOptions,
  { watch = noWatch, checkpoints = noCheckpoints, onRaised = () => {}, ...given }: StoreParts = {},
) {
  const read = createRead(database, watch)
  const write = createWrite(database, timer, watch, checkpoints)
  const ledger = prepareLedger(database)
  const charge = prepareCharges(database, ledger, notices, onRaised)
  const takeRates = prepareRates(database)
  const findAccess = database.query<AccessRow, [string]>(toSqlite(selectAccess))
  const access = createAccessCache(database, timer, (hash, revision) => {
    const row = findAccess.get(hash)
    return row && toAccess(row, revision)
  })
  const probe = prepareProbe(database)
  let probing: Promise<void> | null = null

  const runs = { read: createRun(database, read), write: createRun(database, write) }
  const store: Store = {
    findKey: (secretHash) => read(() => access.find(secretHash)),
    async findKeyAnew(secretHash) {
      access.clear()
      return read(() => access.find(secretHash))
    },
    charge: (charges, onDecided) =>
      write(() => {
        const outcomes = charge(charges)
        if (onDecided) outcomes.forEach(onDecided)
        return outcomes
      }),
    takeRates: (takes, now) => write(() => takeRates(takes, now)),
    ...prepareStoreReads(runs),
    /** One write for all requests of an event-loop turn, since health checks need no key. */
    ping() {
      probing ??= timer
        .turn()
        .then(() => {
          watch.look()
          return write(probe)
        })
        .finally(() => {
          probing = null
        })
      return probing
    },
    async close() {
      database.close()
    },
  }
  addAlive(database)
  const readApart = given.readApart ?? runs.read
  const admin = prepareAdminStore(database, { readApart, runs, write, access, ledger, onRaised })
  const timedEvents = prepareTimedEvents({
    ...runs,
    async raise(steps) {
      const raiseAll = () => steps.flatMap((step) => runStep<Pick<NoticeRecord, "id">>(database, step))
      const raised = await write(database.transaction(raiseAll).immediate)
      const find = database.query<NoticeRecord, [string]>(toSqlite(selectNotice))
      if (raised.length > 0) onRaised(raised.flatMap(({ id }) => read(() => find.get(id)) ?? []))
    },
    indexedBy: (index) => `INDEXED BY ${index}`,
  })
  const mails = prepareMailOutbox(runs)
  const history = prepareHistory(database, { readApart, write })
  const requests = prepareRequests(database, { readApart, write, most })
  const retention = prepareRetention(database, { read: runs.read, write, checkpoints })
  return { store, admin, mails, timedEvents, history, requests, retention }
}

/** SQLite notices a full or read-only disk only when a change is committed. The reads find tables damaged at their root. */
function prepareProbe(database: Database): () => void {
  const count = database.query(
    "INSERT INTO meta (name, value) VALUES ('probes', 1) ON CONFLICT DO UPDATE SET value = value + 1",
  )
  const reads = ["accounts", "ledger", "keys", "secrets", "usage"].map((table) =>
    database.query(`SELECT * FROM ${table} LIMIT 1`),
  )
  return database.transaction(() => {
    for (const read of reads) read.get()
    count.run()
  }).immediate
}

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
