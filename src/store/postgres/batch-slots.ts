import type { Ports } from "../../apis/contract.ts"

/** The number of slots and the sizes of batches, in accounts. */
interface BatchSlotSizes {
  readonly slots: number
  /** Accounts that a batch carries before the next slot is used too, since each statement has a fixed cost. */
  readonly smallBatch: number
  readonly maxBatch: number
}

/** While a slot is free, an account waits for this share of a batch's time, at most for the next constant. */
const waitShare = 0.5
/** Batches that wait for a locked row take long, and others must not wait for them. */
const longestWaitMs = 20
/** The weight of the latest batch in the mean time of batches. */
const latestShare = 0.1

/**
 * Runs tickets in batches on several slots at once, each with its own connection. An account is in at most one batch at a
 * time, so that two slots never wait for the same row. Its tickets keep their order and go together. While few accounts are
 * active, they wait for each other: the cost of the database depends on the number of batches.
 * @param run never rejects
 */
export function createBatchSlots<T extends { readonly accountId: string }>(
  { slots, smallBatch, maxBatch }: BatchSlotSizes,
  { clock, timer }: Pick<Ports, "clock" | "timer">,
  run: (slot: number, batch: readonly T[]) => Promise<void>,
) {
  const free = Array.from({ length: slots }, (_, index) => index).reverse()
  /** Tickets of accounts that are in no batch, the longest waiting first. */
  const ready = new Map<string, { readonly tickets: T[]; readonly sinceMs: number }>()
  /** Tickets of accounts that are in a batch now. */
  const next = new Map<string, T[]>()
  let waiting = 0
  /** The mean time of batches. */
  let batchMs = 0
  let cancelTimer = () => {}

  function start(): void {
    cancelTimer()
    while (free.length > 0 && ready.size > 0) {
      const leftMs = timeToWait()
      if (leftMs > 0) {
        cancelTimer = timer.after(leftMs, start)
        return
      }
      const size = batchSize()
      const accounts: string[] = []
      const batch: T[] = []
      for (const [account, { tickets }] of ready) {
        if (accounts.length === size) break
        accounts.push(account)
        for (const ticket of tickets) batch.push(ticket)
      }
      for (const account of accounts) {
        ready.delete(account)
        next.set(account, [])
      }
      waiting -= batch.length
      const slot = free.pop() ?? 0
      const startMs = clock.monotonicMs()
      void run(slot, batch).then(() => {
        batchMs += (clock.monotonicMs() - startMs - batchMs) * (batchMs === 0 ? 1 : latestShare)
        end(slot, accounts)
      })
    }
  }

  /** How long the next batch still waits for more accounts, or for a batch to end. Not positive if it should start. */
  function timeToWait(): number {
    const running = slots - free.length
    if (running === 0 || ready.size + next.size > running * smallBatch) return 0
    const [longest] = ready.values()
    const waitMs = Math.min(batchMs * waitShare, longestWaitMs)
    return longest ? longest.sinceMs + waitMs - clock.monotonicMs() : 0
  }

  /** Each slot takes its share of the accounts that wait or are in a batch, so that all slots are in use under load. */
  function batchSize(): number {
    const accounts = ready.size + next.size
    const batches = Math.min(slots, Math.ceil(accounts / smallBatch))
    return Math.min(maxBatch, Math.ceil(accounts / batches))
  }

  function end(slot: number, accounts: readonly string[]): void {
    for (const account of accounts) {
      const tickets = next.get(account) ?? []
      next.delete(account)
      if (tickets.length > 0) ready.set(account, { tickets, sinceMs: clock.monotonicMs() })
    }
    free.push(slot)
    start()
  }

  return {
    /** Each ticket comes into a batch. A batch writes the outcome into its tickets. */
    submit(tickets: readonly T[]): void {
      const sinceMs = clock.monotonicMs()
      for (const ticket of tickets) {
        const { accountId } = ticket
        const others = next.get(accountId) ?? ready.get(accountId)?.tickets
        if (others) others.push(ticket)
        else ready.set(accountId, { tickets: [ticket], sinceMs })
      }
      waiting += tickets.length
      start()
    },
    /** Tickets that wait for a slot, and slots that are in use, to explain a late charge. */
    load: () => ({ waiting, slotsInUse: slots - free.length }),
  }
}
