/** One piece of work on one account. */
export interface Ticket {
  readonly accountId: string
}

/** The number of slots and the sizes of batches, in accounts. */
interface BatchSlotSizes {
  readonly slots: number
  /** Accounts in a batch. So few are not divided among several slots, since each statement has a fixed cost. */
  readonly smallBatch: number
  readonly maxBatch: number
}

/**
 * Runs tickets in batches on several slots at once, each with its own connection. An account is in at most one batch at a
 * time, so that two slots never wait for the same row. Its tickets keep their order and go together.
 * @param run never rejects
 */
export function createBatchSlots<T extends Ticket>(
  { slots, smallBatch, maxBatch }: BatchSlotSizes,
  run: (slot: number, batch: readonly T[]) => Promise<void>,
) {
  const free = Array.from({ length: slots }, (_, index) => index).reverse()
  /** Tickets of accounts that are in no batch, the oldest first. */
  const ready = new Map<string, T[]>()
  /** Tickets of accounts that are in a batch now. */
  const next = new Map<string, T[]>()
  let waiting = 0

  function start(): void {
    while (free.length > 0 && ready.size > 0) {
      const size = batchSize()
      const accounts: string[] = []
      const batch: T[] = []
      for (const [account, tickets] of ready) {
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
      void run(slot, batch).then(() => end(slot, accounts))
    }
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
      if (tickets.length > 0) ready.set(account, tickets)
    }
    free.push(slot)
    start()
  }

  return {
    /** Each ticket comes into a batch. A batch writes the outcome into its tickets. */
    submit(tickets: readonly T[]): void {
      for (const ticket of tickets) {
        const { accountId } = ticket
        const others = next.get(accountId) ?? ready.get(accountId)
        if (others) others.push(ticket)
        else ready.set(accountId, [ticket])
      }
      waiting += tickets.length
      start()
    },
    /** Tickets that wait for a slot, and slots that are in use, to explain a late charge. */
    load: () => ({ waiting, slotsInUse: slots - free.length }),
  }
}
