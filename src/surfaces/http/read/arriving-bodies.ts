/** Counts the bytes of request bodies that are still arriving, over the whole process. */
export type ArrivingBodies = ReturnType<typeof createArrivingBodies>

/** The bytes of one body. */
export interface ArrivingBody {
  /** Counts bytes that have come or, of a body with a declared length, that may come. */
  add(bytes: number): void
  /** Ends the count: the body is whole, or nobody waits for it any more. */
  close(): void
}

/**
 * Beyond the limit the oldest body is given up, not the newest: an honest client sends its body within moments, so the oldest are
 * those of clients that send slowly on purpose.
 * @param maxBytes one body alone may be larger
 */
export function createArrivingBodies(maxBytes: number) {
  let total = 0
  const bodies = new Set<ArrivingBody & { readonly giveUp: () => void }>()
  return {
    bytes: () => total,
    /** Begins to count a body. `giveUp` is called once when there are too many bytes and this body is the oldest. */
    open(giveUp: () => void): ArrivingBody {
      let own = 0
      const body = {
        giveUp,
        add(bytes: number) {
          own += bytes
          total += bytes
          bodies.add(body)
          while (total > maxBytes && bodies.size > 1) {
            const [oldest] = bodies
            oldest?.close()
            oldest?.giveUp()
          }
        },
        close() {
          total -= own
          own = 0
          bodies.delete(body)
        },
      }
      return body
    },
  }
}
