import { SQL } from "bun"
import type { Ports } from "../../apis/contract.ts"
import { within } from "../../values/within.ts"
import type { AdminOutcome } from "../admin-store.ts"
import type { Parameter, TextList } from "../rows.ts"
import type { Step } from "../step.ts"
import { StoreUnavailable } from "../store.ts"
import type { PostgresAddress, PostgresHost } from "./address.ts"
import { isLost, sqlStateOf, toStoreError } from "./errors.ts"
import { schemaVersion } from "./migrations.ts"
import type { AskedTime } from "./server-clock.ts"

/** A statement was sent and no answer came: it was done or not. */
export class OutcomeUnknown extends StoreUnavailable {}

/** One connection to the primary, made when it is needed and made again after it was lost. */
export interface Connection {
  /**
   * Runs one statement, which commits by itself. Null, numbers and truth values are sent as text.
   * @throws StoreUnavailable when the database cannot do it now, or does not answer within `limitMs`
   * @throws OutcomeUnknown the same, once the statement was sent
   */
  run<Row>(statement: string, parameters: readonly Parameter[], limitMs?: number): Promise<readonly Row[]>
  close(): Promise<void>
}

/** The database of a connection, its limits of time, and its session. */
export interface ConnectionOptions extends Pick<Ports, "clock" | "timer"> {
  readonly address: PostgresAddress
  /** The time to connect to one host. A host that does not answer must not use up the time for the next one. */
  readonly connectLimitMs: number
  /** The time for a statement whose caller names none. */
  readonly statementLimitMs: number
  /** How long a statement waits for each lock in the server; without it as long as the statement may take. Milliseconds. */
  readonly lockLimitMs?: number
  /** PostgreSQL settings of the session. */
  readonly settings?: Readonly<Record<string, string>>
  /** The host that is tried first: the last primary. All connections of a process share it. */
  readonly preferred: { index: number }
  /** Called for each new connection with the server's clock. */
  readonly onClock?: (serverMs: number, asked: AskedTime) => void
  /** Makes the client of a host, by default one of the runtime. A simulation has its own. */
  readonly openClient?: typeof openClient | undefined
}

/** The options of a connection, without those of statements. */
type ConnectTo = Omit<ConnectionOptions, "statementLimitMs" | "lockLimitMs"> & {
  /** Called when a connection of the client was closed or lost. */
  readonly onClose?: () => void
}

/** Creates a connection, which opens with the first statement. */
export function createConnection(options: ConnectionOptions): Connection {
  const { timer } = options
  let opening: Promise<SQL> | null = null
  let isClosed = false

  function open(): Promise<SQL> {
    if (isClosed) throw new StoreUnavailable("The connections to the database are closed.")
    if (opening) return opening
    const settings = sessionSettings(options)
    // At once, since the client would connect again by itself, and the new session would lack the settings.
    const onClose = () => drop(attempt)
    const attempt = connectToPrimary({ ...options, settings, onClose })
    opening = attempt
    attempt.catch(() => drop(attempt))
    return attempt
  }

  /** The next statement opens a new connection. */
  function drop(used: Promise<SQL>): void {
    if (opening === used) opening = null
    used.then(closeNow, () => {})
  }

  return {
    async run<Row>(statement: string, parameters: readonly Parameter[], limitMs = options.statementLimitMs) {
      const used = open()
      let isOpen = false
      let isLate = false
      try {
        const answer = used.then((sql) => {
          // Nobody waits for it any more, so it must not be done.
          if (isLate) throw tooLate(limitMs)
          isOpen = true
          return sql.unsafe<Row[]>(statement, parameters.map(toText))
        })
        // A plain list: the client's has further properties.
        const rows = await within({ timer, limitMs }, answer, () => {
          isLate = true
          throw tooLate(limitMs)
        })
        return [...rows]
      } catch (cause) {
        // A statement is never cancelled: a cancelled commit may report success. Its connection is closed.
        const error = toStoreError(cause)
        if (!isOpen || !(isLost(cause) || cause instanceof StoreUnavailable)) throw error
        drop(used)
        // A server that refuses changes says so before it makes one.
        const isKnown = sqlStateOf(cause) === "25006" || !(error instanceof StoreUnavailable)
        throw isKnown ? error : new OutcomeUnknown(error.message, { cause })
      }
    },
    async close() {
      isClosed = true
      await opening?.then(closeNow, () => {})
    },
  }
}

/**
 * The server gives a statement up before this process does, and ends one whose process has gone: otherwise each would keep a
 * connection of the server, which has few, for as long as another session keeps a table locked.
 */
function sessionSettings({ statementLimitMs, lockLimitMs, settings }: ConnectionOptions) {
  return {
    statement_timeout: String(Math.ceil(statementLimitMs * 0.8)),
    ...(lockLimitMs !== undefined && { lock_timeout: String(Math.ceil(lockLimitMs)) }),
    [goneCheck]: "250",
    ...settings,
  }
}

/** How often the server looks whether the client of a running statement is still there. Servers on Windows cannot. */
const goneCheck = "client_connection_check_interval"

