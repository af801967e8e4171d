import { SQL } from "bun"

/** Statements that take longer are watched. Milliseconds. */
const longMs = 100
const everyMs = 20

/** Watches what long statements wait for. */
export interface Waits {
  /** Ends the watch. Returns each cause with the longest time that a statement had run by then, such as `IO WalSync 310 ms`. */
  stop(): Promise<readonly string[]>
}

/**
 * Watches what statements of over 0.1 s wait for: the disk, a lock, or a processor. It also reports how late this process's own
 * timers were: then the machine was too busy for the others too.
 * @param url the address of the database server
 */
export function watchWaits(url: string): Waits {
  const sql = new SQL({ url, max: 1 })
  const longest = new Map<string, number>()
  let isOver = false
  const watching = watch()

  function note(cause: string, ms: number): void {
    longest.set(cause, Math.max(longest.get(cause) ?? 0, ms))
  }

  async function watch(): Promise<void> {
    while (!isOver) {
      const startMs = performance.now()
      await Bun.sleep(everyMs)
      const lateMs = performance.now() - startMs - everyMs
      if (lateMs > longMs) note("this process was late by", lateMs)
      const rows = await sql.unsafe<{ cause: string; ms: number }[]>(
        `SELECT coalesce(wait_event_type || ' ' || wait_event, 'a processor') AS cause,
           max(extract(epoch FROM clock_timestamp() - query_start) * 1000)::float8 AS ms
         FROM pg_stat_activity WHERE application_name LIKE 'penknife%' AND state = 'active' AND pid <> pg_backend_pid()
           AND clock_timestamp() - query_start > interval '${longMs} ms' GROUP BY 1`,
      )
      for (const { cause, ms } of rows) note(cause, ms)
    }
  }

  return {
    async stop() {
      isOver = true
      await watching
      await sql.close()
      return [...longest].map(([cause, ms]) => `${cause} ${Math.round(ms)} ms`)
    },
  }
}
