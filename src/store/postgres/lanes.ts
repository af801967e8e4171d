/** One piece of work on one account. */
export interface Ticket {
  readonly accountId: string
}

/**
 * Runs tickets in batches on several lanes at once, each with a connection of its own. An account is in at most one batch at a
 * time, so that two lanes never wait for the same row. Its tickets keep their order.
 */
export interface Lanes<T extends Ticket> {
  /** Resolves when the tickets were in a batch that ended. Never rejects: a batch writes what happened into its tickets. */
  submit(tickets: readonly T[]): Promise<void>
  /** Tickets that wait for a lane, and lanes that are in use: what a late charge waits for. */
  load(): { readonly waiting: number; readonly lanesInUse: number }
}

/** @param run never rejects */
export function createLanes<T extends Ticket>(
  lanes: number,
  maxBatch: number,
  run: (lane: number, batch: readonly T[]) => Promise<void>,
): Lanes<T> {
  const free = Array.from({ length: lanes }, (_, index) => index).reverse()
  const busy = new Set<string>()
  let queue: { readonly ticket: T; readonly done: () => void }[] = []

  function start(): void {
    while (free.length > 0 && queue.length > 0) {
      const batch: typeof queue = []
      const rest: typeof queue = []
      for (const entry of queue) {
        const fits = batch.length < maxBatch && !busy.has(entry.ticket.accountId)
        if (fits) batch.push(entry)
        else rest.push(entry)
      }
      if (batch.length === 0) return
      queue = rest
      const lane = free.pop() ?? 0
      const accounts = new Set(batch.map(({ ticket }) => ticket.accountId))
      for (const account of accounts) busy.add(account)
      void run(
        lane,
        batch.map(({ ticket }) => ticket),
      ).then(() => {
        for (const account of accounts) busy.delete(account)
        free.push(lane)
        for (const { done } of batch) done()
        start()
      })
    }
  }

  return {
    submit(tickets) {
      return new Promise((resolve) => {
        let left = tickets.length
        if (left === 0) resolve()
        const done = () => {
          left--
          if (left === 0) resolve()
        }
        for (const ticket of tickets) queue.push({ ticket, done })
        start()
      })
    },
    load: () => ({ waiting: queue.length, lanesInUse: lanes - free.length }),
  }
}
