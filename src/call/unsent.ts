import { Fault } from "./fault.ts"

/** Counts the bytes of large answers that are made and that their clients have not read yet, over the whole process. */
export interface UnsentAnswers {
  /** All that is counted now. */
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
  /** Gives a promise to wait for before more is made while there is no room for it, and otherwise nothing. */
  room(): Promise<void> | undefined
  /** The answer is made whole. */
  complete(): void
  /** Bytes are read. */
  free(bytes: number): void
  /** The answer is read, or nobody will read it. Nothing is counted after this. */
  close(): void
}

/** Up to this share of the limit, all answers are made at the same time, and no garbage is collected; above it, one after the other. */
const freeShare = 1 / 16

/** The collector lets as much garbage gather as there is in use: with 256 MB of answers, as much again in values they were made of. */
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
