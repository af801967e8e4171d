import { Fault } from "./fault.ts"

/** The bytes of one answer: of the data from which its text is made, and of the text. */
export interface UnsentAnswer {
  /** The bytes that are counted now. */
  bytes(): number
  /** Counts bytes that are made. */
  add(bytes: number): void
  /** Returns a promise to wait for before more is made; undefined if there is room. */
  room(): Promise<void> | undefined
  /** Says that the whole answer is made. */
  complete(): void
  /** Takes off bytes that were read. */
  free(bytes: number): void
  /** Ends the count: the answer was read, or nobody will read it. */
  close(): void
}

/** Up to this share of the limit, answers are made side by side and no garbage is collected; above it, one after the other. */
const freeShare = 1 / 16

/** Below this size an answer never waits, so that small ones are not held up by large ones. */
export const smallBytes = 65_536

/** Bytes after which new garbage is collected: the runtime would let as much gather as there is in use. */
const bytesPerCollection = 2_097_152
/** So many collections of new garbage come before one of all. */
const collectionsPerFull = 8

/** Counts the bytes of large answers that their clients have not read yet, over the whole process. */
export type UnsentAnswers = ReturnType<typeof createUnsentAnswers>

/**
 * A call under way is not refused, since it may be charged already. It waits: when much is unread, only the oldest of the
 * answers that are being made grows, and at the limit none does, until others are read or given up. If no answer is made whole
 * yet, nobody can read one: then the oldest grows above the limit too.
 * @param firstLimit above this, new calls are refused; one answer alone may be larger
 * @param collectGarbage frees the memory of values that are no longer used: of new ones only, or of all
 */
export function createUnsentAnswers(firstLimit: number, collectGarbage: (which: "new" | "all") => void) {
  let maxBytes = firstLimit
  /** Answers that have asked for room and are not whole, the oldest first. */
  const growing = new Set<UnsentAnswer>()
  const whole = new Set<UnsentAnswer>()
  let total = 0
  let sinceCollected = 0
  let collections = 0
  let waiting: PromiseWithResolvers<void> | null = null

  function wake(): void {
    waiting?.resolve()
    waiting = null
  }

  function open(): UnsentAnswer {
    let own = 0
    let isOpen = true

    function count(bytes: number): void {
      if (!isOpen) return
      const wasFull = total > maxBytes
      own += bytes
      total += bytes
      sinceCollected += Math.max(bytes, 0)
      if (sinceCollected >= bytesPerCollection && total > maxBytes * freeShare) {
        sinceCollected = 0
        collectGarbage(++collections % collectionsPerFull === 0 ? "all" : "new")
      }
      if (wasFull && total <= maxBytes) wake()
    }

    function mayGrow(): boolean {
      if (own < smallBytes) return true
      growing.add(answer)
      if (total <= maxBytes * freeShare) return true
      const [oldest] = growing
      return oldest === answer && (total <= maxBytes || whole.size === 0)
    }

    async function waitForRoom(): Promise<void> {
      while (!mayGrow()) {
        waiting ??= Promise.withResolvers()
        await waiting.promise
      }
    }

    const answer: UnsentAnswer = {
      bytes: () => own,
      add: count,
      room: () => (mayGrow() ? undefined : waitForRoom()),
      complete() {
        whole.add(answer)
        if (growing.delete(answer)) wake()
      },
      free: (bytes) => count(-bytes),
      close() {
        count(-own)
        isOpen = false
        const wasLast = whole.delete(answer) && whole.size === 0
        if (growing.delete(answer) || wasLast) wake()
      },
    }
    return answer
  }

  return {
    /** The bytes of all answers now. */
    bytes: () => total,
    /** Whether there are more than allowed, so that new calls are refused. */
    isFull: () => total > maxBytes,
    /** Starts to count one more answer. */
    open,
    /** Sets how many are allowed. */
    setLimit(bytes: number): void {
      maxBytes = bytes
      wake()
    },
  }
}

/** The refusal of a call while too many answers wait for their clients (RFC 9110 §15.6.4). */
export const tooManyUnsent = new Fault(
  "overloaded",
  "The service holds as many answers as it can until their clients read them. Nothing was charged; try again.",
  { retryAfterSeconds: 1 },
)