/** The time that a command has to connect to one host. No call waits for it, so that it succeeds on a busy machine too. */
export const commandConnectLimitMs = 5_000

/** Opens a client with one connection to the first host that is a primary, which `check` finds out. */
export async function connectToPrimary(options: ConnectTo, check = requirePrimary): Promise<SQL> {
  const { address, preferred, connectLimitMs, timer } = options
  const { hosts } = address
  const limitMs = 2 * connectLimitMs
  let problem: unknown = new StoreUnavailable("--db names no host.")
  for (let attempt = 0; attempt < hosts.length; attempt++) {
    const index = (preferred.index + attempt) % hosts.length
    const host = hosts[index]
    if (!host) continue
    const sql = (options.openClient ?? openClient)(host, options)
    try {
      await within({ timer, limitMs }, check(sql, host, options), () => {
        throw tooLate(limitMs)
      })
      preferred.index = index
      return sql
    } catch (cause) {
      problem = cause
      await closeNow(sql)
    }
  }
  throw problem
}

function openClient({ host, port }: PostgresHost, options: ConnectTo): SQL {
  const { address, connectLimitMs, onClose } = options
  const { database, user, password, tls } = address
  return new SQL({
    adapter: "postgres",
    hostname: host,
    port,
    database,
    username: user,
    password,
    max: 1,
    connectionTimeout: connectLimitMs / 1_000,
    tls:
      tls.ca === null
        ? tls.mode
        : { ca: tls.ca, ...(tls.mode === "require" && { rejectUnauthorized: false }) },
    // PgBouncer drops or refuses any other setting that comes with the connection.
    connection: { application_name: `penknife tables ${schemaVersion}` },
    ...(onClose && { onclose: () => onClose() }),
  })
}

/** Sets the settings of the session too, in the same round trip. */
async function requirePrimary(sql: SQL, { host, port }: PostgresHost, options: ConnectTo): Promise<void> {
  const { clock, settings = {} } = options
  const sentMs = clock.monotonicMs()
  const [row] = await sql.unsafe<{ standby: boolean; nowMs: number }[]>(
    `SELECT pg_is_in_recovery() AS standby, extract(epoch FROM clock_timestamp())::float8 * 1000 AS "nowMs",
       (SELECT count(set_config(key, value, false)) FROM json_each_text($1::text::json)
        WHERE key <> '${goneCheck}' OR version() !~* 'windows|visual c|mingw')`,
    [JSON.stringify(settings)],
  )
  if (!row || row.standby)
    throw new StoreUnavailable(
      `${host}:${port} is a standby, which takes no changes. Name the primary in --db too.`,
    )
  options.onClock?.(row.nowMs, { sentMs, answeredMs: clock.monotonicMs() })
}

async function closeNow(sql: SQL): Promise<void> {
  await sql.close({ timeout: 0 })
}

/** The failure of a statement whose answer did not come in time. */
export function tooLate(limitMs: number): StoreUnavailable {
  return new StoreUnavailable(`The database did not answer within ${limitMs / 1_000} s.`)
}

/**
 * Numbers of several types would make a prepared statement each. A text with U+0000 would be an error of the database, as if that
 * were down; clients can send one as a filter or an id, which then finds nothing.
 */
function toText(value: Parameter): string | null {
  return value === null ? null : String(value).replaceAll("\0", "\uFFFD")
}

/** An array as PostgreSQL reads it from text (manual §8.15.2). */
export function toArray(values: readonly (string | number | null)[]): string {
  return `{${values.map(toElement).join(",")}}`
}

const special = /["\\]/

function toElement(value: string | number | null): string {
  if (value === null) return "NULL"
  if (typeof value === "number") return String(value)
  return `"${special.test(value) ? value.replace(/["\\]/g, "\\$&") : value}"`
}

/**
 * A text as PostgreSQL can keep it: without U+0000 and halves of surrogate pairs, which SQLite takes. U+FFFD is in their place.
 */
export function toStorableText(text: string): string {
  return text.replaceAll("\0", "\uFFFD").toWellFormed()
}

/** A list of texts as a PostgreSQL array. */
export const texts: TextList = { toParameter: toArray, isIn: (parameter) => `= ANY (${parameter}::text[])` }

/** Runs all steps of a change, or none, with one statement: an instance that stops inside a transaction would stop all others. */
export async function applySteps({ run }: Pick<Connection, "run">, steps: readonly Step[]) {
  const json = JSON.stringify(steps.map(toJson), (_, value: unknown) =>
    typeof value === "string" ? toStorableText(value) : value,
  )
  const apply = "SELECT apply_change($1::text::jsonb) AS outcome"
  const [row] = await run<{ outcome: AdminOutcome }>(apply, [json])
  if (!row) throw new Error("a SELECT without FROM gave no row")
  return row.outcome
}

/** A step as the function `apply_change` takes it: with all values in one parameter. */
function toJson({ sql, ...rest }: Step) {
  return { sql: sql.replace(/\$(\d+)/g, (_, place: string) => `($1->>${Number(place) - 1})`), ...rest }
}
