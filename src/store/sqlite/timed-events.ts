import type { Database } from "bun:sqlite"
import type { NoticeRecord } from "../outbox.ts"
import {
  type EventPage,
  type ExpiringKey,
  keyExpiring,
  monthRenewed,
  type RenewingAccount,
  type TimedEvents,
  type TimedNotice,
  type TimeWindow,
} from "../timed-events.ts"
import { noticeColumns } from "./outbox-rows.ts"
import type { Write } from "./write.ts"

interface TimedEventsParts {
  readonly read: <T>(operation: () => T) => T
  readonly write: Write
  readonly onRaised: ((notices: readonly NoticeRecord[]) => void) | undefined
}

type Row<T> = Omit<T, "isWanted"> & { readonly isWanted: number }

const isIn = (column: string) =>
  `${column} > $afterMs AND ${column} >= $fromMs AND ${column} <= $untilMs AND (${column} > $fromMs OR id > $fromId)`
const timeOfDay = "created_ms % 86400000"
const noWebhook = "(webhook_url IS NULL OR webhook_gone_ms IS NOT NULL)"

/** A limit on the rows that are looked at, not on those that are wanted, keeps each read short. */
const selectKeys = `
  SELECT k.id, account_id AS accountId, k.name, prefix, k.created_ms AS createdMs, expires_ms AS expiresMs, expires_ms AS atMs,
    events LIKE '%"${keyExpiring}"%' AND closed_ms IS NULL AS isWanted
  FROM (SELECT * FROM keys INDEXED BY keys_by_expiry
      WHERE expires_ms IS NOT NULL AND revoked_ms IS NULL AND ${isIn("expires_ms")} ORDER BY expires_ms, id LIMIT $limit) AS k
    JOIN accounts ON accounts.id = k.account_id JOIN ledger USING (account_id)
  ORDER BY expires_ms, k.id`

const selectAccounts = `
  SELECT a.id, plan, created_ms AS createdMs, period_start_ms AS periodStartMs, bonus, ${timeOfDay} AS atMs,
    events LIKE '%"${monthRenewed}"%' AND closed_ms IS NULL AS isWanted
  FROM (SELECT * FROM accounts INDEXED BY accounts_by_time_of_day
      WHERE events <> '[]' AND ${isIn(timeOfDay)} ORDER BY ${timeOfDay}, id LIMIT $limit) AS a
    JOIN ledger ON ledger.account_id = a.id
  ORDER BY ${timeOfDay}, a.id`

const insertNotice = `
  INSERT INTO notices (id, account_id, type, data, period_start_ms, plan, used, raised_ms, state, next_attempt_ms)
  SELECT $id, accounts.id, $type, $data, coalesce($periodStartMs, period_start_ms), plan,
    iif($periodStartMs > period_start_ms, 0, used), $raisedMs,
    iif(${noWebhook}, 'unsent', 'pending'), iif(${noWebhook}, NULL, $nowMs)
  FROM accounts JOIN ledger ON ledger.account_id = accounts.id WHERE accounts.id = $accountId
  ON CONFLICT (id) DO NOTHING`

/** The events of a data file that come with time. */
export function prepareTimedEvents(
  database: Database,
  { read, write, onRaised }: TimedEventsParts,
): TimedEvents {
  function page<T>(select: string, window: TimeWindow, { limit, after }: EventPage): T[] {
    const from = { fromMs: after?.atMs ?? window.afterMs, fromId: after?.id ?? "" }
    const parameters = { ...window, ...from, limit }
    const rows = read(() => database.query<Row<T>, [Record<string, number | string>]>(select).all(parameters))
    return rows.map((row) => ({ ...row, isWanted: row.isWanted === 1 })) as T[]
  }

  const insertAll = database.transaction((notices: readonly TimedNotice[]) => {
    const insert = database.query<unknown, [Record<string, string | number | null>]>(insertNotice)
    return notices.filter((notice) => insert.run({ ...notice }).changes === 1)
  })

  return {
    async lookedUntilMs() {
      const select = "SELECT value FROM meta WHERE name = 'looked_ms'"
      return read(() => database.query<{ value: number }, []>(select).get())?.value ?? null
    },
    async keepLookedUntilMs(ms) {
      const insert =
        "INSERT INTO meta (name, value) VALUES ('looked_ms', ?1) ON CONFLICT DO UPDATE SET value = excluded.value"
      await write(() => database.query(insert).run(ms))
    },
    async keysExpiring(window, at) {
      return page<ExpiringKey>(selectKeys, window, at)
    },
    async accountsByTimeOfDay(window, at) {
      return page<RenewingAccount>(selectAccounts, window, at)
    },
    async raise(notices) {
      const raised = await write(() => insertAll.immediate(notices))
      if (raised.length === 0) return
      const find = database.query<NoticeRecord, [string]>(
        `SELECT ${noticeColumns} FROM notices JOIN accounts ON accounts.id = account_id WHERE notices.id = ?1`,
      )
      onRaised?.(raised.flatMap(({ id }) => read(() => find.get(id)) ?? []))
    },
  }
}
