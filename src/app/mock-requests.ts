import { maxEntries } from "../mock/journal.ts"
import type { KeptRequests } from "../store/kept-requests.ts"
import type { RequestBlock } from "../store/request-block.ts"

/** The most rows that are deleted at once. */
const rowsAtOnce = 1_000

/**
 * Deletes the oldest kept requests when there are more than the journal keeps, a block at a time: while the clock of a test
 * double stands still, none gets older than `--keep-requests`.
 */
export function keepNewest(requests: KeptRequests): KeptRequests {
  let blocks: readonly Pick<RequestBlock, "atMs" | "count">[] = []

  async function deleteOldest(): Promise<void> {
    blocks = blocks.toSorted((a, b) => a.atMs - b.atMs)
    let surplus = blocks.reduce((sum, { count }) => sum + count, 0) - maxEntries
    let beforeMs = 0
    for (const { count, atMs } of blocks) {
      if (surplus <= 0) break
      surplus -= count
      beforeMs = atMs + 1
    }
    blocks = blocks.filter(({ atMs }) => atMs >= beforeMs)
    for (let rows = beforeMs; rows > 0; ) rows = (await requests.deleteBefore(beforeMs, rowsAtOnce)).rows
  }

  return {
    ...requests,
    async add(added) {
      await requests.add(added)
      blocks = [...blocks, ...added.map(({ atMs, count }) => ({ atMs, count }))]
      await deleteOldest()
    },
  }
}
