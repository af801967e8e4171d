import type { Timer } from "../apis/contract.ts"
import type { MemoryUse } from "../ports/machine.ts"

/** How often memory is looked at while something is watched. A thread can take some 50 MB in this time. */
const lookMs = 25

/** Work of a thread whose memory is watched. */
interface WatchedWork {
  readonly thread: () => number
  readonly maxBytes: number
  readonly onExceeded: () => void
  /** Resident memory of the process and page faults of the thread when it was first seen. Null before. */
  first: { readonly residentBytes: number } | null
  faults: number
  /** The growth of the process that is put down to it. */
  takenBytes: number
}

/** Watches the memory that threads take for their work. */
export type MemoryWatch = ReturnType<typeof createMemoryWatch>

/**
 * Makes a watch over the threads of this process. Memory has no owner in a process, but the system counts for each thread how
 * often it touched a page that was not in memory. So the growth of the process is put down to the threads in proportion to
 * these page faults. This also sees a thread that never returns to its event loop.
 */
export function createMemoryWatch(memory: MemoryUse, timer: Timer) {
  const works = new Set<WatchedWork>()
  /** When growth was last put down to threads. */
  let last = { residentBytes: 0, faults: 0 }
  let isLooking = false

  function look(): void {
    isLooking = works.size > 0
    if (!isLooking) return
    timer.after(lookMs, look)
    const residentBytes = memory.residentBytes()
    const grownBytes = residentBytes - last.residentBytes
    const smallestBytes = Math.min(...[...works].map(({ maxBytes }) => maxBytes))
    // Reading the faults of all threads takes longer, so small growth is left to add up.
    if (grownBytes > smallestBytes / 16) attribute(grownBytes, residentBytes)
    else if (grownBytes < 0) last = { ...last, residentBytes }
    for (const work of works) {
      if (work.first !== null || work.thread() === 0) continue
      work.first = { residentBytes }
      work.faults = memory.faultsOf(work.thread())
    }
  }

  function attribute(grownBytes: number, residentBytes: number): void {
    const faults = memory.faults()
    const faultsOfAll = Math.max(1, faults - last.faults)
    last = { residentBytes, faults }
    for (const work of [...works]) {
      if (work.first === null) continue
      const faultsOfWork = memory.faultsOf(work.thread())
      const share = (faultsOfWork - work.faults) / faultsOfAll
      work.takenBytes += grownBytes * Math.min(1, Math.max(0, share))
      work.faults = faultsOfWork
      // Memory that was given back and taken again counts once.
      const mostBytes = residentBytes - work.first.residentBytes
      if (Math.min(work.takenBytes, mostBytes) <= work.maxBytes) continue
      works.delete(work)
      work.onExceeded()
    }
  }

  return {
    /**
     * Watches a thread until the returned function is called.
     * @param thread returns its id in the system, or 0 while it has not begun
     * @param onExceeded called once if it takes more than `maxBytes`
     */
    watch(thread: () => number, maxBytes: number, onExceeded: () => void): () => void {
      const work: WatchedWork = { thread, maxBytes, onExceeded, first: null, faults: 0, takenBytes: 0 }
      works.add(work)
      if (!isLooking) {
        isLooking = true
        last = { residentBytes: memory.residentBytes(), faults: memory.faults() }
        timer.after(lookMs, look)
      }
      return () => works.delete(work)
    },
  }
}
