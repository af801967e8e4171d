import type { Ports } from "../apis/contract.ts"

/** Where a run computes: it leaves its place while it waits for answers, and waits until it can enter it again. */
export interface Place {
  leave(): void
  enter(): Promise<void> | undefined
}

/** The questions of one run to other servers. */
export type RunQuestions = ReturnType<typeof createRunQuestions>

/**
 * Asks for a run in a thread. While questions are open, the run leaves its place to others.
 * @param maxMs the time in which questions may be open, in all. Then they end without an answer, and so do later ones
 */
export function createRunQuestions(ports: Ports, place: Place, maxMs: number) {
  const { clock, timer } = ports
  /** Made with the first question: most runs ask nothing. */
  let limit: AbortController | null = null
  let isOver = false
  let open = 0
  let leftMs = maxMs
  let sinceMs = 0
  let cancel = () => {}

  return {
    /** Asks, and passes the answer on when the run has its place again, unless it is over by then. */
    async ask<Answer>(
      send: (ports: Ports, signal: AbortSignal) => Promise<Answer>,
      take: (answer: Answer) => void,
    ): Promise<void> {
      limit ??= new AbortController()
      if (open++ === 0) {
        place.leave()
        sinceMs = clock.monotonicMs()
        cancel = timer.after(Math.max(0, leftMs), () => limit?.abort())
      }
      const answer = await send(ports, limit.signal).finally(() => {
        if (--open > 0) return
        cancel()
        leftMs -= clock.monotonicMs() - sinceMs
      })
      if (open === 0) {
        await place.enter()
        // Another question may have begun meanwhile, for which the run does not keep its place either.
        if (open > 0) place.leave()
      }
      if (!isOver) take(answer)
    },
    /** Ends all questions, since the run is over. */
    end() {
      isOver = true
      cancel()
      limit?.abort()
    },
  }
}
