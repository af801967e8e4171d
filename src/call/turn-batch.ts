import type { Timer } from "../apis/contract.ts"

/**
 * Gathers the items of one turn of the event loop into one batch. All items of a batch share one promise, since a promise for
 * each costs more than most of the work. `work` writes each item's result into the item; when it throws, every item of that batch
 * fails with the same error.
 */
export function createTurnBatch<Item>(
  timer: Pick<Timer, "turn">,
  work: (batch: readonly Item[]) => Promise<void>,
): (item: Item) => Promise<void> {
  let waiting: Item[] = []
  let turn: Promise<void> = Promise.resolve()

  function flush(): Promise<void> {
    const batch = waiting
    waiting = []
    return work(batch)
  }

  return (item) => {
    if (waiting.push(item) === 1) turn = timer.turn().then(flush)
    return turn
  }
}
