/**
 * A process that takes calls from one rate bucket as fast as it can. Arguments: the data file, calls a minute, the number of
 * transactions. It writes a line when it is ready, starts with the first line of its input, and then writes its takes.
 */
import { systemClock } from "../../src/ports/clock.ts"
import { systemTimer } from "../../src/ports/timer.ts"
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite.ts"
import { type RateOutcome, StoreUnavailable } from "../../src/store/store.ts"

/** Calls that one process took in one transaction. */
export interface Taken {
  /** The time that the transaction read. */
  readonly nowMs: number
  readonly asked: number
  readonly granted: number
}

const callsPerTransaction = 200

if (import.meta.main) await main(process.argv.slice(2))

async function main([file = "", perMinute, transactions]: readonly string[]): Promise<void> {
  const { store } = openSqliteStore(file, { timer: systemTimer })
  const take = { buckets: [{ id: "shared", perMinute: Number(perMinute) }] }
  const takes = Array.from({ length: callsPerTransaction }, () => take)
  process.stdout.write("ready\n")
  for await (const _ of console) break
  const taken: Taken[] = []
  while (taken.length < Number(transactions)) {
    let nowMs = 0
    const now = () => {
      nowMs = systemClock.now()
      return nowMs
    }
    let outcomes: readonly RateOutcome[]
    try {
      outcomes = await store.takeRates(takes, now)
    } catch (thrown) {
      // On a busy machine, the others may keep the lock for too long. Then nothing was taken.
      if (thrown instanceof StoreUnavailable) continue
      throw thrown
    }
    taken.push({ nowMs, asked: takes.length, granted: outcomes.filter((outcome) => outcome.granted).length })
  }
  await store.close()
  process.stdout.write(`${JSON.stringify(taken)}\n`)
}
