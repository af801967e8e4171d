import type { Database } from "bun:sqlite"
import { prepareMailOutbox } from "../mail-outbox.ts"
import type { OpenStore, StoreListeners, StoreOptions } from "../open-store.ts"
import type { Run } from "../rows.ts"
import {
  type AccessRow,
  countReplay,
  selectAccess,
  selectAccounts,
  selectMonthUsage,
  selectReplay,
  toAccess,
} from "../rows.ts"
import type { AccountRecord, CallReplay, Store, UsageRow } from "../store.ts"
import { createAccessCache } from "./access-cache.ts"
import { prepareCharges, prepareLedger } from "./charge.ts"
import { noCheckpoints } from "./checkpoints.ts"
import { createRead } from "./errors.ts"
import { noWatch } from "./file-watch.ts"
import { prepareRates } from "./rates.ts"
import { prepareAdminStore } from "./sqlite-admin.ts"
import { prepareHistory } from "./sqlite-history.ts"
import { prepareRequests } from "./sqlite-requests.ts"
import { prepareRetention } from "./sqlite-retention.ts"
import { prepareTimedEvents } from "./sqlite-timed-events.ts"
import { addAlive, createRun, toSqlite } from "./statement.ts"
import { createWrite } from "./write.ts"

/** The parts of a store that share one SQLite connection. */
type SqliteStores = Pick<
  OpenStore,
  "store" | "admin" | "mails" | "timedEvents" | "history" | "requests" | "retention"
>

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
): SqliteStores {
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

  const findAccount = database.query<AccountRecord, [string]>(
    toSqlite(`${selectAccounts} WHERE id = $1::text`),
  )
  const monthUsage = database.query<UsageRow, [string, number]>(toSqlite(selectMonthUsage))

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

    async findReplay(...parameters) {
      return read(() =>
        database.query<CallReplay, [string, string, number]>(toSqlite(selectReplay)).get(...parameters),
      )
    },
    countReplay: (...parameters) =>
      write(
        () =>
          database.query<object, [string, string, number]>(toSqlite(countReplay)).get(...parameters) !== null,
      ),
    async findAccount(id) {
      return read(() => findAccount.get(id))
    },
    async monthUsage(accountId, periodStartMs) {
      return read(() => monthUsage.all(accountId, periodStartMs))
    },
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
  const readApart = given.readApart ?? createRun(database, read)
  const admin = prepareAdminStore(database, { readApart, read, write, access, ledger, onRaised })
  const timedEvents = prepareTimedEvents(database, { read, write, onRaised })
  const mails = prepareMailOutbox({
    read: createRun(database, read),
    write: createRun(database, write),
  })
  const history = prepareHistory(database, { readApart, write })
  const requests = prepareRequests(database, { readApart, write, most })
  const retention = prepareRetention(database, { read: createRun(database, read), write, checkpoints })
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
