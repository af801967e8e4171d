import type { Ports } from "../apis/contract.ts"
import type { Log } from "../ports/log.ts"
import type { History, HistoryBatch } from "../store/history.ts"
import { toStart } from "../values/time-text.ts"
import type { Minute } from "./minute.ts"

interface WriterParts extends Pick<Ports, "clock" | "timer"> {
  readonly history: Pick<History, "add">
  /** Returns the counts since its last call. */
  readonly takeMinute: (atMs: number) => Minute
  /** How many days rows are kept; 0 for no history. It may change. */
  readonly keepDays: () => number
  /** When the first minute began; now by default. */
  readonly sinceMs?: number
  /** A name that no other process has. */
  readonly process: string
  readonly log: Pick<Log, "warn" | "info">
}

const minuteMs = 60_000
/** Minutes that wait while the store does not answer. The oldest are dropped. */
const maxMinutes = 60
/** Rows of all minutes that wait. */
const maxRows = 50_000
/** Rows that are written in one transaction. */
const rowsPerBatch = 200
/** Creates the writer of the history to the store, once a minute, but does not start it. */
export function createHistoryWriter(parts: WriterParts) {
  const { history, takeMinute, keepDays, clock, timer, log } = parts
  const waiting: Minute[] = []
  let { sinceMs = clock.now() } = parts
  let lastBatch = 0
  /** The remaining batches of the first minute that waits. */
  let batches: HistoryBatch[] = []
  let dropped = 0
  let isFailing = false
  let cancel = () => {}
  let writing: Promise<void> = Promise.resolve()

  function take(): void {
    const minute = takeMinute(toStart(sinceMs, minuteMs))
    sinceMs = clock.now()
    if (keepDays() === 0 || rowsOf(minute) === 0) return
    waiting.push(minute)
    let rows = waiting.reduce((sum, one) => sum + rowsOf(one), 0)
    while (waiting.length > maxMinutes || (rows > maxRows && waiting.length > 1)) {
      const oldest = waiting.shift()
      // Some batches of it may be in the store already.
      batches = []
      rows -= oldest ? rowsOf(oldest) : 0
      dropped += oldest?.calls.reduce((sum, { calls }) => sum + calls, 0) ?? 0
    }
  }

  async function writeWaiting(): Promise<void> {
    for (let minute = waiting[0]; minute; minute = waiting[0]) {
      if (batches.length === 0) batches = toBatches(minute)
      for (let batch = batches[0]; batch; batch = batches[0]) {
        await history.add(batch)
        if (batches[0] === batch) batches.shift()
        await timer.turn()
      }
      if (waiting[0] === minute) waiting.shift()
    }
  }

  function toBatches({ calls, faults, credits }: Minute): HistoryBatch[] {
    const made: HistoryBatch[] = []
    const { process } = parts
    for (let at = 0; at === 0 || at < credits.length; at += rowsPerBatch) {
      const isFirst = at === 0
      made.push({
        process,
        number: ++lastBatch,
        calls: isFirst ? calls : [],
        faults: isFirst ? faults : [],
        credits: credits.slice(at, at + rowsPerBatch),
      })
    }
    return made
  }

  async function attempt(): Promise<void> {
    try {
      await writeWaiting()
      if (isFailing) log.info("history is written again", {})
      isFailing = false
    } catch (cause) {
      if (!isFailing)
        log.warn("history not written; it is kept in memory for an hour and written later", {
          cause: String(cause),
        })
      isFailing = true
    }
  }

  /** Never rejects. */
  function write(): Promise<void> {
    take()
    // One after the other: a batch must not be sent twice at the same time.
    writing = writing.then(attempt)
    return writing
  }

  function schedule(): void {
    cancel = timer.after(minuteMs - (clock.now() % minuteMs), () => {
      void write()
      schedule()
    })
  }

  return {
    /** Writes the counts until now. Resolves also when the store does not answer. */
    write,
    /** Writes at the end of each minute. */
    start: schedule,
    /** Stops, and writes the rest. */
    async stop() {
      cancel()
      await write()
      if (waiting.length > 0) log.warn("history of the last minutes lost", { minutes: waiting.length })
    },
    /** Minutes that wait for the store. */
    waiting: () => waiting.length,
    /** Calls of minutes that waited too long, and were dropped. */
    dropped: () => dropped,
  }
}

function rowsOf({ calls, faults, credits }: Minute): number {
  return calls.length + faults.length + credits.length
}
