import { prepareMailOutbox } from "../mail-outbox.ts"
import type { NoticeRecord } from "../outbox.ts"
import { prepareCounts } from "../outbox-reads.ts"
import { prepareKeptRequests } from "../request-table.ts"
import { type AccessRow, type Run, selectAccess, toAccess } from "../rows.ts"
import type { Step } from "../step.ts"
import { ReadRefused, readLimitMs, type Store } from "../store.ts"
import {
  type AnyStoreOptions,
  createActivity,
  type OpenStore,
  type StoreListeners,
} from "../store-options.ts"
import { prepareStoreReads } from "../store-reads.ts"
import { prepareTimedEvents } from "../timed-events.ts"
import { createAccessCache } from "./access-cache.ts"
import { describeAddress, readAddress } from "./address.ts"
import {
  applySteps,
  type Connection,
  type ConnectionOptions,
  commandConnectLimitMs,
  connectToPrimary,
  createConnection,
} from "./connection.ts"
import { isTooLong, toStartError } from "./errors.ts"
import { messageChannel, startListener } from "./listener.ts"
import {
  type MigratedSchema,
  migrate,
  readTableVersions,
  schemaVersion,
  type TableVersions,
} from "./migrations.ts"
import { prepareAdminStore } from "./postgres-admin.ts"
import { chargeSettings, prepareCharges, statementLimitOf } from "./postgres-charges.ts"
import { prepareHistory } from "./postgres-history.ts"
import { prepareOutbox } from "./postgres-outbox.ts"
import { prepareRetention } from "./postgres-retention.ts"
import { prepareRates } from "./rates.ts"
import { requireRights } from "./rights.ts"
import { createClockSkew, createServerClock } from "./server-clock.ts"
import { prepareFolding } from "./usage-sums.ts"

/** Batches of charges under way at once. */
const chargeSlots = 4
/** The most that a call waits for each step that needs the database. */
const defaultLimitMs = 500
/** The time for a statement of a command. */
const commandLimitMs = 30_000

const administrationSettings = {
  // A plan is made for the values of each statement: how to search depends on the text.
  plan_cache_mode: "force_custom_plan",
  // Parallel workers cost more than they save on a first page: usage by key takes 15 ms instead of 56.
  max_parallel_workers_per_gather: "0",
}

/**
 * Opens a PostgreSQL database as a store, and brings its schema to this version.
 * @throws StoreUnusable that says what to change
 */
