interface Waiting<In, Out> {
  readonly item: In
  readonly done: (outcome: Out | PromiseLike<Out>) => void
  readonly failed: (cause: unknown) => void
}

/**
 * Gathers what arrives in one turn of the event loop into one batch: a busy server commits rarely, an idle one at once.
 * `work` gives one outcome per item, in order, or a promise of one that an item waits for alone; when it throws, every
 * item of the batch fails with what it threw.
 */
export function createTurnBatch<In, Out>(
  work: (batch: readonly In[]) => Promise<readonly (Out | PromiseLike<Out>)[]>,
): (item: In) => Promise<Out> {
  let waiting: Waiting<In, Out>[] = []

  async function flush(): Promise<void> {
    const batch = waiting
    waiting = []
    try {
      const outcomes = await work(batch.map(({ item }) => item))
      if (outcomes.length !== batch.length) throw new Error("a batch must give one outcome per item")
      batch.forEach(({ done }, index) => {
        done(outcomes[index] as Out | PromiseLike<Out>)
      })
    } catch (cause) {
      for (const { failed } of batch) failed(cause)
    }
  }

  return (item) =>
    new Promise((done, failed) => {
      if (waiting.length === 0) setImmediate(flush)
      waiting.push({ item, done, failed })
    })
}
