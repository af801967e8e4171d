import { keepAliveTimer } from "../../src/ports/timer.ts"

/** The turns of the event loop within which a near event comes. */
const nearTurns = 200

/** A pause is this part of the time that was waited already, at most. So no wait becomes longer by more than it. */
const pausePart = 0.1
const longestPauseMs = 20

/**
 * Resolves when `holds` is true, for changes that no promise reports. It is called once per turn of the event loop, and more and
 * more rarely when it takes longer: what the test waits for may need the processor.
 */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const startMs = performance.now()
  for (let turn = 0; !(await holds()); turn++) {
    const pauseMs = Math.min((performance.now() - startMs) * pausePart, longestPauseMs)
    if (turn < nearTurns && pauseMs < 1) await keepAliveTimer.turn()
    else await new Promise<void>((resolve) => keepAliveTimer.after(Math.max(1, pauseMs), resolve))
  }
}
