/**
 * PostgreSQL in this process: PGlite answers within microtasks and reads the time of JavaScript, so that the kernel decides the
 * order of all statements. It has one session: nothing waits for a lock there, which trials with real servers try.
 */
import { PGlite } from "@electric-sql/pglite"
import { SQL } from "bun"
import { systemClock } from "../../src/ports/clock.ts"
import { systemTimer } from "../../src/ports/timer.ts"
import type { ConnectionOptions } from "../../src/store/postgres/connection.ts"
import { openPostgresStore } from "../../src/store/postgres/open-postgres.ts"
import { changesOf } from "../support/changes.ts"
import { insertFirstAccounts, webhookOf } from "./data-file.ts"
import { createRng, type Kernel, type Owner } from "./kernel.ts"

const url = "postgres://user:password@host/database"
const slowChance = 0.05
const slowestMs = 200
/** Longer than a call waits for the database. */
const hangsMs = 1_500
const hangsChance = 0.002
const lostChance = 0.01

interface Listener {
  readonly owner: Owner | null
  readonly channel: string
  readonly run: (payload: string) => void
  readonly lose: () => void
}

/** The options of a connection that a client needs. */
type ClientOptions = Pick<ConnectionOptions, "settings"> & { readonly onClose?: () => void }

export type PgliteServer = Awaited<ReturnType<typeof startPglite>>

/** Starts a server with the tables of the service and the accounts of each run. */
export async function startPglite() {
  const pg = await PGlite.create()
  // All parameters are texts, as connections send them.
  for (const type of Object.keys(pg.serializers)) pg.serializers[type] = String
  const listeners = new Set<Listener>()
  /** Null while nothing is simulated. */
  let kernel: Kernel | null = null
  /** The settings that the session has: those of the client that was last at work. */
  let settingsNow = ""

  pg.onNotification((channel, payload) => {
    for (const { owner, run, lose, ...listener } of listeners) {
      if (listener.channel !== channel) continue
      if (kernel === null) continue
      const isLost = kernel.fault(lostChance)
      kernel.later(owner, `told ${channel.slice(0, 14)}`, 1 + kernel.rng.int(20), () => {
        if (isLost) lose()
        else run(payload)
      })
    }
  })

  /** A client whose statements are steps of the kernel, and whose connection may break before or after each. */
  function createClient(owner: Owner | null, { settings = {}, onClose }: ClientOptions): SQL {
    let isOpen = true
    const own = JSON.stringify(settings)

    async function close(): Promise<void> {
      if (!isOpen) return
      isOpen = false
      for (const listener of listeners) if (listener.lose === lose) listeners.delete(listener)
      await undefined
      onClose?.()
    }
    function lose(): void {
      void close()
    }

    async function pass(end: string): Promise<void> {
      if (kernel === null) return
      const hangs = kernel.fault(hangsChance) ? hangsMs : 0
      const slow = kernel.fault(slowChance) ? 1 + kernel.rng.int(slowestMs) : 0
      await kernel.point(owner, `sql${end}`, Math.max(hangs, slow))
      if (!isOpen || kernel.fault(lostChance)) {
        lose()
        throw new SQL.PostgresError("simulated: the connection broke", connectionClosed)
      }
    }

    async function run(text: string, parameters: readonly (string | null)[] | null): Promise<unknown[]> {
      await pass("?")
      try {
        if (settingsNow !== own) {
          await pg.query("SELECT set_config(key, value, false) FROM json_each_text($1::text::json)", [own])
          settingsNow = own
        }
        if (parameters === null) return (await pg.exec(text)).at(-1)?.rows ?? []
        return (await pg.query(text, [...parameters])).rows
      } catch (cause) {
        throw toPostgresError(cause)
      } finally {
        await pass("!")
      }
    }

    /** Nothing is sent before somebody waits for it, or says that it has no parameters. */
    function unsafe(text: string, parameters: readonly (string | null)[] = []) {
      let started: Promise<unknown[]> | null = null
      const start = (given: typeof parameters | null) => {
        started ??= run(text, given)
        return started
      }
      return {
        // biome-ignore lint/suspicious/noThenProperty: the client of the runtime is awaited too.
        then: (...of: Parameters<Promise<unknown[]>["then"]>) => start(parameters).then(...of),
        catch: (onRejected: (cause: unknown) => unknown) => start(parameters).catch(onRejected),
        simple: () => start(null),
      }
    }

    const client = {
      unsafe,
      close,
      reserve: async () => ({ unsafe, release() {} }),
      async listen(channel: string, onMessage: (payload: string) => void) {
        await run(`LISTEN "${channel}"`, null)
        listeners.add({ owner, channel, run: onMessage, lose })
      },
    }
    return client as unknown as SQL
  }

  const opened = await openPostgresStore(url, {
    ...{ clock: systemClock, timer: systemTimer, random: createRng(1) },
    openClient: (_host, options) => createClient(null, options),
  })
  const changes = changesOf(opened.admin)
  await insertFirstAccounts(changes, async (id) => {
    const [address, secret, email] = webhookOf(id)
    const set = "webhook_url = $1, webhook_secret = $2, notify = 'both', email = $3"
    await pg.query(`UPDATE accounts SET ${set} WHERE id = $4`, [address, secret, email, id])
  })
  await opened.store.close()
  const saved = ["accounts", "ledger", "keys", "secrets", "adjustments"]
  await pg.exec("CREATE SCHEMA saved")
  const restore = ["SET session_replication_role = replica", await truncateStatement(pg)]
  for (const table of saved) {
    const columns = await storedColumns(pg, table)
    await pg.exec(`CREATE TABLE saved.${table} AS SELECT ${columns} FROM public.${table}`)
    restore.push(
      `INSERT INTO public.${table} (${columns}) OVERRIDING SYSTEM VALUE SELECT * FROM saved.${table}`,
    )
  }
  restore.push("SET session_replication_role = origin")

  return {
    /** Forgets a run. */
    reset: () => pg.exec(restore.join(";\n")),
    /** From now on statements are steps of a kernel; null ends that. */
    use(next: Kernel | null): void {
      kernel = next
      listeners.clear()
    },
    /** A statement that is no step. */
    query: <Row>(text: string) => pg.query<Row>(text).then(({ rows }) => rows),
    open: (instance: Owner, options: Omit<Parameters<typeof openPostgresStore>[1], "openClient">) =>
      openPostgresStore(url, { ...options, openClient: (_host, given) => createClient(instance, given) }),
    close: () => pg.close(),
  }
}

const connectionClosed = { code: "ERR_POSTGRES_CONNECTION_CLOSED" } as ConstructorParameters<
  typeof SQL.PostgresError
>[1]

/** The error of the runtime's client for what a server says. */
function toPostgresError(cause: unknown): unknown {
  if (!(cause instanceof Error) || !("code" in cause)) return cause
  const options = { code: "ERR_POSTGRES_SERVER_ERROR", errno: String(cause.code) }
  return new SQL.PostgresError(cause.message, options as unknown as typeof connectionClosed)
}

async function truncateStatement(pg: PGlite): Promise<string> {
  const { rows } = await pg.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'meta'",
  )
  return `TRUNCATE ${rows.map(({ name }) => name).join(", ")} RESTART IDENTITY CASCADE`
}

/** The columns of a table that are no sums of others. */
async function storedColumns(pg: PGlite, table: string): Promise<string> {
  const { rows } = await pg.query<{ name: string }>(
    `SELECT column_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER' ORDER BY ordinal_position`,
    [table],
  )
  return rows.map(({ name }) => `"${name}"`).join(", ")
}
