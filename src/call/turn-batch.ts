/**
 * Gathers what arrives in one turn of the event loop into one batch: a busy server commits rarely, an idle one at once.
 * All items of a batch wait for one promise, since one for each is dearer than most of what is done for it: `work` leaves
 * what came of an item in the item. When it throws, every item of the batch fails with what it threw, and no other.
 */
export function createTurnBatch<Item>(
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
    if (waiting.push(item) === 1) turn = new Promise<void>((begin) => setImmediate(begin)).then(flush)
    return turn
  }
}
