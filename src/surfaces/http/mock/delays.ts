import type { Timer } from "../../../apis/contract.ts"
import type { FaultEffects } from "../../../mock/faults.ts"

/** An answer that hangs is broken off after this time. */
const hangMs = 600_000

/** Waits in real time, also while the mock's clock does not move. */
export function createDelays(timer: Timer) {
  const waiting = new Set<() => void>()
  let isEnded = false

  /** Begins a wait. `finish` ends it early. */
  function begin(delayMs: number) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const finish = () => {
      cancel()
      waiting.delete(finish)
      resolve()
    }
    const cancel = timer.after(isEnded ? 0 : delayMs, finish)
    waiting.add(finish)
    return { done: promise, finish }
  }

  return {
    wait: (delayMs: number): Promise<void> => begin(delayMs).done,
    /** The body of an answer as a fault lets it be sent: slowly, or its first byte and then nothing. */
    toBody(text: string, { bytes_per_second: rate = 1, hang = false }: FaultEffects): ReadableStream {
      const bytes = Buffer.from(text)
      // Up to twenty pieces a second.
      const pieceBytes = hang ? 1 : Math.max(1, Math.round(rate / 20))
      let sent = 0
      let wait: ReturnType<typeof begin> | null = null
      return new ReadableStream({
        async pull(controller) {
          const hangs = hang && sent > 0
          wait = begin(hangs ? hangMs : hang ? 0 : (pieceBytes / rate) * 1_000)
          await wait.done
          if (hangs) return controller.error()
          controller.enqueue(bytes.subarray(sent, sent + pieceBytes))
          sent += pieceBytes
          if (sent >= bytes.length && !hang) controller.close()
        },
        cancel: () => wait?.finish(),
      })
    },
    /** Ends every wait now, and lets later ones end at once. */
    end(): void {
      isEnded = true
      for (const finish of waiting) finish()
    },
  }
}