export async function openPostgresStore(
  url: string,
  options: Omit<AnyStoreOptions, "mustExist"> & Pick<ConnectionOptions, "openClient">,
): Promise<OpenStore> {
  const { timer, clock, random, log, notices, serving, limitMs = defaultLimitMs } = options
  const address = readAddress(url, options.login ?? {})
  const name = describeAddress(address)
  const instance = Buffer.from(random.bytes(8)).toString("hex")
  const serverClock = createServerClock(clock)
  const skew = createClockSkew(clock, serverClock, options)
  const common: ConnectionOptions = {
    address,
    clock,
    timer,
    openClient: options.openClient,
    preferred: { index: 0 },
    connectLimitMs: serving ? 2 * limitMs : Math.max(2 * limitMs, commandConnectLimitMs),
    statementLimitMs: serving ? 10 * limitMs : Math.max(10 * limitMs, commandLimitMs),
    ...(serving && { lockLimitMs: 2 * limitMs }),
    onClock(serverMs, asked) {
      serverClock.observe(serverMs, asked)
      skew.look()
    },
  }
  let schema: MigratedSchema
  try {
    const sql = await connectToPrimary(common)
    await using _ = { [Symbol.asyncDispose]: () => sql.close({ timeout: 0 }) }
    schema = await migrate(sql, name, { timer })
    if (serving) await requireRights(sql, name)
  } catch (cause) {
    throw toStartError(cause, name)
  }
  /** The versions that the log has named last. */
  let told: TableVersions = { version: schemaVersion, oldest: schemaVersion }
  // `migrate` has thrown if this instance cannot work with the tables.
  tellVersions({ version: schema.version, oldest: 0 })

  /** During a roll-out, an older instance works on tables that a newer one has changed. */
  function tellVersions({ version, oldest }: TableVersions): void {
    if (version <= told.version && oldest <= told.oldest) return
    told = { version, oldest: Math.max(oldest, told.oldest) }
    const advice =
      oldest > schemaVersion
        ? "This instance cannot work with them. Replace it now."
        : "This instance goes on with what it knows of them. Replace it before you update to the version after."
    log?.warn("tables of a newer version", { tables: version, known: schemaVersion, advice })
  }

  const settings = {
    ...chargeSettings,
    ...(notices && {
      "penknife.thresholds": notices.thresholds.join(","),
      "penknife.lowest_threshold": String(Math.min(...notices.thresholds)),
      "penknife.highest_threshold": String(Math.max(...notices.thresholds)),
    }),
    "penknife.instance": instance,
  }
  const activity = createActivity()
  const ofCharges = { ...common, statementLimitMs: statementLimitOf(limitMs), settings }
  const ofCalls = { ...common, statementLimitMs: limitMs }
  const charging = Array.from({ length: chargeSlots }, () => createConnection(ofCharges))
  const rates = createConnection({ ...ofCalls, settings: chargeSettings })
  const keys = createConnection(ofCalls)
  /** For probes and notifications, so that neither waits behind other work, nor fails when a call would not. */
  const probes = createConnection(ofCalls)
  const ofRest = { ...common, settings: administrationSettings }
  const rest = createConnection(ofRest)
  /** For lists, searches and sums, one at a time. Commands may take their time. */
  const reads = createConnection({
    ...ofRest,
    ...(serving && { settings: { ...administrationSettings, statement_timeout: String(readLimitMs) } }),
  })
  /**
   * For changes, and for what deletes or announces something when its time has come, which nobody takes back. With a wrong time,
   * a change would belong to a month whose statements are final.
   */
  const timed: Connection = {
    ...rest,
    async run(...statement) {
      skew.require()
      return rest.run(...statement)
    },
  }
  const read: Run = async (...statement) => {
    try {
      return await reads.run(...statement)
    } catch (thrown) {
      throw isTooLong(thrown) ? new ReadRefused() : thrown
    }
  }
  const access = createAccessCache(clock, async (hash) => {
    const select = selectAccess.replace("FROM secrets", ", revision::float8 AS revision FROM secrets")
    const [row] = await keys.run<AccessRow & { readonly revision: number }>(select, [hash])
    return row ? toAccess(row, row.revision) : null
  })
  if (serving) {
    // A server's first calls must not wait for connections.
    const opening = [...charging, rates, keys, probes].map((connection) =>
      connection.run("SELECT 1", [], common.statementLimitMs),
    )
    await Promise.all(opening)
  }
  const admin = prepareAdminStore(rest, read, access, timed)
  const sums = prepareFolding(rest, {
    onProblem: (cause) => log?.warn("sums of usage were not added up", { cause: String(cause) }),
    onSetAside: (rows) =>
      log?.warn("usage that cannot be read was set aside", { rows, table: "usage_set_aside" }),
  })
  let listener: ReturnType<typeof startListener> | null = null

  function listen({ onRaised, onMessage, onConnected }: StoreListeners): void {
    listener = startListener({
      timer,
      clock,
      instance,
      connect: (onClose, begin) => connectToPrimary({ ...common, onClose }, begin),
      notify,
      onChanged: access.forget,
      onConfirmed: access.confirm,
      onMigrated: (version, oldest) => tellVersions({ version, oldest }),
      onMessage,
      async onConnected() {
        tellVersions(await readTableVersions(probes.run))
        onConnected()
        // Look for notices that were raised meanwhile.
        onRaised([])
      },
      onGap: () => access.clear(),
      // Only the instance that raised a notice logs it; the others look whether there is something to send.
      async onRaised(id, byThisInstance) {
        let raised: NoticeRecord | null = null
        try {
          if (byThisInstance) raised = await admin.findNotice(id)
        } catch (cause) {
          log?.warn("a raised notice could not be read", { notice: id, cause: String(cause) })
        }
        onRaised(raised === null ? [] : [raised])
      },
      onProblem: (cause) =>
        log?.warn("notifications of the database are not received", { cause: String(cause) }),
    })
  }

  /** Tells all instances of the notice that a step inserts, and which one logs it. */
  function toToldStep({ sql, args }: Step): Step {
    const tell = `SELECT pg_notify('penknife_raised', concat_ws(' ', id, $${args.length + 1})) FROM inserted`
    return { sql: `WITH inserted AS (${sql}) ${tell}`, args: [...args, instance] }
  }

  /** Sends a notification. The answer has the database's clock. */
  async function notify(channel: string, text: string): Promise<void> {
    const sentMs = clock.monotonicMs()
    const statement = `SELECT pg_notify($1::text, $2::text), extract(epoch FROM clock_timestamp())::float8 * 1000 AS "nowMs"`
    const [row] = await probes.run<{ nowMs: number }>(statement, [channel, text])
    if (row) common.onClock?.(row.nowMs, { sentMs, answeredMs: clock.monotonicMs() })
  }

  const runs = { read: rest.run, write: rest.run }
  const outbox = prepareOutbox(rest)
  const mails = prepareMailOutbox(runs)
  const store: Store = {
    ...prepareStoreReads(runs),
    findKey: access.find,
    async findKeyAnew(secretHash, accountId) {
      access.forget(accountId)
      return access.find(secretHash)
    },
    charge: prepareCharges(charging, { clock, timer, serverClock, skew, activity, sums, limitMs }),
    takeRates: prepareRates(rates, { clock, timer }, limitMs),
    ping: async () => {
      skew.require()
      await probes.run(probeStatement, [])
    },
    async close() {
      await listener?.stop()
      await sums.settled()
      await Promise.all(
        [...charging, rates, keys, probes, rest, reads].map((connection) => connection.close()),
      )
    },
  }
  return {
    store,
    admin,
    outbox: { ...outbox, ...skew.byDatabase(outbox) },
    mails: { ...mails, ...skew.byDatabase(mails) },
    timedEvents: prepareTimedEvents({
      read: timed.run,
      write: timed.run,
      async raise(steps) {
        await applySteps(timed, steps.map(toToldStep))
      },
      indexedBy: () => "",
    }),
    history: prepareHistory(rest, read, timed),
    requests: prepareKeptRequests({
      ...{ read, change: timed.run, hasAccountIndex: true, mostInOrder: 50_000, alive: [] },
      async insert(rows, marks) {
        await rest.run(insertRequests, [JSON.stringify(rows), JSON.stringify(marks)])
      },
    }),
    retention: prepareRetention(timed),
    gauges: {
      activity,
      cacheAgeSeconds: () => access.ageMs() / 1_000,
      ...prepareCounts(rest.run),
      async bytes() {
        const select = "SELECT pg_database_size(current_database())::float8 AS bytes"
        const [row] = await rest.run<{ bytes: number }>(select, [])
        return { main: row?.bytes ?? 0 }
      },
    },
    instances: serving ? { id: instance, send: (text) => notify(messageChannel, text) } : null,
    listen,
    isNew: schema.isNew,
  }
}

