/** One piece of work on one account. */
export interface Ticket {
  readonly accountId: string
}

/**
 * Runs tickets in batches on several lanes at once, each with its own connection. An account is in at most one batch at a
 * time, so that two lanes never wait for the same row. Its tickets keep their order and go together.
 */
export interface Lanes<T extends Ticket> {
  /** Each ticket comes into a batch. A batch writes into its tickets what happened. */
  submit(tickets: readonly T[]): void
  /** Tickets that wait for a lane, and lanes that are in use: what a late charge waits for. */
  load(): { readonly waiting: number; readonly lanesInUse: number }
}

export interface LaneSizes {
  readonly lanes: number
  /** Accounts in a batch. So few are not divided among several lanes, since each statement has a fixed cost. */
  readonly smallBatch: number
  readonly maxBatch: number
}

/** @param run never rejects */
export function createLanes<T extends Ticket>(
  { lanes, smallBatch, maxBatch }: LaneSizes,
  run: (lane: number, batch: readonly T[]) => Promise<void>,
): Lanes<T> {
  const free = Array.from({ length: lanes }, (_, index) => index).reverse()
  /** Tickets of accounts that are in no batch, those first that wait longest. */
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
      const lane = free.pop() ?? 0
      void run(lane, batch).then(() => end(lane, accounts))
    }
  }

  /** Each lane takes its share of the accounts that wait or are in a batch, so that all lanes are in use under load. */
  function batchSize(): number {
    const accounts = ready.size + next.size
    const batches = Math.min(lanes, Math.ceil(accounts / smallBatch))
    return Math.min(maxBatch, Math.ceil(accounts / batches))
  }

  function end(lane: number, accounts: readonly string[]): void {
    for (const account of accounts) {
      const tickets = next.get(account) ?? []
      next.delete(account)
      if (tickets.length > 0) ready.set(account, tickets)
    }
    free.push(lane)
    start()
  }

  return {
    submit(tickets) {
      for (const ticket of tickets) {
        const { accountId } = ticket
        const others = next.get(accountId) ?? ready.get(accountId)
        if (others) others.push(ticket)
        else ready.set(accountId, [ticket])
      }
      waiting += tickets.length
      start()
    },
    load: () => ({ waiting, lanesInUse: lanes - free.length }),
  }
}
