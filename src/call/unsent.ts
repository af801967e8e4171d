import { Fault } from "./fault.ts"

/** Counts the bytes of large answers that their clients have not read yet, over the whole process. */
export interface UnsentAnswers {
  /** The bytes of all answers now. */
  bytes(): number
  /** Whether there are more than allowed, so that new calls are refused. */
  isFull(): boolean
  /** Starts to count one more answer. */
  open(): UnsentAnswer
  /** Sets how many are allowed. */
  setLimit(bytes: number): void
}

/** The bytes of one answer. */
export interface UnsentAnswer {
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

/** Bytes after which garbage is collected: the runtime would let as much gather as there is in use. */
const bytesPerCollection = 8_388_608

/**
 * A call under way is not refused, since it may be charged already. It waits: when much is unread, only the oldest of the
 * answers that are being made grows, and at the limit none does, until others are read or given up.
 * @param firstLimit above this, new calls are refused; one answer alone may be larger
 * @param collectGarbage frees the memory of values that are no longer used
 */
export function createUnsentAnswers(firstLimit: number, collectGarbage: () => void): UnsentAnswers {
  let maxBytes = firstLimit
  const growing = new Set<UnsentAnswer>()
  let total = 0
  let sinceCollected = 0
  let waiting: PromiseWithResolvers<void> | null = null

  function wake(): void {
    waiting?.resolve()
    waiting = null
  }

  function setLimit(bytes: number): void {
    maxBytes = bytes
    wake()
  }

  function open(): UnsentAnswer {
    let own = 0
    let isOpen = true
    let isWhole = false

    function count(bytes: number): void {
      if (!isOpen) return
      const wasFull = total > maxBytes
      own += bytes
      total += bytes
      sinceCollected += Math.max(bytes, 0)
      if (sinceCollected >= bytesPerCollection && total > maxBytes * freeShare) {
        sinceCollected = 0
        collectGarbage()
      }
      if (wasFull && total <= maxBytes) wake()
    }

    function mayGrow(): boolean {
      if (own === 0 || total <= maxBytes * freeShare || total === own) return true
      const [oldest] = growing
      return oldest === answer && total <= maxBytes
    }

    async function waitForRoom(): Promise<void> {
      while (!mayGrow()) {
        waiting ??= Promise.withResolvers()
        await waiting.promise
      }
    }

    const answer: UnsentAnswer = {
      add(bytes) {
        count(bytes)
        if (isOpen && !isWhole) growing.add(answer)
      },
      room: () => (mayGrow() ? undefined : waitForRoom()),
      complete() {
        isWhole = true
        if (growing.delete(answer)) wake()
      },
      free: (bytes) => count(-bytes),
      close() {
        count(-own)
        isOpen = false
        answer.complete()
      },
    }
    return answer
  }

  return { bytes: () => total, isFull: () => total > maxBytes, open, setLimit }
}

/** The refusal of a call while too many answers wait for their clients (RFC 9110 §15.6.4). */
export const tooManyUnsent = new Fault(
  "overloaded",
  "The service holds as many answers as it can until their clients read them. Nothing was charged; try again.",
  { retryAfterSeconds: 1 },
)