/** One statement, so that it is done as a whole. Rows from JSON take less than half of the time of rows of parameters. */
const insertRequests = `WITH marks AS (
    INSERT INTO kept_marks SELECT * FROM json_populate_recordset(NULL::kept_marks, $2::text::json) ON CONFLICT DO NOTHING)
  INSERT INTO kept_requests SELECT * FROM json_populate_recordset(NULL::kept_requests, $1::text::json) ON CONFLICT DO NOTHING`

/** Usage of nothing, so long that a page of 8 kB has room for four rows. Longer rows would be compressed. */
const filler = JSON.stringify([["", "x".repeat(1_900), 0, 0]])

/**
 * Does what a call does, without an account: finds a key, takes from a limit, charges, and writes more than a charge. It leaves
 * nothing behind. A changed row finds room on a full disk, but the rows of two probes need a new page, as many charges do.
 */
const probeStatement = `DO $probe$
  DECLARE
    place tid;
  BEGIN
    PERFORM FROM (${selectAccess.replace("$1", "''")}) AS access;
    PERFORM FROM take_rates('[]');
    UPDATE ledger SET used = used WHERE account_id = '';
    FOR i IN 1 .. 2 LOOP
      INSERT INTO usage_changes (entries) VALUES ('${filler}') RETURNING ctid INTO place;
      DELETE FROM usage_changes WHERE ctid = place;
    END LOOP;
  END $probe$`
